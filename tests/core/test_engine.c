/* Tests of sim/core/engine.c and time.h */
#include "tests/core/death_signal.h"
#include "tests/core/event_log_fixture.h"

#include <stdlib.h>
#include <string.h>

/* ---- conversions and saturation of times --------------------------------- */

static void test_time_conversions_round_up_once(void **state)
{
    (void)state;
    /* The exact time is 803.2 ps, which is rounded up. */
    assert_int_equal(sim_time_from_cycles(1, 1245000000), 804);
    assert_int_equal(sim_time_from_cycles(1000, 1245000000), 803213);
    assert_int_equal(sim_time_from_bytes(64, UINT64_C(25000000000)), 2560);
    assert_int_equal(sim_time_from_bytes(1, SIM_PS_PER_SEC), 1);
    assert_int_equal(sim_time_from_bytes(1, SIM_PS_PER_SEC + 1), 1);
    assert_int_equal(sim_time_from_bytes(0, 1), 0);
    /* The product of 10^18 bytes needs an intermediate of more than 64 bits. */
    assert_int_equal(
        sim_time_from_bytes(UINT64_C(1000000000000000000), SIM_PS_PER_SEC),
        UINT64_C(1000000000000000000));
}

static void test_time_conversions_saturate_at_never(void **state)
{
    (void)state;
    assert_true(sim_time_from_bytes(UINT64_MAX, 1) == SIM_TIME_MAX);
    assert_true(sim_time_from_bytes(UINT64_MAX, SIM_PS_PER_SEC) == UINT64_MAX);
    assert_true(sim_time_add(SIM_TIME_MAX, 1) == SIM_TIME_MAX);
    assert_true(sim_time_add(1, SIM_TIME_MAX) == SIM_TIME_MAX);
    assert_true(sim_time_add(SIM_TIME_MAX - 1, 1) == SIM_TIME_MAX);
    assert_true(sim_time_add(SIM_TIME_MAX - 2, 1) == SIM_TIME_MAX - 1);
    assert_int_equal(sim_time_add(SIM_NS(1), SIM_US(1)), 1001000);
}

/* The largest products that fit into 64 bits, with and without the term for
 * rounding up, and the smallest that do not. */
static void test_64_and_128_bit_divisions_agree_at_their_boundary(void **state)
{
    static const uint64_t rates[] = { 1,
                                      3,
                                      UINT64_C(73709551616),
                                      UINT64_C(73709551617),
                                      UINT64_MAX - 1,
                                      UINT64_MAX };
    uint64_t most = UINT64_MAX / SIM_PS_PER_SEC;

    (void)state;
    for (gsize r = 0; r < G_N_ELEMENTS(rates); r++)
        for (uint64_t n = most - 3; n <= most + 3; n++)
            assert_int_equal(sim_time_from_rate(n, rates[r]),
                             sim_time_from_wide_rate(n, rates[r]));
    assert_true(sim_time_from_rate(most, 1) == most * SIM_PS_PER_SEC);
    assert_true(sim_time_from_rate(most + 1, 1) == SIM_TIME_MAX);
    assert_int_equal(sim_time_from_rate(1, UINT64_MAX), 1);
}

/* ---- events that log one letter each ------------------------------------- */

static void test_events_run_in_the_order_of_time(void **state)
{
    Fixture *f = *state;

    schedule_letter_at(f, SIM_NS(3), SIM_PHASE_DELIVER, 'c');
    schedule_letter_at(f, SIM_NS(1), SIM_PHASE_SAMPLE, 'a');
    schedule_letter_at(f, SIM_NS(2), SIM_PHASE_ACT, 'b');
    assert_int_equal(sim_engine_run(f->engine, SIM_TIME_MAX), 3);
    assert_string_equal(f->log->str, "abc");
    assert_int_equal(sim_engine_now_ps(f->engine), SIM_NS(3));
}

static void
test_simultaneous_events_run_by_phase_then_schedule_order(void **state)
{
    Fixture *f = *state;

    schedule_letter_at(f, 5, SIM_PHASE_SAMPLE, 's');
    schedule_letter_at(f, 5, SIM_PHASE_LINK, 'l');
    schedule_letter_at(f, 5, SIM_PHASE_ACT, 'a');
    schedule_letter_at(f, 5, SIM_PHASE_ACT, 'b');
    schedule_letter_at(f, 5, SIM_PHASE_DELIVER, 'd');
    schedule_letter_at(f, 5, SIM_PHASE_LINK, 'm');
    schedule_letter_at(f, 5, SIM_PHASE_DELIVER, 'e');
    assert_int_equal(sim_engine_run(f->engine, SIM_TIME_MAX), 7);
    assert_string_equal(f->log->str, "deablms");
}

static void test_an_engine_run_ends_after_n_max_events(void **state)
{
    Fixture *f = *state;

    for (char c = 'a'; c <= 'c'; c++)
        schedule_letter_at(f, 5, SIM_PHASE_ACT, c);
    assert_int_equal(sim_engine_run_events(f->engine, 2), 2);
    assert_string_equal(f->log->str, "ab");
    assert_int_equal(sim_engine_run_events(f->engine, 2), 1);
    assert_int_equal(sim_engine_run_events(f->engine, 2), 0);
    assert_string_equal(f->log->str, "abc");
}

