/* Tests of sim/core/queue/queue.c.  The oracle is a binary heap with sequence
 * numbers, for every order of pushes and pops. */
#include "tests/core/death_signal.h"

#include "sim/core/queue.h"

#define DIGIT_BITS 6
#define N_DIGITS   11 /* A key of 64 bits has eleven digits of 6 bits. */

/* ---- a binary heap as the oracle of the queue ---------------------------- */

typedef struct {
    uint64_t key;
    uint32_t seq;
} Entry;

typedef struct {
    /* The struct owns this heap, which is ordered by (key, seq). */
    Entry *entries;
    guint n, n_pushed;
} Oracle;

static gboolean entry_is_before(Entry a, Entry b)
{
    return a.key != b.key ? a.key < b.key : a.seq < b.seq;
}

static void swap_entries(Entry *a, Entry *b)
{
    Entry kept = *a;

    *a = *b;
    *b = kept;
}

static void oracle_push_key(Oracle *oracle, uint64_t key)
{
    Entry *heap = oracle->entries;
    guint i = oracle->n++;

    heap[i] = (Entry){ key, oracle->n_pushed++ };
    for (; i > 0 && entry_is_before(heap[i], heap[(i - 1) / 2]);
         i = (i - 1) / 2)
        swap_entries(&heap[i], &heap[(i - 1) / 2]);
}

static Entry oracle_pop_smallest(Oracle *oracle)
{
    Entry *heap = oracle->entries;
    Entry first = heap[0];
    guint i = 0;

    heap[0] = heap[--oracle->n];
    for (;;) {
        guint least = i;

        for (guint child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < oracle->n && entry_is_before(heap[child], heap[least]))
                least = child;
        if (least == i)
            return first;
        swap_entries(&heap[i], &heap[least]);
        i = least;
    }
}

/* ---- the queue and its oracle together ----------------------------------- */

typedef struct {
    SimQueue *queue;
    Oracle oracle;
    uint64_t last_key; /* The last key that was popped from the queue. */
} Pair;

static Pair queue_pair_new(guint max_entries)
{
    return (Pair){ .queue = sim_queue_new(),
                   .oracle.entries = g_new(Entry, max_entries) };
}

static void queue_pair_free(Pair *pair)
{
    sim_queue_free(pair->queue);
    g_free(pair->oracle.entries);
}

static void fail_if_event_runs(gpointer self, uint32_t arg, uint64_t now_ps)
{
    (void)self;
    (void)arg;
    (void)now_ps;
    fail();
}

static void queue_pair_push(Pair *pair, uint64_t key)
{
    sim_queue_push(pair->queue, key, fail_if_event_runs, pair,
                   pair->oracle.n_pushed);
    oracle_push_key(&pair->oracle, key);
}

/* Pops from the queue and from the oracle. Returns FALSE when both are
 * empty. */
static gboolean queue_pair_pop(Pair *pair)
{
    SimEvent event;
    Entry expected;

    assert_int_equal(sim_queue_length(pair->queue), pair->oracle.n);
    if (pair->oracle.n == 0) {
        assert_false(sim_queue_pop(pair->queue, &event));
        return FALSE;
    }
    expected = oracle_pop_smallest(&pair->oracle);
    assert_true(sim_queue_pop(pair->queue, &event));
    assert_int_equal(event.key, expected.key);
    assert_int_equal(event.arg, expected.seq);
    assert_ptr_equal(event.self, pair);
    assert_true(event.fn == fail_if_event_runs);
    pair->last_key = event.key;
    return TRUE;
}

static void queue_pair_drain(Pair *pair)
{
    while (queue_pair_pop(pair))
        continue;
}

/* ---- properties of the queue on random keys ------------------------------ */

typedef uint64_t (*KeyFn)(GRand *rand, uint64_t last_key);

