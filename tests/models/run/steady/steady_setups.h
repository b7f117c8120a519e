/*
 * steady_setups.h - draws run files in which the same work repeats
 */
#ifndef TESTS_MODELS_RUN_STEADY_STEADY_SETUPS_H
#define TESTS_MODELS_RUN_STEADY_STEADY_SETUPS_H

#include "tests/models/run/fold/unfold_case.h"
#include "tests/system_fixture.h"

#include "models/run/steady/skip_mode.h"

static const char *const endpoint_texts[] = {
    "{kind: ideal}",
    "{kind: ideal, message_cycles: 300, step_time: 200 ns}",
    "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
    "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s, launch_time: 3 us}",
    ("{kind: baseline, sms: 80, memory_bandwidth: 90 GB/s, "
     "only_while_communicating: true}"),
    "{kind: ace, sram: 256 KiB}",
    "{kind: ace, sram: 44 KiB, fsms: 6, chunks_per_fsm: 1, alu_width: 4 B}",
    "{kind: ace, sram: 1 MiB, only_while_communicating: true}",
    ("{kind: copy-engine, engines: 3, copy_launch: 200 ns, sms: 2, "
     "memory_bandwidth: 60 GB/s}"),
    ("{kind: copy-engine, engines: 1, engine_bandwidth: 90 GB/s, copy_launch: "
     "0 ns, sms: 6, memory_bandwidth: 450 GB/s, only_while_communicating: "
     "false}"),
    ("{kind: host, staging_bandwidth: 40 GB/s, reduce_bandwidth: 60 GB/s, "
     "message_bandwidth: 50 GB/s}"),
    ("{kind: host, staging_bandwidth: 60 GB/s, staging_launch: 1 us, "
     "buffer_bandwidth: 90 GB/s, reduce_bandwidth: 40 GB/s, scale_bandwidth: "
     "50 GB/s, copies_back: 2, message_cycles: 300}"),
};

static const char *const npus[] = {
    "{sms: 80, clock: 1245 MHz, flops: 20 TFLOPS, hbm: {bandwidth: 900 GB/s}}",
    "{sms: 80, clock: 1 GHz, flops: 20 TFLOPS, fabric_bus: 20 GB/s, "
    "hbm: {bandwidth: 250 GB/s}}",
    "{sms: 80, clock: 1245 MHz, flops: 10 TFLOPS, "
    "hbm: {bandwidth: 250 GB/s, policy: shared}}",
};

static const char *const collectives[] = { "all-reduce", "reduce-scatter",
                                           "all-gather", "all-to-all" };

static const char *const schedulers[] = { "lifo", "fifo", "priority",
                                          "lifo, preempt: false",
                                          "fifo, preempt: false" };

static const char *const trainings[] = {
    "{iterations: 1}",
    "{iterations: 2}",
    "{iterations: 2, overlap: false}",
    "{iterations: 3, optimised: true, drain: false}",
};

#define PICK(rand, from)                                                       \
    ((from)[g_rand_int_range((rand), 0, (gint32)G_N_ELEMENTS(from))])

static inline const char *draw_topology_text(GRand *rand)
{
    g_autoptr(GString) text = NULL;
    int n_dims = g_rand_int_range(rand, 1, 4);

    if (g_rand_int_range(rand, 0, 4) == 0)
        return format_text(
            "{kind: %s, npus: %d, links: %d, bandwidth: 25 GB/s, "
            "latency: %d ns}",
            g_rand_boolean(rand) ? "switch" : "fully-connected",
            g_rand_int_range(rand, 2, 6), g_rand_int_range(rand, 1, 3),
            g_rand_int_range(rand, 0, 600));
    text = g_string_new("{kind: torus, dims: [");
    for (int d = 0; d < n_dims; d++) {
        gboolean both = g_rand_boolean(rand);

        g_string_append_printf(
            text,
            "%s{size: %d, direction: %s, links: %d, bandwidth: %d GB/s, "
            "latency: %d ns}",
            d > 0 ? ", " : "", g_rand_int_range(rand, 1, n_dims < 2 ? 6 : 4),
            both ? "both" : "one", g_rand_int_range(rand, 1, 3) * (1 + both),
            g_rand_int_range(rand, 1, 5) * 16,
            g_rand_int_range(rand, 0, 3) * 64);
    }
    g_string_append(text, "]}");
    return keep_text_until_exit(text->str);
}