static void test_an_engine_run_can_be_continued(void **state)
{
    Fixture *f = *state;

    assert_int_equal(sim_engine_run(f->engine, 9), 0);
    schedule_letter_at(f, 10, SIM_PHASE_SAMPLE, 'a');
    schedule_letter_at(f, 11, SIM_PHASE_DELIVER, 'b');
    schedule_letter_at(f, 12, SIM_PHASE_DELIVER, 'c');
    assert_int_equal(sim_engine_run(f->engine, 9), 0);
    assert_int_equal(sim_engine_run(f->engine, 10), 1);
    assert_string_equal(f->log->str, "a");
    assert_int_equal(sim_engine_run(f->engine, 10), 0);
    assert_int_equal(sim_engine_run(f->engine, 11), 1);
    assert_int_equal(sim_engine_run(f->engine, SIM_TIME_MAX), 1);
    assert_string_equal(f->log->str, "abc");
    assert_int_equal(sim_engine_run(f->engine, SIM_TIME_MAX), 0);
    assert_int_equal(sim_engine_now_ps(f->engine), 12);
}

/* Each event at time 7 schedules one in its own phase and in every later
 * phase. */
static void log_and_schedule_again(gpointer self, uint32_t phase,
                                   SimTime now_ps)
{
    Fixture *f = self;

    g_string_append_c(f->log, (char)('A' + phase));
    for (SimPhase p = (SimPhase)phase; p <= SIM_PHASE_SAMPLE; p++)
        schedule_letter_at(f, now_ps, p, (char)('a' + p));
}

static void test_events_scheduled_now_run_at_this_time(void **state)
{
    Fixture *f = *state;

    schedule_letter_at(f, 8, SIM_PHASE_DELIVER, '!');
    sim_engine_schedule(f->engine, 7, SIM_PHASE_LINK, log_and_schedule_again, f,
                        SIM_PHASE_LINK);
    sim_engine_schedule(f->engine, 7, SIM_PHASE_DELIVER, log_and_schedule_again,
                        f, SIM_PHASE_DELIVER);
    schedule_letter_at(f, 7, SIM_PHASE_DELIVER, '+');
    sim_engine_run(f->engine, 7);
    /* DELIVER: A, then the events scheduled before it ran, then those it
     * scheduled.  C was scheduled in LINK before A added to LINK. */
    assert_string_equal(f->log->str, "A+abCccdd");
    sim_engine_run(f->engine, SIM_TIME_MAX);
    assert_string_equal(f->log->str, "A+abCccdd!");
}

/* ---- random events run in the total order -------------------------------- */

enum { N_EVENTS = 3000 };

typedef struct {
    SimTime at_ps;
    SimPhase phase;
    uint32_t seq;
} Record;

typedef struct {
    SimEngine *engine;
    GRand *rand;
    Record scheduled[N_EVENTS]; /* The events are indexed by sequence number. */
    uint32_t ran[N_EVENTS];
    uint32_t n_scheduled, n_ran;
} RandomSchedule;

static void record_event_and_schedule_more(gpointer self, uint32_t seq,
                                           SimTime now_ps);

static void schedule_random_world_event(RandomSchedule *w, SimTime at_ps,
                                        SimPhase phase)
{
    uint32_t seq = w->n_scheduled++;

    w->scheduled[seq] = (Record){ at_ps, phase, seq };
    sim_engine_schedule(w->engine, at_ps, phase, record_event_and_schedule_more,
                        w, seq);
}

static void schedule_event_at_random_time(RandomSchedule *w, SimTime now_ps,
                                          SimPhase from)
{
    static const uint32_t spans[] = { 1, 3, 100, 1000000 };
    SimTime at_ps =
        now_ps + g_rand_int(w->rand) % spans[g_rand_int(w->rand) % 4];
    SimPhase phase = (SimPhase)(g_rand_int(w->rand) % 4);

    schedule_random_world_event(w, at_ps,
                                at_ps == now_ps ? MAX(phase, from) : phase);
}

static void record_event_and_schedule_more(gpointer self, uint32_t seq,
                                           SimTime now_ps)
{
    RandomSchedule *w = self;
    guint n_new = g_rand_int(w->rand) % 3;

    assert_int_equal(now_ps, w->scheduled[seq].at_ps);
    assert_int_equal(sim_engine_now_ps(w->engine), now_ps);
    w->ran[w->n_ran++] = seq;
    for (guint i = 0; i < n_new && w->n_scheduled < N_EVENTS; i++)
        schedule_event_at_random_time(w, now_ps, w->scheduled[seq].phase);
}

