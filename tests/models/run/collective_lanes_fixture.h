/*
 * collective_lanes_fixture.h - programs with lanes, and a log of their
 * collectives
 *
 * A ring of four has one link of 25 GB/s (40 ps per byte) and 500 ns in each
 * direction. The endpoint is ideal, a collective has one chunk, and a block is
 * one message. An all-reduce of S bytes alone takes six hops of S / 4 bytes,
 * see
 * all_reduce_ps(). */
#ifndef TESTS_MODELS_RUN_COLLECTIVE_LANES_FIXTURE_H
#define TESTS_MODELS_RUN_COLLECTIVE_LANES_FIXTURE_H

#include "tests/system_fixture.h"

#include "models/observe/verify_collectives.h"

#define WHOLE                                                                  \
    "{chunk: 1 GiB, message: 1 GiB, window: 64, algorithm: ring, "             \
    "packet: 256 B}"
#define IDEAL "{kind: ideal, message_cycles: 0}"
#define US(n) ((SimTime)(n)*1000000)

static inline SimTime all_reduce_ps(uint64_t bytes)
{
    g_assert(bytes % 4 == 0);
    return 6 * (bytes / 4 * 40 + 500000);
}

/* ---- programs with lanes ------------------------------------------------- */

/* A kernel that takes @us, the next one of its stream. */
#define KERNEL(name, us)                                                       \
    "{kind: kernel, name: " name ", flop: 1, time: " #us " us}, "
/* An all-reduce after operation @after, in collective lane @lane. */
#define REDUCE(name, after, bytes, lane)                                       \
    "{kind: collective, collective: all-reduce, name: " name                   \
    ", after: [" after "], bytes: " #bytes " B, lane: " lane "}, "
#define URGENT(name, after, bytes, lane, priority)                             \
    "{kind: collective, collective: all-reduce, name: " name                   \
    ", after: [" after "], bytes: " #bytes " B, lane: " lane                   \
    ", priority: " #priority "}, "

static inline const char *lanes_program_text(const char *lanes, const char *ops)
{
    return format_text(
        "{kind: program, name: p, lanes: [%s], roles: [{name: all, "
        "ops: [%s]}]}",
        lanes, ops);
}

static inline Setup lanes_setup(const char *lanes, const char *ops,
                                uint32_t n_iterations)
{
    return (Setup){ .endpoint = IDEAL,
                    .collectives = WHOLE,
                    .workload = lanes_program_text(lanes, ops),
                    .training =
                        format_text("{iterations: %u, compute: measured, "
                                    "optimiser: none, drain: true}",
                                    n_iterations) };
}

/* ---- log of the collectives of NPU 0 ------------------------------------- */

typedef struct {
    Run run;
    /* The log has a line such as "begins a 12.5\n" per event, with times in
     * us. */
    GString *text;
    const char *const *kinds;
} WatchedRun;

static inline const char *operation_name_at(const WatchedRun *w, uint32_t op)
{
    const OpGraph *graph = system_graph(w->run.system);

    return g_ptr_array_index(graph->layers, op_graph_op(graph, op)->layer);
}

static inline void record_operation_event(gpointer self, uint32_t npu,
                                          const char *event, uint32_t op,
                                          SimTime now_ps)
{
    WatchedRun *w = self;

    if (npu != 0)
        return;
    g_string_append_printf(w->text, "%s %s %.6g\n", event,
                           operation_name_at(w, op), (double)now_ps / 1e6);
}

static inline void record_operation_begin(gpointer self, uint32_t npu,
                                          uint32_t op, uint64_t iteration,
                                          SimTime now_ps)
{
    (void)iteration;
    record_operation_event(self, npu, "begins", op, now_ps);
}

static inline void record_operation_end(gpointer self, uint32_t npu,
                                        uint32_t op, uint64_t iteration,
                                        SimTime now_ps)
{
    (void)iteration;
    record_operation_event(self, npu, "ends", op, now_ps);
}

/* Returns a log of the collectives of NPU 0. The run verifies all data. */
static inline const char *operation_events_text(const Setup *setup)
{
    static const TraceOps ops = { .ahead = TRUE,
                                  .collective_begins = record_operation_begin,
                                  .collective_ends = record_operation_end };
    GError *error = NULL;
    Verify *verify;
    WatchedRun w = { .text = g_string_new(NULL) };
    const char *log;

    read_run_setup(&w.run, setup);
    w.run.system =
        system_new(&w.run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    verify = verify_listen_to_system(w.run.system, &error);
    assert_no_error(error);
    system_add_listener(w.run.system, &ops, &w);
    (void)!system_run(w.run.system, &error);
    assert_no_error(error);
    assert_true(verify_n_finished_chunks(verify) > 0);
    collective_verifier_free(verify);
    run_clear(&w.run);
    log = keep_text_until_exit(w.text->str);
    (void)g_string_free(w.text, TRUE);
    return log;
}

#endif
