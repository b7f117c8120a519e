/*
 * test_message_list.c - Tests that random messages leave a list in the order of
 * a slow oracle, which examines all
 * messages. */
#include "network/transport/message_list.h"
#include "tests/test.h"

#define N_MESSAGES 600

typedef struct {
    NetMessage messages[N_MESSAGES];
    /* The order of insertion of each message. */
    uint32_t insertion[N_MESSAGES];
    gboolean is_in[N_MESSAGES];
    uint32_t n, n_inserted;
    gboolean by_tail;
    MessageList list;
} Case;

static gboolean message_is_before(const Case *c, uint32_t a, uint32_t b)
{
    const NetMessage *message = &c->messages[a], *n = &c->messages[b];

    if (c->by_tail && message->tail_ps != n->tail_ps)
        return message->tail_ps < n->tail_ps;
    if (!c->by_tail && message->order_hi != n->order_hi)
        return message->order_hi < n->order_hi;
    if (!c->by_tail && message->order_lo != n->order_lo)
        return message->order_lo < n->order_lo;
    if (!c->by_tail && message->n_hops != n->n_hops)
        return message->n_hops < n->n_hops;
    return c->insertion[a] < c->insertion[b];
}

static void insert_into_message_list(Case *c, uint32_t message)
{
    c->is_in[message] = TRUE;
    c->insertion[message] = c->n_inserted++;
    c->n++;
    if (c->by_tail)
        message_list_insert_by_tail(c->messages, &c->list, message);
    else
        message_list_insert_by_key(c->messages, &c->list, message);
}

static void remove_first_of_message_list(Case *c)
{
    uint32_t first = MESSAGE_NONE;

    for (uint32_t i = 0; i < N_MESSAGES; i++)
        if (c->is_in[i] &&
            (first == MESSAGE_NONE || message_is_before(c, i, first)))
            first = i;
    assert_int_equal(message_list_take_first(c->messages, &c->list,
                                             c->by_tail ? &message_by_tail
                                                        : &message_by_key),
                     first);
    c->is_in[first] = FALSE;
    c->n--;
    assert_true((c->list.head == MESSAGE_NONE) == (c->n == 0));
}

/* Draws a message. Many keys are equal. If @in_order, later messages seldom
 * precede earlier ones. */
static void draw_random_message(Case *c, GRand *rand, uint32_t message,
                                gint32 n_keys, gboolean in_order)
{
    static const uint32_t hops[] = { 0, 1, 0xfffe, 0xffff, 0x10000, 0x20000 };
    gint32 key = g_rand_int_range(rand, 0, n_keys);

    if (in_order)
        key = (gint32)(c->n_inserted / 8) +
              (g_rand_int_range(rand, 0, 40) == 0 ? -MIN(key, 30) : 0);
    c->messages[message] = (NetMessage){
        .order_hi = (uint64_t)MAX(key, 0) / 3,
        .order_lo = ((UINT64_C(1) << 48) - 4) + (uint64_t)MAX(key, 0) % 3,
        .n_hops = hops[g_rand_int_range(rand, 0, G_N_ELEMENTS(hops))],
        .tail_ps = (SimTime)MAX(key, 0),
    };
}

static void check_random_message_list(guint32 seed, gint32 n_keys,
                                      gboolean by_tail, gboolean in_order)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    Case *c = g_new0(Case, 1);

    c->by_tail = by_tail;
    c->list = MESSAGE_LIST_EMPTY;
    for (guint i = 0; i < 4000; i++) {
        uint32_t message = (uint32_t)g_rand_int_range(rand, 0, N_MESSAGES);
        gboolean fills = i / 500 % 2 == 0;

        if (g_rand_int_range(rand, 0, 10) < (fills ? 3 : 7)) {
            if (c->n > 0)
                remove_first_of_message_list(c);
        } else if (!c->is_in[message]) {
            draw_random_message(c, rand, message, n_keys, in_order);
            insert_into_message_list(c, message);
        }
    }
    while (c->n > 0)
        remove_first_of_message_list(c);
    message_list_clear(&c->list);
    g_free(c);
}

static void test_messages_leave_by_key_and_equal_ones_by_insertion(void **state)
{
    static const gint32 n_keys[] = { 1, 2, 10, 1000 };

    (void)state;
    for (guint32 seed = 0; seed < 40; seed++)
        check_random_message_list(seed, n_keys[seed % G_N_ELEMENTS(n_keys)],
                                  seed / 4 % 2 != 0, seed / 8 % 2 != 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_messages_leave_by_key_and_equal_ones_by_insertion),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
