/* test_path_state.c - tests which state of a critical path is compared when
 * periods are skipped: two paths that would continue differently must differ in
 * state */
#include "tests/system_fixture.h"

#include "models/observe/critical_path_impl.h"

#define N_PLACES 2
#define NOW_PS   SIM_US(5)

typedef struct {
    Run run;
    CriticalPath *path;
} Fixture;

/* One simulated NPU represents all, and its path is still empty. */
static int setup(void **state)
{
    const Setup s = { .topology = ace_torus_text(2, 2, 2),
                      .endpoint = "{kind: ideal}" };
    Fixture *f = g_new0(Fixture, 1);
    GError *error = NULL;

    read_run_setup(&f->run, &s);
    f->run.system = system_new(&f->run.config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    f->path = critical_path_new(f->run.system, 0);
    g_array_set_size(f->path->chunks, N_PLACES);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;

    critical_path_free(f->path);
    run_clear(&f->run);
    g_free(f);
    return 0;
}

static PathChunk *path_chunk_of_slot(const Fixture *f, guint slot)
{
    return &g_array_index(f->path->chunks, PathChunk, slot);
}

/* Makes a chunk wait for @room since @since_ps. */
static void make_chunk_wait(const Fixture *f, guint slot, uint32_t room,
                            SimTime since_ps)
{
    path_chunk_of_slot(f, slot)->is_waiting = TRUE;
    path_chunk_of_slot(f, slot)->awaited_row = room;
    path_chunk_of_slot(f, slot)->since_ps = since_ps;
}

/* Starts a chain of which only the end is known; extend_link_chain() adds a
 * millisecond. */
static void begin_link_chain(const Fixture *f, guint slot, SimTime to_ps)
{
    cause_chain_start(&f->path->pool, &path_chunk_of_slot(f, slot)->chain,
                      to_ps);
}

static void extend_link_chain(const Fixture *f, guint slot)
{
    CauseChain *chain = &path_chunk_of_slot(f, slot)->chain;

    f->path->pool.keep_from_ps = 0;
    cause_chain_extend(&f->path->pool, chain, PATH_NETWORK, chain->to_ps,
                       chain->to_ps + SIM_NS(1));
}

/* Returns the state at @now_ps.  Sets *@ret_lost if it cannot be compared. */
static StateWords path_state_at(const Fixture *f, SimTime now_ps,
                                gboolean *ret_lost)
{
    StateWords ret = { 0 };
    SteadyWalk walk = { .now_ps = now_ps, .state = &ret };

    path_repeats.begin_snapshot(f->path, &walk);
    for (uint32_t slot = 0; slot < N_PLACES; slot++)
        path_repeats.chunk(f->path, &walk, slot, 0);
    if (ret_lost)
        *ret_lost = walk.is_lost;
    return ret;
}

static StateWords path_state_now(const Fixture *f)
{
    return path_state_at(f, NOW_PS, NULL);
}

/* Compares two states and frees both. */
static gboolean states_are_equal(StateWords a, StateWords b)
{
    gboolean ret = state_words_are_same(&a, &b);

    state_words_clear(&a);
    state_words_clear(&b);
    return ret;
}

static void path_state_has_whether_the_npu_waits(void **state)
{
    Fixture *f = *state;
    StateWords before = path_state_now(f);

    f->path->runs = !f->path->runs;
    assert_false(states_are_equal(before, path_state_now(f)));
    f->path->runs = !f->path->runs;
    before = path_state_now(f);
    f->path->tail.is_kept = TRUE;
    assert_false(states_are_equal(before, path_state_now(f)));
    f->path->tail.is_kept = FALSE;
    before = path_state_now(f);
    f->path->rooms[0]++;
    assert_false(states_are_equal(before, path_state_now(f)));
}

static void path_state_has_the_reason_and_length_of_a_wait(void **state)
{
    Fixture *f = *state;
    StateWords before;

    make_chunk_wait(f, 0, 3, SIM_US(4));
    before = path_state_now(f);
    make_chunk_wait(f, 0, 4, SIM_US(4));
    assert_false(states_are_equal(before, path_state_now(f)));
    before = path_state_now(f);
    make_chunk_wait(f, 0, 4, SIM_US(3));
    assert_false(states_are_equal(before, path_state_now(f)));
    before = path_state_now(f);
    path_chunk_of_slot(f, 0)->is_issue = TRUE;
    assert_false(states_are_equal(before, path_state_now(f)));
}

/* A wait that starts with the issue of the collective has no time of its own in
 * the state. */
static void path_state_ignores_the_wait_since_the_issue(void **state)
{
    Fixture *f = *state;
    StateWords before;

    make_chunk_wait(f, 0, 3, SIM_US(4));
    path_chunk_of_slot(f, 0)->is_issue = TRUE;
    before = path_state_now(f);
    make_chunk_wait(f, 0, 3, SIM_US(3));
    assert_true(states_are_equal(before, path_state_now(f)));
}

/* The states of both chunks have the same length, and for room 0 since now they
 * are zeros. */
static void path_state_has_which_chunk_waits(void **state)
{
    Fixture *f = *state;
    StateWords before;

    make_chunk_wait(f, 0, 0, NOW_PS);
    before = path_state_now(f);
    path_chunk_of_slot(f, 0)->is_waiting = FALSE;
    make_chunk_wait(f, 1, 0, NOW_PS);
    assert_false(states_are_equal(before, path_state_now(f)));
}

/* The chunks have the same chain, which ends now and has no known origin. */
static void path_state_has_which_chunk_has_a_link_chain(void **state)
{
    Fixture *f = *state;
    StateWords before;

    f->path->runs = TRUE;
    begin_link_chain(f, 0, NOW_PS);
    before = path_state_now(f);
    cause_chain_clear(&f->path->pool, &path_chunk_of_slot(f, 0)->chain);
    path_chunk_of_slot(f, 0)->chain = (CauseChain){ 0 };
    begin_link_chain(f, 1, NOW_PS);
    assert_false(states_are_equal(before, path_state_now(f)));
}

static void path_state_has_the_end_of_a_link_chain(void **state)
{
    Fixture *f = *state;
    StateWords before;

    f->path->runs = TRUE;
    begin_link_chain(f, 0, NOW_PS - SIM_NS(2));
    before = path_state_now(f);
    begin_link_chain(f, 0, NOW_PS - SIM_NS(1));
    assert_false(states_are_equal(before, path_state_now(f)));
    before = path_state_now(f);
    begin_link_chain(f, 0, NOW_PS + SIM_NS(4));
    assert_true(
        states_are_equal(before, path_state_at(f, NOW_PS + SIM_NS(5), NULL)));
}

/* Both chains end at the same time, and only one has a known origin.  While the
 * path waits, a state with an unknown chain cannot be compared. */
static void path_state_has_whether_a_link_chain_is_known(void **state)
{
    Fixture *f = *state;
    gboolean is_lost;
    StateWords before, known;

    f->path->runs = TRUE;
    begin_link_chain(f, 0, NOW_PS);
    before = path_state_at(f, NOW_PS, &is_lost);
    assert_false(is_lost);
    begin_link_chain(f, 0, NOW_PS - SIM_NS(1));
    extend_link_chain(f, 0);
    known = path_state_at(f, NOW_PS, &is_lost);
    assert_false(is_lost);
    assert_false(states_are_equal(before, known));
    f->path->runs = FALSE;
    known = path_state_at(f, NOW_PS, &is_lost);
    assert_false(is_lost);
    begin_link_chain(f, 0, NOW_PS);
    before = path_state_at(f, NOW_PS, &is_lost);
    assert_true(is_lost);
    assert_false(states_are_equal(before, known));
}

/* ---- number of skipped periods that fit in the link pool ----------------- */

/* Skipped periods create no links, but their links must fit. */
static void skipped_periods_use_up_links_of_the_path_pool(void **state)
{
    Fixture *f = *state;
    gpointer looks[2], period;
    uint64_t n_most, n_each;
    StateWords words;

    f->path->runs = FALSE;
    begin_link_chain(f, 0, NOW_PS - SIM_NS(3));
    extend_link_chain(f, 0);
    for (guint i = 0; i < 2; i++) {
        words = path_state_at(f, NOW_PS + i * SIM_NS(1), NULL);
        state_words_clear(&words);
        looks[i] = path_repeats.end_snapshot(f->path);
        if (i == 0)
            extend_link_chain(f, 0);
    }
    period = path_repeats.period_of_snapshots(f->path, looks[0], looks[1]);
    assert_non_null(period);
    n_each = chain_period_n_links_created(period);
    assert_true(n_each > 0);
    f->path->pool.max_links = f->path->pool.n_links + 10 * n_each;
    n_most = path_repeats.max_periods_to_skip(f->path, period, 100);
    assert_int_equal(n_most, 10);
    assert_int_equal(path_repeats.max_periods_to_skip(f->path, period, 3), 3);
    f->path->pool.max_links = f->path->pool.n_links + 1000 * n_each;
    path_repeats.skipped(f->path, period, 4, SIM_NS(4), 0);
    f->path->pool.max_links = f->path->pool.n_links + 10 * n_each;
    assert_int_equal(path_repeats.max_periods_to_skip(f->path, period, 100), 6);
    /* The next wait begins with the whole pool of links. */
    f->path->since_ps++;
    assert_int_equal(path_repeats.max_periods_to_skip(f->path, period, 100),
                     10);
    path_repeats.free_period(period);
    path_repeats.free_snapshot(looks[0]);
    path_repeats.free_snapshot(looks[1]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(path_state_has_whether_the_npu_waits),
        TEST(path_state_has_the_reason_and_length_of_a_wait),
        TEST(path_state_ignores_the_wait_since_the_issue),
        TEST(path_state_has_which_chunk_waits),
        TEST(path_state_has_which_chunk_has_a_link_chain),
        TEST(path_state_has_the_end_of_a_link_chain),
        TEST(path_state_has_whether_a_link_chain_is_known),
        TEST(skipped_periods_use_up_links_of_the_path_pool),
    };

    return cmocka_run_group_tests_name("path_state", tests, NULL, NULL);
}