static int compare_by_total_order(const void *left, const void *right)
{
    const Record *a = left, *b = right;

    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static void check_total_event_order(guint32 seed, SimTime slice_ps)
{
    RandomSchedule *w = g_new0(RandomSchedule, 1);
    uint64_t n_run = 0;

    w->engine = sim_engine_new();
    w->rand = g_rand_new_with_seed(seed);
    while (w->n_scheduled < 400)
        schedule_event_at_random_time(w, 0, SIM_PHASE_DELIVER);
    for (SimTime until_ps = slice_ps; until_ps < SIM_US(1);
         until_ps += slice_ps)
        n_run += sim_engine_run(w->engine, until_ps);
    n_run += sim_engine_run(w->engine, SIM_TIME_MAX);

    assert_int_equal(n_run, w->n_scheduled);
    assert_int_equal(w->n_ran, w->n_scheduled);
    qsort(w->scheduled, w->n_scheduled, sizeof(Record), compare_by_total_order);
    for (uint32_t i = 0; i < w->n_ran; i++)
        assert_int_equal(w->ran[i], w->scheduled[i].seq);
    sim_engine_free(w->engine);
    g_rand_free(w->rand);
    g_free(w);
}

static void test_all_events_run_once_in_total_order(void **state)
{
    (void)state;
    for (guint32 seed = 1; seed <= 20; seed++) {
        /* The engine runs all events in one call. */
        check_total_event_order(seed, SIM_US(1));
        /* The engine runs the events in many short slices. */
        check_total_event_order(seed, 977);
    }
}

/* ---- scheduling errors that abort ---------------------------------------- */

static void ignore_event(gpointer self, uint32_t arg, SimTime now_ps)
{
    (void)self;
    (void)arg;
    (void)now_ps;
}

static void schedule_one_picosecond_ago(gpointer self, uint32_t arg,
                                        SimTime now_ps)
{
    (void)arg;
    sim_engine_schedule(self, now_ps - 1, SIM_PHASE_SAMPLE, ignore_event, NULL,
                        0);
}

static void schedule_now_in_phase(gpointer self, uint32_t phase, SimTime now_ps)
{
    sim_engine_schedule(self, now_ps, (SimPhase)phase, ignore_event, NULL, 0);
}

static void run_and_schedule_in_the_past(gpointer engine)
{
    sim_engine_schedule(engine, 5, SIM_PHASE_DELIVER,
                        schedule_one_picosecond_ago, engine, 0);
    sim_engine_run(engine, SIM_TIME_MAX);
}

static void run_and_schedule_in_finished_phase(gpointer engine)
{
    sim_engine_schedule(engine, 5, SIM_PHASE_ACT, schedule_now_in_phase, engine,
                        SIM_PHASE_DELIVER);
    sim_engine_run(engine, SIM_TIME_MAX);
}

static void run_and_schedule_in_same_phase(gpointer engine)
{
    sim_engine_schedule(engine, 5, SIM_PHASE_ACT, schedule_now_in_phase, engine,
                        SIM_PHASE_ACT);
    sim_engine_run(engine, SIM_TIME_MAX);
}

static void run_and_schedule_within_range(gpointer engine)
{
    sim_engine_schedule(engine, (UINT64_C(1) << 62) - 1, SIM_PHASE_SAMPLE,
                        ignore_event, NULL, 0);
    g_assert(sim_engine_run(engine, SIM_TIME_MAX) == 1);
}

static void test_events_beyond_the_time_range_are_reported(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();

    (void)state;
    assert_false(sim_engine_exceeded_time_range(engine));
    sim_engine_schedule(engine, SIM_ENGINE_MAX_PS, SIM_PHASE_SAMPLE,
                        ignore_event, NULL, 0);
    assert_false(sim_engine_exceeded_time_range(engine));
    sim_engine_schedule(engine, SIM_ENGINE_MAX_PS + 1, SIM_PHASE_ACT,
                        ignore_event, NULL, 0);
    assert_true(sim_engine_exceeded_time_range(engine));
    sim_engine_schedule(engine, SIM_TIME_MAX, SIM_PHASE_ACT, ignore_event, NULL,
                        0);
    assert_int_equal(sim_engine_run(engine, SIM_TIME_MAX), 1);
}

static void test_scheduling_the_past_aborts(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();

    (void)state;
    assert_int_equal(
        death_signal_of_child(run_and_schedule_in_the_past, engine), SIGABRT);
    assert_int_equal(
        death_signal_of_child(run_and_schedule_in_finished_phase, engine),
        SIGABRT);
    assert_int_equal(
        death_signal_of_child(run_and_schedule_in_same_phase, engine), 0);
    assert_int_equal(
        death_signal_of_child(run_and_schedule_within_range, engine), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_conversions_round_up_once),
        cmocka_unit_test(test_time_conversions_saturate_at_never),
        cmocka_unit_test(test_64_and_128_bit_divisions_agree_at_their_boundary),
        cmocka_unit_test_setup_teardown(test_events_run_in_the_order_of_time,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_simultaneous_events_run_by_phase_then_schedule_order, setup,
            teardown),
        cmocka_unit_test_setup_teardown(test_an_engine_run_can_be_continued,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_an_engine_run_ends_after_n_max_events, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_events_scheduled_now_run_at_this_time, setup, teardown),
        cmocka_unit_test(test_all_events_run_once_in_total_order),
        cmocka_unit_test(test_events_beyond_the_time_range_are_reported),
        cmocka_unit_test(test_scheduling_the_past_aborts),
    };

    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
