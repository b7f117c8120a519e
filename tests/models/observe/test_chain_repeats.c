/* test_chain_repeats.c - tests of models/observe/path/cause_chain_repeats.h */
#include "tests/test.h"

#include "models/observe/path/cause_chain_repeats.h"

/* In each period of 100 ps the two chains change places.  One is at 1 for 30 ps
 * and then at 2, the other is at 3 all the time. */
typedef struct {
    CauseChainPool pool;
    CauseChain chains[2];
} Pair;

static void chain_pair_init(Pair *pair)
{
    *pair = (Pair){ 0 };
    cause_chain_pool_init(&pair->pool, 1000);
    cause_chain_extend(&pair->pool, &pair->chains[0], 9, 0, 100);
    cause_chain_copy(&pair->pool, &pair->chains[1], &pair->chains[0]);
}

static void chain_pair_clear(Pair *pair)
{
    for (guint i = 0; i < 2; i++)
        cause_chain_clear(&pair->pool, &pair->chains[i]);
    assert_int_equal(pair->pool.n_links, 0);
    cause_chain_pool_clear(&pair->pool);
}

static void simulate_chain_period(Pair *pair, SimTime from_ps)
{
    CauseChain first = pair->chains[0];

    pair->chains[0] = pair->chains[1];
    pair->chains[1] = first;
    cause_chain_extend(&pair->pool, &pair->chains[0], 1, 0, from_ps + 30);
    cause_chain_mark_room_wait(&pair->pool, &pair->chains[0], 7, 0, 5, TRUE);
    cause_chain_extend(&pair->pool, &pair->chains[0], 2, 0, from_ps + 100);
    cause_chain_extend(&pair->pool, &pair->chains[1], 3, 0, from_ps + 100);
}

static ChainSnapshot *take_chain_snapshot(Pair *pair, SimTime now_ps)
{
    ChainSnapshot *ret = chain_snapshot_new(&pair->pool, now_ps);

    for (guint i = 0; i < 2; i++)
        chain_snapshot_add(ret, &pair->chains[i]);
    return ret;
}

/* Repeats the period @n times without simulation.  Collectives were issued at
 * 6. */
static void repeat_chain_period(Pair *pair, ChainPeriod *period,
                                ChainSnapshot *now, uint64_t n)
{
    ChainRepeats *repeats = chain_repeats_new(period, now, n, 0, 6);

    for (guint i = 0; i < 2; i++)
        cause_chain_set_repeats(&pair->pool, &pair->chains[i],
                                chain_repeats_ref(repeats), i,
                                chain_repeats_end_ps(repeats, i) + n * 100);
    chain_repeats_unref(repeats);
}

static char *chain_text(const CauseChain *chain)
{
    ChainWalk walk = chain_walk_start(chain);
    GString *out = g_string_new(NULL);
    CauseChainLink link;

    while (chain_walk_to_previous_link(&walk, &link))
        g_string_append_printf(
            out, "%u%s:%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " ", link.row,
            link.is_mark ? "!" : "", link.from_ps, link.to_ps);
    return g_string_free(out, FALSE);
}

static void assert_chain_text(const CauseChain *chain, const char *expected)
{
    g_autofree char *text = chain_text(chain);

    assert_string_equal(text, expected);
}

/* Returns a simulated period from 100 to 200. */
static ChainPeriod *find_chain_period(Pair *pair)
{
    g_autoptr(ChainSnapshot) from = take_chain_snapshot(pair, 100);
    g_autoptr(ChainSnapshot) to = NULL;
    ChainPeriod *period;

    simulate_chain_period(pair, 100);
    to = take_chain_snapshot(pair, 200);
    period = chain_period_new(from, to, TRUE);
    assert_non_null(period);
    return period;
}

/* Repeats the period @n times from @now_ps on. */
static void repeat_chain_period_from(Pair *pair, ChainPeriod *period,
                                     SimTime now_ps, uint64_t n)
{
    g_autoptr(ChainSnapshot) now = take_chain_snapshot(pair, now_ps);

    repeat_chain_period(pair, period, now, n);
}

/* The period is repeated three times, from 200 to 500. */
static void a_repeated_period_equals_its_simulation(void **state)
{
    ChainPeriod *period;
    Pair pair;

    (void)state;
    chain_pair_init(&pair);
    period = find_chain_period(&pair);
    repeat_chain_period_from(&pair, period, 200, 3);
    chain_period_unref(period);
    assert_int_equal(pair.chains[0].to_ps, 500);
    assert_chain_text(&pair.chains[0], "2:430-500 7!:6-430 1:400-430 3:300-400 "
                                       "2:230-300 7!:6-230 1:200-230 3:100-200 "
                                       "9:0-100 ");
    assert_chain_text(&pair.chains[1], "3:400-500 2:330-400 7!:6-330 1:300-330 "
                                       "3:200-300 2:130-200 7!:5-130 1:100-130 "
                                       "9:0-100 ");
    chain_pair_clear(&pair);
}

/* The period is repeated twice, with a simulated period in between. */
static void simulation_may_continue_between_repetitions(void **state)
{
    ChainPeriod *period;
    Pair pair;

    (void)state;
    chain_pair_init(&pair);
    period = find_chain_period(&pair);
    repeat_chain_period_from(&pair, period, 200, 1);
    simulate_chain_period(&pair, 300);
    repeat_chain_period_from(&pair, period, 400, 1);
    chain_period_unref(period);
    assert_chain_text(&pair.chains[1], "3:400-500 2:330-400 7!:5-330 1:300-330 "
                                       "3:200-300 2:130-200 7!:5-130 1:100-130 "
                                       "9:0-100 ");
    chain_pair_clear(&pair);
}

static void a_chain_without_a_known_origin_has_no_period(void **state)
{
    ChainSnapshot *from, *to;
    ChainPeriod *period;
    Pair pair;

    (void)state;
    chain_pair_init(&pair);
    from = take_chain_snapshot(&pair, 100);
    simulate_chain_period(&pair, 100);
    cause_chain_start(&pair.pool, &pair.chains[0], 150);
    cause_chain_extend(&pair.pool, &pair.chains[0], 4, 0, 200);
    to = take_chain_snapshot(&pair, 200);
    assert_null(chain_period_new(from, to, TRUE));
    /* The period can be made without chains. */
    period = chain_period_new(from, to, FALSE);
    assert_non_null(period);
    chain_snapshot_unref(from);
    chain_snapshot_unref(to);
    chain_period_unref(period);
    chain_pair_clear(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeated_period_equals_its_simulation),
        cmocka_unit_test(simulation_may_continue_between_repetitions),
        cmocka_unit_test(a_chain_without_a_known_origin_has_no_period),
    };

    return cmocka_run_group_tests_name("chain repeats", tests, NULL, NULL);
}
