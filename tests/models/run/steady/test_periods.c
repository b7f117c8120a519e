/* test_periods.c - when two looks are a period, models/run/steady/periods.h */
#include "tests/test.h"

#include "models/run/steady/periods.h"

/* Of a state of one word; the caller has it. */
static Look *look_of(SimTime at_ps, uint64_t state, uint64_t lasting,
                     uint64_t count)
{
    Look *look = g_new0(Look, 1);
    SimWide wide = count;

    look->at_ps = at_ps;
    look->next = at_ps / 10;
    look->counts = g_array_new(FALSE, FALSE, sizeof(SimWide));
    g_array_append_val(look->counts, wide);
    steady_words_add(&look->state, state);
    steady_words_add(&look->lasting, lasting);
    return look;
}

typedef struct {
    Looker looker;
    Periods periods;
} Fixture;

static int setup(void **state)
{
    Fixture *f = g_new0(Fixture, 1);

    f->looker.log.changes = g_array_new(FALSE, FALSE, sizeof(SteadyChange));
    periods_init(&f->periods, &f->looker);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;

    periods_clear(&f->periods);
    g_array_unref(f->looker.log.changes);
    g_free(f);
    return 0;
}

static const Period *find(Fixture *f, SimTime at_ps, uint64_t state,
                          uint64_t lasting)
{
    Look *look = look_of(at_ps, state, lasting, 100 + at_ps);
    const Period *period = periods_find(&f->periods, look);

    look_free(look);
    return period;
}

static void two_looks_at_one_state_are_a_period(void **state)
{
    Fixture *f = *state;
    const Period *period;

    assert_int_equal(periods_keep(&f->periods, look_of(50, 1, 7, 100)), 1);
    assert_null(find(f, 90, 2, 7));
    period = find(f, 90, 1, 7);
    assert_non_null(period);
    assert_int_equal(period->ps, 40);
    assert_int_equal(period->n_chunks, 4);
    assert_true(g_array_index(period->grows, SimWide, 0) == 90);
}

/* What came from outside, a collective that was issued, comes once. */
static void what_came_from_outside_meanwhile_is_of_no_period(void **state)
{
    Fixture *f = *state;

    (void)periods_keep(&f->periods, look_of(50, 1, 7, 100));
    assert_null(find(f, 90, 1, 8));
}

/* But one that was found holds whatever came since. */
static void a_period_that_is_known_holds_from_any_such_state_on(void **state)
{
    Fixture *f = *state;
    const Period *period;

    (void)periods_keep(&f->periods, look_of(50, 1, 7, 100));
    period = find(f, 90, 1, 7);
    periods_forget_looks(&f->periods);
    assert_ptr_equal(find(f, 500, 1, 8), period);
}

static void looks_of_one_instant_are_no_period(void **state)
{
    Fixture *f = *state;

    (void)periods_keep(&f->periods, look_of(50, 1, 7, 100));
    assert_null(find(f, 50, 1, 7));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(two_looks_at_one_state_are_a_period),
        TEST(what_came_from_outside_meanwhile_is_of_no_period),
        TEST(a_period_that_is_known_holds_from_any_such_state_on),
        TEST(looks_of_one_instant_are_no_period),
    };

    return cmocka_run_group_tests_name("periods", tests, NULL, NULL);
}