static uint64_t draw_random_u64(GRand *rand)
{
    return (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
}

static uint64_t saturating_add_to_key(uint64_t key, uint64_t distance)
{
    return key > UINT64_MAX - distance ? UINT64_MAX : key + distance;
}

/* Returns a key that is mostly equal or close to the last one, as in an engine
 * with few distinct times. */
static uint64_t draw_key_near_last(GRand *rand, uint64_t last_key)
{
    return saturating_add_to_key(last_key, g_rand_int(rand) % 4);
}

/* Returns a key at a distance of any magnitude, from the same key to the
 * largest. */
static uint64_t draw_key_far_from_last(GRand *rand, uint64_t last_key)
{
    return saturating_add_to_key(last_key, draw_random_u64(rand) >>
                                               g_rand_int(rand) % 64);
}

/* Returns a key that is one of a few periods after the last one, like events of
 * links and clocks. */
static uint64_t draw_periodic_key(GRand *rand, uint64_t last_key)
{
    static const uint64_t periods[] = { 0, 1, 804, 40960, 72290, 401610 };

    return saturating_add_to_key(last_key, periods[g_rand_int(rand) % 6]);
}

/* Returns the last key with one random digit replaced by a larger one. */
static uint64_t draw_key_differing_in_one_digit(GRand *rand, uint64_t last_key)
{
    guint shift = DIGIT_BITS * (g_rand_int(rand) % 5);
    uint64_t digit = last_key >> shift & 63;

    return last_key + ((g_rand_int(rand) % (64 - digit)) << shift);
}

/* Returns a key near a multiple of a power of two, where windows and pages of
 * the queue begin. */
static uint64_t draw_key_at_bucket_border(GRand *rand, uint64_t last_key)
{
    guint bits = g_rand_int(rand) % 34;
    uint64_t size = UINT64_C(1) << bits;
    uint64_t border = (last_key / size + 1 + g_rand_int(rand) % 3) * size;
    uint64_t key = border + g_rand_int(rand) % 5;

    return MAX(last_key + 2, key) - 2;
}

/* Returns one of a few times, so that many keys are equal. */
static uint64_t draw_key_shared_by_many(GRand *rand, uint64_t last_key)
{
    static const uint64_t periods[] = { 1, 3, 1000, 100000, 3000000 };
    uint64_t period = periods[g_rand_int(rand) % 5];

    return (last_key / period + 1 + g_rand_int(rand) % 2) * period;
}

static void check_queue_against_oracle(KeyFn key, guint32 seed, guint n_ops)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    Pair pair = queue_pair_new(n_ops);
    /* The probability of a push is this number of 256. It drifts, so that the
     * length of the queue changes. */
    guint pushes = 128;

    for (guint i = 0; i < n_ops; i++) {
        if (i % 1000 == 0)
            pushes = 64 + g_rand_int(rand) % 129;
        if (g_rand_int(rand) % 256 < pushes)
            queue_pair_push(&pair, key(rand, pair.last_key));
        else
            (void)queue_pair_pop(&pair);
        if (i % 7 == 0)
            assert_int_equal(sim_queue_first_key(pair.queue),
                             pair.oracle.n ? pair.oracle.entries[0].key
                                           : UINT64_MAX);
        if (pair.oracle.n > 0)
            assert_int_equal(sim_queue_has_key_until(pair.queue, pair.last_key),
                             pair.oracle.entries[0].key <= pair.last_key);
    }
    queue_pair_drain(&pair);
    queue_pair_free(&pair);
}

static void test_queue_entries_leave_in_the_order_of_the_oracle(void **state)
{
    static const KeyFn keys[] = {
        draw_key_near_last,        draw_key_far_from_last,
        draw_periodic_key,         draw_key_differing_in_one_digit,
        draw_key_at_bucket_border, draw_key_shared_by_many
    };

    (void)state;
    for (gsize k = 0; k < G_N_ELEMENTS(keys); k++) {
        for (guint32 seed = 1; seed <= 5; seed++)
            check_queue_against_oracle(keys[k], seed, 5000);
        check_queue_against_oracle(keys[k], 6, 100000);
    }
}

static void test_queue_keys_that_differ_in_any_digit_leave_sorted(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    g_autofree uint64_t *keys = g_new(uint64_t, N_DIGITS * 64);

    (void)state;
    for (guint round = 0; round < 20; round++) {
        uint64_t base = round == 0 ? 0 : draw_random_u64(rand) >> 8;
        guint n = 0;
        Pair pair = queue_pair_new(N_DIGITS * 64 + 1);

        /* Other digits equal those of the base, so that all keys are larger. */
        for (guint digit = 0; digit < N_DIGITS; digit++)
            for (uint64_t v = 0; v < 64; v++) {
                uint64_t shifted = v << (DIGIT_BITS * digit);
                uint64_t mask = UINT64_C(63) << (DIGIT_BITS * digit);
                uint64_t key = (base & ~mask) | shifted;

                if (shifted >> (DIGIT_BITS * digit) == v && key >= base)
                    keys[n++] = key;
            }
        for (guint i = n; i > 1; i--) {
            guint j = g_rand_int(rand) % i;
            uint64_t kept = keys[j];

            keys[j] = keys[i - 1];
            keys[i - 1] = kept;
        }
        queue_pair_push(&pair, base);
        (void)queue_pair_pop(&pair);
        for (guint i = 0; i < n; i++)
            queue_pair_push(&pair, keys[i]);
        queue_pair_drain(&pair);
        queue_pair_free(&pair);
    }
}

