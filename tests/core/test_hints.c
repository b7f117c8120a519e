/* Tests of sim/core/queue/hint.c: what comes next is told before it comes. */
#include "tests/core/death.h"

#include "sim/core/queue.h"

#define N_HINTED 4000

typedef struct {
    SimQueue *queue; /* owned */
    guint8 n_told[N_HINTED];
    gboolean is_popped[N_HINTED];
    guint n_missed;
} Hinted;

static uint64_t drawn(GRand *rand)
{
    return (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
}

static void hinted(gpointer self, uint32_t arg, uint64_t now_ps)
{
    (void)self;
    (void)arg;
    (void)now_ps;
    fail(); /* nothing is run */
}

static void on_hint(gpointer self, uint32_t arg, guint round)
{
    Hinted *h = self;

    assert_true(arg < N_HINTED && !h->is_popped[arg]);
    assert_int_equal(round, h->n_told[arg]);
    h->n_told[arg] = (guint8)(round + 1);
}

static void other(gpointer self, uint32_t arg, uint64_t now_ps)
{
    hinted(self, arg, now_ps);
    g_assert_not_reached(); /* so that it is another function */
}

static void pop_hinted(Hinted *h)
{
    SimEvent event;

    if (!sim_queue_pop(h->queue, &event))
        return;
    h->is_popped[event.arg] = TRUE;
    if (event.fn == other)
        assert_int_equal(h->n_told[event.arg], 0);
    else
        h->n_missed += h->n_told[event.arg] < SIM_HINT_ROUNDS;
}

/* Pushes all @before_pops, then others amid pops.  Returns how many have been
 * popped before they were told. */
static guint run_hinted(uint32_t before_pops, uint64_t distance)
{
    g_autofree Hinted *h = g_new0(Hinted, 1);
    g_autoptr(GRand) rand = g_rand_new_with_seed(9);
    uint64_t last = 1 << 20; /* not of the window that is open first */

    h->queue = sim_queue_new();
    sim_queue_let_hint(h->queue, hinted, on_hint);
    for (uint32_t i = 0; i < N_HINTED; i++) {
        sim_queue_push(h->queue, last + drawn(rand) % distance,
                       i % 5 == 0 ? other : hinted, h, i);
        if (i < before_pops)
            continue;
        last = sim_queue_first_key(h->queue);
        pop_hinted(h);
    }
    for (guint i = 0; i < N_HINTED; i++)
        pop_hinted(h);
    sim_queue_free(h->queue);
    return h->n_missed;
}

static void test_what_comes_next_is_told_once_a_round_before(void **state)
{
    (void)state;
    assert_int_equal(run_hinted(N_HINTED, 4000), 0); /* one window */
    assert_int_equal(run_hinted(N_HINTED, 400000), 0);
    assert_int_equal(run_hinted(N_HINTED, UINT64_C(1) << 50), 0);
    /* What comes late, into the open window, may be missed. */
    assert_true(run_hinted(100, 4000) > 0);
    assert_true(run_hinted(100, 400000) < N_HINTED / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_comes_next_is_told_once_a_round_before),
    };

    return cmocka_run_group_tests_name("hints", tests, NULL, NULL);
}