static inline const char *draw_workload_text(GRand *rand, int chunk_bytes)
{
    int n = g_rand_int_range(rand, 100, 500);
    int more_bytes = g_rand_boolean(rand) ? 0 : g_rand_int_range(rand, 1, 1000);

    if (g_rand_int_range(rand, 0, 3) > 0)
        return format_text("{kind: collective, name: c, collective: %s, "
                           "payload: %d B, repeat: %d}",
                           PICK(rand, collectives),
                           n * chunk_bytes + more_bytes,
                           g_rand_int_range(rand, 1, 3));
    return format_text(
        "{kind: data-parallel, name: d, batch: %d, layers: ["
        "{kind: linear, name: a, in: 512, out: %d}, {kind: counted, name: gap1}, "
        "{kind: linear, name: b, in: 600, out: 1000}, {kind: counted, name: gap2}, "
        "{kind: linear, name: c, in: %d, out: 256}]}",
        g_rand_int_range(rand, 1, 64), 64 * g_rand_int_range(rand, 1, 24), n);
}

static inline void draw_steady_setup(GRand *rand, Setup *ret)
{
    int chunk_bytes =
        g_rand_boolean(rand) ? 8192 : g_rand_int_range(rand, 1000, 6000);

    *ret = (Setup){
        .topology = draw_topology_text(rand),
        .npu = PICK(rand, npus),
        .endpoint = PICK(rand, endpoint_texts),
        .workload = draw_workload_text(rand, chunk_bytes),
        .training = PICK(rand, trainings),
        .collectives = format_text(
            "{chunk: %d B, packet: %d B, message: %d B, window: %d, "
            "scheduler: %s, order: %s}",
            chunk_bytes, 128 << g_rand_int_range(rand, 0, 3),
            g_rand_boolean(rand) ? 8192 : 1024,
            1 << g_rand_int_range(rand, 0, 6), PICK(rand, schedulers),
            g_rand_boolean(rand) ? "fixed" : "rotated"),
    };
}

/* Draws a setup with a topology of @kind, in which messages of several senders
 * may share a link. */
static inline void draw_steady_setup_on(GRand *rand, const char *kind,
                                        Setup *ret)
{
    UnfoldCase place;

    unfold_case_init(&place, kind, UNFOLD_LOOP, g_rand_int(rand));
    draw_steady_setup(rand, ret);
    ret->topology = place.setup.topology;
}

/* Returns FALSE if the drawn system is refused. */
static inline gboolean run_with_skip_mode(const Setup *s, FoldMode fold,
                                          SkipMode skip, Run *run)
{
    GError *error = NULL;

    read_run_setup(run, s);
    run->system = system_new(
        &run->config, (RunOptions){ .fold = fold, .skip = skip }, &error);
    if (run->system) {
        if (!system_run(run->system, &error))
            fail_msg("%s: %s", setup_text(s), error->message);
        return TRUE;
    }
    assert_true(g_error_matches(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT));
    g_clear_error(&error);
    run_clear(run);
    return FALSE;
}

static inline void assert_equal_ports(const Setup *s, const System *a,
                                      const System *b)
{
    for (uint32_t p = 0; p < topology_n_ports(system_topology(a)); p++) {
        NetPortStats at = system_port_stats(a, p), bt = system_port_stats(b, p);

        if (memcmp(&at, &bt, sizeof at) != 0)
            fail_msg("%s: port %u differs", setup_text(s), p);
    }
}

#endif
