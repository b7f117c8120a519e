/*
 * test_segment_runs.c - runs of random programs of segments
 *
 * Each program is run with symmetry folding and in full, and as the flat
 * program that `export --flat` writes.  All three take the same times, and the
 * data of the collectives is proved.
 */
#include <unistd.h>

#include "tests/system_fixture.h"
#include "tests/workloads/segments_fixture.h"

#include "models/observe/verify_collectives.h"
#include "sim/study/export/flat_program.h"

#define N_DRAWS 60

static const char *draw_topology_text(GRand *rand, const DrawnSegments *drawn)
{
    uint32_t inner = drawn->tp * drawn->dp;

    switch (g_rand_int_range(
        rand, 0, drawn->tp > 1 && drawn->dp * drawn->pp > 1 ? 3 : 2)) {
    case 0:
        return format_text("{kind: switch, npus: %u, links: 1, bandwidth: 64 "
                           "GB/s, latency: 128 ns}",
                           inner * drawn->pp);
    case 1:
        return format_text("{kind: torus, dims: [{size: %u, links: 2, "
                           "bandwidth: 64 GB/s, latency: 64 ns}, {size: %u, "
                           "links: 2, bandwidth: 32 GB/s, latency: 128 ns}]}",
                           inner, drawn->pp);
    default:
        return format_text(
            "{kind: nested, count: %u, inner: {kind: switch, npus: %u, links: "
            "1, bandwidth: 64 GB/s, latency: 64 ns}, nics: %u, nic: "
            "{bandwidth: 32 GB/s, latency: 32 ns}, rails: true, outer: {kind: "
            "switch, npus: %u, bandwidth: 32 GB/s, latency: 128 ns}}",
            drawn->dp * drawn->pp, drawn->tp, drawn->tp, drawn->dp * drawn->pp);
    }
}

static Setup draw_setup(GRand *rand)
{
    DrawnSegments drawn = draw_segments(rand);
    g_autofree char *workload = segments_yaml(rand, &drawn);

    while (drawn.tp * drawn.dp * drawn.pp < 2) {
        drawn = draw_segments(rand);
        g_free(workload);
        workload = segments_yaml(rand, &drawn);
    }
    return (Setup){ .topology = draw_topology_text(rand, &drawn),
                    .workload = keep_text_until_exit(workload),
                    .training = "{iterations: 2, compute: measured, optimiser: "
                                "none}",
                    .collectives = "{chunk: 32 KiB, message: 32 KiB}" };
}

