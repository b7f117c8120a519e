/* Tests of models/trace/listener_list.h and models/run/trace_listeners.c:
 * listeners change nothing in a run, but may end it. */
#include "models/observe/verify_collectives.h"
#include "models/run/steady/skip_mode.h"
#include "tests/system_fixture.h"

typedef struct {
    uint64_t n_chunks, n_sent, n_arrived, n_handled, n_links, n_ends;
    /* The number of sent steps after which the listener ends the run; 0 for
     * never. */
    uint64_t n_most;
    gboolean is_done;
} HeardEvents;

static void count_chunk_gone(gpointer self, const Chunk *chunk, SimTime now_ps)
{
    HeardEvents *heard = self;

    (void)chunk;
    (void)now_ps;
    heard->n_chunks++;
}

static void count_message_sent(gpointer self, const TraceStep *step,
                               uint32_t message, uint64_t bytes, SimTime now_ps)
{
    HeardEvents *heard = self;

    (void)message;
    (void)now_ps;
    assert_true(step->npu < 4 && step->phase < step->chunk->plan->n_phases);
    assert_true(bytes > 0);
    heard->n_sent++;
}

static void count_message_arrival(gpointer self, const TraceStep *step,
                                  uint32_t message, uint64_t bytes,
                                  SimTime now_ps)
{
    HeardEvents *heard = self;

    (void)step;
    (void)message;
    (void)bytes;
    (void)now_ps;
    heard->n_arrived++;
}

static void count_message_handled(gpointer self, const TraceStep *step,
                                  gboolean added, SimTime now_ps)
{
    HeardEvents *heard = self;

    (void)step;
    (void)added;
    (void)now_ps;
    heard->n_handled++;
}

static void count_link_use(gpointer self, uint32_t npu, uint32_t port,
                           uint32_t message, SimTime ready_ps, SimTime free_ps,
                           SimTime end_ps, SimTime now_ps)
{
    HeardEvents *heard = self;

    (void)npu;
    (void)port;
    (void)message;
    (void)ready_ps;
    (void)free_ps;
    assert_true(end_ps >= now_ps);
    heard->n_links++;
}

static gboolean stop_run_at_first_call(gpointer self)
{
    const HeardEvents *heard = self;

    return heard->n_most > 0 && heard->n_sent >= heard->n_most;
}

static gboolean ends(gpointer self, const TraceEnd *end, GError **error)
{
    HeardEvents *heard = self;

    heard->n_ends++;
    heard->is_done = end->is_done;
    if (!stop_run_at_first_call(self))
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR, "enough");
    return FALSE;
}

#define HEARS                                                                  \
    .chunk_gone = count_chunk_gone, .step_sent = count_message_sent,           \
    .step_arrives = count_message_arrival,                                     \
    .step_handled = count_message_handled, .ends = ends

static const TraceOps ahead = { .ahead = TRUE, HEARS };
static const TraceOps timed = { .link = count_link_use, HEARS };
static const TraceOps stopping = { .ahead = TRUE,
                                   .stops = stop_run_at_first_call,
                                   HEARS };

static const Setup setup = { .collectives = "{chunk: 64 KiB}" };

/* Builds a run that skips no iteration: polls are events, so that numbers of
 * events would differ. */
static void build_listened_run(Run *run)
{
    GError *error = NULL;

    read_run_setup(run, &setup);
    run->system =
        system_new(&run->config,
                   (RunOptions){ .fold = FOLD_OFF, .skip = SKIP_OFF }, &error);
    assert_no_error(error);
}

static SystemResult run_with_listener(const TraceOps *ops, HeardEvents *heard)
{
    GError *error = NULL;
    SystemResult r;
    Run run;

    *heard = (HeardEvents){ 0 };
    build_listened_run(&run);
    if (ops)
        system_add_listener(run.system, ops, heard);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    r = system_result(run.system);
    run_clear(&run);
    return r;
}