static void test_equal_queue_keys_leave_in_order_of_arrival(void **state)
{
    Pair pair = queue_pair_new(4000);

    (void)state;
    /* Key 2^40 is far away at the first push and near at the last. */
    for (guint i = 0; i < 1000; i++)
        queue_pair_push(&pair, UINT64_C(1) << 40);
    queue_pair_push(&pair, (UINT64_C(1) << 40) - 1);
    (void)queue_pair_pop(&pair);
    for (guint i = 0; i < 1000; i++)
        queue_pair_push(&pair, UINT64_C(1) << 40);
    for (guint i = 0; i < 500; i++)
        (void)queue_pair_pop(&pair);
    for (guint i = 0; i < 1000; i++)
        queue_pair_push(&pair, UINT64_C(1) << 40);
    queue_pair_drain(&pair);
    queue_pair_free(&pair);
}

static void test_peeking_at_the_queue_changes_nothing(void **state)
{
    Pair pair = queue_pair_new(16);

    (void)state;
    assert_true(sim_queue_first_key(pair.queue) == UINT64_MAX);
    queue_pair_push(&pair, 1000000);
    queue_pair_push(&pair, 2000000);
    assert_int_equal(sim_queue_first_key(pair.queue), 1000000);
    assert_int_equal(sim_queue_length(pair.queue), 2);
    /* Still allowed, because nothing has been popped. */
    queue_pair_push(&pair, 3);
    assert_int_equal(sim_queue_first_key(pair.queue), 3);
    (void)queue_pair_pop(&pair);
    assert_int_equal(sim_queue_first_key(pair.queue), 1000000);
    queue_pair_push(&pair, 3);
    queue_pair_drain(&pair);
    assert_true(sim_queue_first_key(pair.queue) == UINT64_MAX);
    queue_pair_free(&pair);
}

static void test_an_emptied_queue_can_be_filled_again(void **state)
{
    Pair pair = queue_pair_new(16);

    (void)state;
    queue_pair_drain(&pair);
    queue_pair_push(&pair, 77);
    queue_pair_drain(&pair);
    queue_pair_drain(&pair);
    queue_pair_push(&pair, 77);
    queue_pair_push(&pair, UINT64_MAX);
    queue_pair_push(&pair, UINT64_MAX - 1);
    queue_pair_drain(&pair);
    queue_pair_push(&pair, UINT64_MAX);
    queue_pair_drain(&pair);
    queue_pair_free(&pair);
}

static void test_a_queue_can_restart_at_any_key(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(8);
    g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(SimEvent));
    Pair pair = queue_pair_new(3000);

    (void)state;
    for (guint round = 0; round < 300; round++) {
        uint64_t least = draw_random_u64(rand) >> (1 + g_rand_int(rand) % 63);

        for (guint i = 0; i < 10; i++)
            queue_pair_push(&pair,
                            draw_key_shared_by_many(rand, pair.last_key));
        (void)queue_pair_pop(&pair);
        g_array_set_size(events, 0);
        sim_queue_remove_all(pair.queue, events);
        for (guint i = 0; i < 9; i++)
            assert_int_equal(g_array_index(events, SimEvent, i).arg,
                             oracle_pop_smallest(&pair.oracle).seq);
        sim_queue_restart_at_key(pair.queue, least);
        pair.last_key = least;
        assert_false(sim_queue_has_key_until(pair.queue, UINT64_MAX));
    }
    queue_pair_free(&pair);
}

/* ---- pushes that abort --------------------------------------------------- */

static void push_pop_then_push(uint64_t first, uint64_t second)
{
    SimQueue *queue = sim_queue_new();
    SimEvent event;

    sim_queue_push(queue, first, fail_if_event_runs, NULL, 0);
    (void)sim_queue_pop(queue, &event);
    sim_queue_push(queue, second, fail_if_event_runs, NULL, 0);
    sim_queue_free(queue);
}

static void push_key_one_below_last(gpointer data)
{
    (void)data;
    push_pop_then_push(1000, 999);
}

static void push_key_far_below_last(gpointer data)
{
    (void)data;
    push_pop_then_push(UINT64_MAX, 0);
}

static void push_key_equal_to_last(gpointer data)
{
    (void)data;
    push_pop_then_push(1000, 1000);
}

static void test_a_queue_push_below_the_last_popped_key_aborts(void **state)
{
    (void)state;
    assert_int_equal(death_signal_of_child(push_key_one_below_last, NULL),
                     SIGABRT);
    assert_int_equal(death_signal_of_child(push_key_far_below_last, NULL),
                     SIGABRT);
    assert_int_equal(death_signal_of_child(push_key_equal_to_last, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue_entries_leave_in_the_order_of_the_oracle),
        cmocka_unit_test(test_queue_keys_that_differ_in_any_digit_leave_sorted),
        cmocka_unit_test(test_equal_queue_keys_leave_in_order_of_arrival),
        cmocka_unit_test(test_peeking_at_the_queue_changes_nothing),
        cmocka_unit_test(test_an_emptied_queue_can_be_filled_again),
        cmocka_unit_test(test_a_queue_can_restart_at_any_key),
        cmocka_unit_test(test_a_queue_push_below_the_last_popped_key_aborts),
    };

    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
