/* Tests of sim/core/pairing_heap.c and of network/transport/message_list.c,
 * which uses a heap for messages that belong neither at the front nor at the
 * end. */
#include "tests/test.h"

#include "network/transport/message_list.h"
#include "sim/core/rng.h"

typedef struct {
    RngStream stream;
    uint64_t n_drawn;
} Dice;

static Dice seed_random_numbers(uint64_t seed)
{
    return (Dice){ rng_new_stream(seed, "heap"), 0 };
}

static uint32_t draw_number_below(Dice *d, uint32_t n)
{
    return (uint32_t)(rng_value_at_indices(d->stream, d->n_drawn++, 0, 0) % n);
}

/* ---- the heap of the event queue ----------------------------------------- */

typedef struct {
    uint32_t key, came;
    SimHeapLink link;
} Item;

typedef struct {
    Item *items; /* The struct owns this memory. */
    uint64_t n_compared;
} Items;

static SimHeapLink *heap_link_of_item(gpointer self, uint32_t i)
{
    return &((Items *)self)->items[i].link;
}

/* Counts the comparisons, although @self is const. */
static gboolean item_is_before(gconstpointer self, uint32_t a, uint32_t b)
{
    Items *items = (Items *)(gsize)self;

    items->n_compared++;
    return items->items[a].key < items->items[b].key;
}

static const SimHeapKind kind = { heap_link_of_item, item_is_before };

/* Returns the key and the sequence number of an item as one number. */
static uint64_t order_of_item(const Items *items, uint32_t i)
{
    return (uint64_t)items->items[i].key << 32 | items->items[i].came;
}

static void check_heap_leaves_in_order(uint32_t n, uint32_t n_keys,
                                       guint pop_percent, uint64_t seed)
{
    g_autofree Item *array = g_new0(Item, n);
    g_autofree gboolean *is_in = g_new0(gboolean, n);
    Items items = { array, 0 };
    Dice rng = seed_random_numbers(seed);
    uint32_t first = SIM_HEAP_EMPTY, n_pushed = 0, n_popped = 0;

    while (n_popped < n) {
        uint32_t least = SIM_HEAP_EMPTY;

        if (n_pushed < n && (n_pushed == n_popped ||
                             draw_number_below(&rng, 100) >= pop_percent)) {
            array[n_pushed].key = draw_number_below(&rng, n_keys);
            array[n_pushed].came = n_pushed;
            is_in[n_pushed] = TRUE;
            first = sim_heap_push(&kind, &items, first, n_pushed);
            n_pushed++;
            continue;
        }
        for (uint32_t i = 0; i < n_pushed; i++)
            if (is_in[i] &&
                (least == SIM_HEAP_EMPTY ||
                 order_of_item(&items, i) < order_of_item(&items, least)))
                least = i;
        assert_int_equal(first, least);
        is_in[first] = FALSE;
        first = sim_heap_pop(&kind, &items, first);
        n_popped++;
    }
    assert_int_equal(first, SIM_HEAP_EMPTY);
}

static void heap_items_leave_by_key_then_by_arrival(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        check_heap_leaves_in_order(1 + (uint32_t)seed * 5,
                                   1 + (uint32_t)seed % 7,
                                   (guint)(seed * 13 % 70), seed);
}

static void a_heap_pop_makes_about_log_n_comparisons(void **state)
{
    enum { N = 1 << 16, LOG_N = 16 };
    g_autofree Item *array = g_new0(Item, N);
    Items items = { array, 0 };
    Dice rng = seed_random_numbers(1);
    uint32_t first = SIM_HEAP_EMPTY;

    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        array[i].key = draw_number_below(&rng, UINT32_MAX);
        first = sim_heap_push(&kind, &items, first, i);
    }
    while (first != SIM_HEAP_EMPTY)
        first = sim_heap_pop(&kind, &items, first);
    /* About twice the theoretical minimum; an insertion into a sorted list
     * would need N / 4 times N comparisons.  No time is measured. */
    assert_in_range(items.n_compared, N, UINT64_C(3) * LOG_N * N);
}

/* ---- the list of waiting messages ---------------------------------------- */

static uint64_t message_order_key(const NetMessage *message, gboolean by_tail)
{
    return (by_tail ? message->tail_ps : message->order_hi) << 32 |
           message->bytes;
}

/* .bytes is used as the sequence number of a message. */
static void check_message_list_order(uint32_t n, uint32_t n_keys,
                                     guint take_percent, gboolean by_tail)
{
    g_autofree NetMessage *messages = g_new0(NetMessage, n);
    g_autofree gboolean *is_in = g_new0(gboolean, n);
    MessageList list = MESSAGE_LIST_EMPTY;
    Dice rng = seed_random_numbers(n * n_keys);
    uint32_t n_in = 0, n_taken = 0;

    while (n_taken < n) {
        uint32_t least = MESSAGE_NONE;

        if (n_in < n &&
            (n_in == n_taken || draw_number_below(&rng, 100) >= take_percent)) {
            NetMessage *message = &messages[n_in];

            message->order_hi = message->tail_ps =
                draw_number_below(&rng, n_keys);
            message->bytes = n_in;
            is_in[n_in] = TRUE;
            if (by_tail)
                message_list_insert_by_tail(messages, &list, n_in++);
            else
                message_list_insert_by_key(messages, &list, n_in++);
            continue;
        }
        for (uint32_t i = 0; i < n_in; i++)
            if (is_in[i] && (least == MESSAGE_NONE ||
                             message_order_key(&messages[i], by_tail) <
                                 message_order_key(&messages[least], by_tail)))
                least = i;
        assert_int_equal(list.head, least);
        is_in[least] = FALSE;
        (void)message_list_take_first(
            messages, &list, by_tail ? &message_by_tail : &message_by_key);
        n_taken++;
    }
    assert_int_equal(list.head, MESSAGE_NONE);
    assert_int_equal(list.n_heap, 0);
    message_list_clear(&list);
}

static void a_message_list_keeps_order_at_any_length(void **state)
{
    static const uint32_t sizes[] = { 1, 10, 30, 300, 1000 };

    (void)state;
    for (guint s = 0; s < G_N_ELEMENTS(sizes); s++)
        for (uint32_t n_keys = 1; n_keys <= 1000; n_keys *= 10)
            for (guint percent = 0; percent < 60; percent += 25) {
                check_message_list_order(sizes[s], n_keys, percent, FALSE);
                check_message_list_order(sizes[s], n_keys, percent, TRUE);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_items_leave_by_key_then_by_arrival),
        cmocka_unit_test(a_heap_pop_makes_about_log_n_comparisons),
        cmocka_unit_test(a_message_list_keeps_order_at_any_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
