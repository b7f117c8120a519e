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
    run.system = system_new(&run.config, FOLD_OFF, &error);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_run_as_their_flat_program),
    };

    return cmocka_run_group_tests_name("segment runs", tests, NULL, NULL);
}