/* Runs @setup in full and checks that all collectives carry their data. */
static SystemResult verify_setup(const Setup *setup)
{
    GError *error = NULL;
    SystemResult result;
    Verify *verify;
    Run run;

    read_run_setup(&run, setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    verify = verify_listen_to_system(run.system, &error);
    assert_no_error(error);
    assert_true(system_run(run.system, &error));
    verify_close_finished_run(verify, 2);
    if (verify_first_error(verify))
        fail_msg("%s", verify_first_error(verify));
    result = system_result(run.system);
    collective_verifier_free(verify);
    run_clear(&run);
    return result;
}

/* Writes the flat program of @setup to @path and returns a setup that runs
 * it. */
static Setup write_flat_setup(const Setup *setup, const char *path)
{
    GError *error = NULL;
    Setup flat = *setup;
    GString *text;
    Run run;

    read_run_setup(&run, setup);
    text = flat_program_export(&run.config, &error);
    assert_no_error(error);
    assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
    g_string_free(text, TRUE);
    run_clear(&run);
    flat.workload = format_text("'%s'", path);
    return flat;
}

static void assert_same_times(const SystemResult *a, const SystemResult *b,
                              const char *what, const Setup *setup)
{
    if (a->iteration_ps != b->iteration_ps || a->compute_ps != b->compute_ps ||
        a->sent_bytes != b->sent_bytes)
        fail_msg("%s differs: %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT
                 " ps on %s: %s",
                 what, a->iteration_ps, b->iteration_ps, setup->topology,
                 setup->workload);
}

static void test_segments_run_as_their_flat_program(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(11);
    g_autofree char *path =
        g_strdup_printf("%s/flat-%d.yaml", g_get_tmp_dir(), (int)getpid());
    guint n_folded = 0;

    (void)state;
    for (guint i = 0; i < N_DRAWS; i++) {
        Setup setup = draw_setup(rand);
        SystemResult folded = simulate_setup(&setup);
        SystemResult full = verify_setup(&setup);
        Setup flat_setup = write_flat_setup(&setup, path);
        SystemResult flat = simulate_setup(&flat_setup);

        n_folded += folded.n_simulated < full.n_simulated;
        assert_same_times(&folded, &full, "the folded run", &setup);
        assert_same_times(&folded, &flat, "the flat program", &setup);
    }
    assert_int_equal(unlink(path), 0);
    assert_true(n_folded > N_DRAWS / 4);
}

/* Draws a language model on at most 64 NPUs. */
static Setup draw_transformer(GRand *rand)
{
    static const char *const schedules[] = { "1f1b",    "gpipe", "interleaved",
                                             "zb-h1",   "zb-h2", "zb-v",
                                             "dualpipe" };
    /* the last two need experts */
    static const char *const recomputes[] = {
        "none",        "selective",    "full",
        "[attention]", "[mlp, norms]", "[activations, shared_experts, norms]",
        "[experts]",
    };
    static const char *const shards[] = {
        "replicated",
        "zero-1",
        "replicated, overlap: true, bucket: 5000",
        "zero-1, overlap: true",
        "zero-1, overlap: true, bucket: 5000",
        "zero-2",
        "zero-2, overlap: false",
        "fsdp",
        "fsdp, prefetch: 3",
        "fsdp, overlap: false",
        "hsdp, within: 2",
        "hsdp, within: 2, prefetch: 3",
        "hsdp, within: 2, overlap: false",
    };
    const char *schedule = schedules[g_rand_int_range(rand, 0, 7)];
    DrawnSegments drawn = { .tp = 1U << g_rand_int_range(rand, 0, 3),
                            .pp = 1U << g_rand_int_range(rand, 0, 3),
                            .dp = 1U << g_rand_int_range(rand, 1, 3) };
    gboolean has_experts = g_rand_boolean(rand);
    uint32_t ep = has_experts ? 1U << g_rand_int_range(rand, 0, 3) : 1;
    /* half of the systems with experts send tokens by node */
    const char *local =
        g_rand_boolean(rand) ? ", ep_local: 2, ep_spread: true" : "";
    const char *recompute =
        recomputes[g_rand_int_range(rand, 0, has_experts ? 7 : 5)];
    const char *shard = shards[g_rand_int_range(rand, 0, G_N_ELEMENTS(shards))];
    uint32_t n_micro_batches =
        drawn.pp * (uint32_t)g_rand_int_range(rand, 1, 4);

    if (g_str_equal(schedule, "dualpipe")) {
        if (drawn.pp == 1)
            schedule = "1f1b";
        else if (g_str_has_prefix(shard, "zero-2") ||
                 g_str_has_prefix(shard, "fsdp") ||
                 g_str_has_prefix(shard, "hsdp"))
            shard = "zero-1, overlap: true, bucket: 5000";
        n_micro_batches = 2 * MAX(n_micro_batches, drawn.pp);
    }
    if (drawn.dp == 2 && g_str_has_prefix(shard, "hsdp"))
        drawn.dp = 4; /* two groups of two */
    while ((drawn.tp * drawn.dp) % ep != 0)
        ep /= 2;
    return (Setup){
        .topology = draw_topology_text(rand, &drawn),
        .workload = format_text(
            "{kind: transformer, model: {name: m, layers: 9, hidden: 64, "
            "heads: 8, kv_heads: 4, ffn: 96, vocabulary: 104%s}, sequence: "
            "256, batch: {global: %u}, parallel: {tp: %u, pp: %u, ep: %u%s}, "
            "schedule: {kind: %s%s}, recompute: %s, shard: {kind: %s}}",
            has_experts
                ? ", experts: {count: 8, per_token: 2, ffn: 32, shared: "
                  "1, dense_layers: 2}"
                : "",
            drawn.dp * n_micro_batches, drawn.tp, drawn.pp, ep,
            ep > 1 ? local : "", schedule,
            g_str_equal(schedule, "interleaved") ? ", chunks: 2" : "",
            recompute, shard),
        .training = "{iterations: 2, precision: bf16, optimiser: adam}",
        .collectives = "{chunk: 32 KiB, message: 32 KiB}"
    };
}

static void test_language_models_run_as_their_flat_program(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(12);
    g_autofree char *path =
        g_strdup_printf("%s/model-%d.yaml", g_get_tmp_dir(), (int)getpid());

    (void)state;
    for (guint i = 0; i < N_DRAWS; i++) {
        Setup setup = draw_transformer(rand);
        SystemResult folded = simulate_setup(&setup);
        SystemResult full = verify_setup(&setup);
        Setup flat_setup = write_flat_setup(&setup, path);
        SystemResult flat = simulate_setup(&flat_setup);

        assert_same_times(&folded, &full, "the folded run", &setup);
        assert_same_times(&folded, &flat, "the flat program", &setup);
    }
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_run_as_their_flat_program),
        cmocka_unit_test(test_language_models_run_as_their_flat_program),
    };

    return cmocka_run_group_tests_name("segment runs", tests, NULL, NULL);
}