/* 1 MiB in 16 chunks; a ring of 4 sends 6 steps of each chunk from each NPU. */
static void test_every_step_is_reported_to_all_trace_listeners(void **state)
{
    static const TraceOps *const all[] = { &ahead, &timed, &stopping };
    HeardEvents heard;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
        (void)run_with_listener(all[i], &heard);
        assert_int_equal(heard.n_chunks, 16);
        assert_true(heard.n_sent > 0 && heard.n_sent % (16 * 4 * 6) == 0);
        assert_int_equal(heard.n_arrived, heard.n_sent);
        assert_int_equal(heard.n_handled, heard.n_sent);
        assert_int_equal(heard.n_links, i == 1 ? heard.n_sent : 0);
        assert_int_equal(heard.n_ends, 1);
        assert_true(heard.is_done);
    }
}

static void test_trace_listeners_change_no_result(void **state)
{
    HeardEvents heard;
    SystemResult alone = run_with_listener(NULL, &heard),
                 r = run_with_listener(&ahead, &heard);

    (void)state;
    assert_memory_equal(&r, &alone, sizeof r);
    r = run_with_listener(&timed, &heard);
    /* The listener prevents that events are computed ahead of time. */
    assert_true(r.n_events > alone.n_events);
    r.n_events = alone.n_events;
    assert_memory_equal(&r, &alone, sizeof r);
}

static void test_a_trace_listener_may_end_the_run(void **state)
{
    HeardEvents heard = { .n_most = 100 }, other = { 0 };
    GError *error = NULL;
    Run run;

    (void)state;
    build_listened_run(&run);
    system_add_listener(run.system, &stopping, &heard);
    /* This listener is called first and does not end the run. */
    system_add_listener(run.system, &ahead, &other);
    assert_false(system_run(run.system, &error));
    assert_gerror(error, G_FILE_ERROR, G_FILE_ERROR_INTR, "enough");
    assert_true(heard.n_sent >= 100 && heard.n_sent < 16 * 4 * 6);
    assert_int_equal(other.n_sent, heard.n_sent);
    assert_int_equal(other.n_ends, 1);
    assert_false(other.is_done);
    run_clear(&run);
}

static void test_a_run_may_have_several_trace_listeners(void **state)
{
    HeardEvents heard = { 0 };
    GError *error = NULL;
    Verify *verify;
    Run run;

    (void)state;
    build_listened_run(&run);
    verify = verify_listen_to_system(run.system, &error);
    assert_non_null(verify);
    system_add_listener(run.system, &timed, &heard);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    assert_int_equal(verify_n_finished_chunks(verify), heard.n_chunks);
    collective_verifier_free(verify);
    run_clear(&run);
}

/* Listens in parts with no common event, and in two parts with common
 * events. */
static void test_a_partial_listener_gets_each_event_once_per_part(void **state)
{
    static const TraceOps chunks = { .chunk_gone = count_chunk_gone,
                                     .ends = ends };
    static const TraceOps steps = { .step_sent = count_message_sent,
                                    .ends = ends };
    static const TraceOps *const parts[] = { &chunks, &steps, &steps };

    (void)state;
    for (guint n = 2; n <= G_N_ELEMENTS(parts); n++) {
        HeardEvents heard = { 0 }, all = { 0 };
        GError *error = NULL;
        Run run;

        (void)run_with_listener(&timed, &all);
        build_listened_run(&run);
        for (guint i = 0; i < n; i++)
            system_add_listener(run.system, parts[i], &heard);
        assert_true(system_run(run.system, &error));
        assert_int_equal(heard.n_chunks, all.n_chunks);
        assert_int_equal(heard.n_sent, (n - 1) * all.n_sent);
        assert_int_equal(heard.n_ends, n);
        run_clear(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_step_is_reported_to_all_trace_listeners),
        cmocka_unit_test(test_trace_listeners_change_no_result),
        cmocka_unit_test(test_a_trace_listener_may_end_the_run),
        cmocka_unit_test(test_a_run_may_have_several_trace_listeners),
        cmocka_unit_test(test_a_partial_listener_gets_each_event_once_per_part),
    };

    return cmocka_run_group_tests_name("listen", tests, NULL, NULL);
}
