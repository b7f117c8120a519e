/* test_periods.c - which two snapshots make a period,
 * models/run/steady/periods.h */
#include "tests/test.h"

#include "models/run/steady/periods.h"

/* Returns a snapshot whose state is one word; the caller owns it. */
static Snapshot *test_snapshot_new(SimTime at_ps, uint64_t state,
                                   uint64_t lasting, uint64_t count)
{
    Snapshot *snapshot = g_new0(Snapshot, 1);
    SimWide wide = count;

    snapshot->at_ps = at_ps;
    snapshot->next = at_ps / 10;
    snapshot->counts = g_array_new(FALSE, FALSE, sizeof(SimWide));
    g_array_append_val(snapshot->counts, wide);
    state_words_add(&snapshot->state, state);
    state_words_add(&snapshot->constant_words, lasting);
    return snapshot;
}

typedef struct {
    StateWalker walker;
    Periods periods;
} Fixture;

static int setup(void **state)
{
    Fixture *f = g_new0(Fixture, 1);

    f->walker.log.changes = g_array_new(FALSE, FALSE, sizeof(SteadyChange));
    periods_init(&f->periods, &f->walker);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;

    periods_clear(&f->periods);
    g_array_unref(f->walker.log.changes);
    g_free(f);
    return 0;
}

static const Period *find_period_after_snapshot(Fixture *f, SimTime at_ps,
                                                uint64_t state,
                                                uint64_t lasting)
{
    Snapshot *snapshot = test_snapshot_new(at_ps, state, lasting, 100 + at_ps);
    const Period *period = periods_find_or_add_period(&f->periods, snapshot);

    snapshot_free(snapshot);
    return period;
}

static void two_snapshots_of_equal_state_make_a_period(void **state)
{
    Fixture *f = *state;
    const Period *period;

    assert_int_equal(
        periods_keep_snapshot(&f->periods, test_snapshot_new(50, 1, 7, 100)),
        1);
    assert_null(find_period_after_snapshot(f, 90, 2, 7));
    period = find_period_after_snapshot(f, 90, 1, 7);
    assert_non_null(period);
    assert_int_equal(period->ps, 40);
    assert_int_equal(period->n_chunks, 4);
    assert_true(g_array_index(period->growth, SimWide, 0) == 90);
}

/* An event from outside, such as an issued collective, makes no period. */
static void an_external_event_prevents_a_period(void **state)
{
    Fixture *f = *state;

    (void)periods_keep_snapshot(&f->periods, test_snapshot_new(50, 1, 7, 100));
    assert_null(find_period_after_snapshot(f, 90, 1, 8));
}

/* A known period holds whatever came from outside since. */
static void a_known_period_holds_from_any_equal_state_on(void **state)
{
    Fixture *f = *state;
    const Period *period;

    (void)periods_keep_snapshot(&f->periods, test_snapshot_new(50, 1, 7, 100));
    period = find_period_after_snapshot(f, 90, 1, 7);
    periods_drop_snapshots(&f->periods);
    assert_ptr_equal(find_period_after_snapshot(f, 500, 1, 8), period);
}

static void snapshots_of_the_same_time_make_no_period(void **state)
{
    Fixture *f = *state;

    (void)periods_keep_snapshot(&f->periods, test_snapshot_new(50, 1, 7, 100));
    assert_null(find_period_after_snapshot(f, 50, 1, 7));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(two_snapshots_of_equal_state_make_a_period),
        TEST(an_external_event_prevents_a_period),
        TEST(a_known_period_holds_from_any_equal_state_on),
        TEST(snapshots_of_the_same_time_make_no_period),
    };

    return cmocka_run_group_tests_name("periods", tests, NULL, NULL);
}
