/* test_endpoint_kinds.c - Tests that walk the table of endpoint kinds.
 *
 * Every kind has a file in configs/endpoints. The endpoint of each file carries
 * out every collective and adds all operands, except those that demand the
 * switches of a machine and those for axes of parallelism, which are for a
 * stack and a workload that has axes. */
#include "tests/system_fixture.h"

#include "models/endpoints/endpoint.h"
#include "models/observe/verify_collectives.h"

#define FOLDER "configs/endpoints"

static const char *const topologies[] = {
    RING_4,
    "{kind: torus, dims: [{size: 4, " LINK_LOCAL "}, {size: 2, " LINK_GLOBAL
    "}, {size: 2, " LINK_GLOBAL "}]}",
    "{kind: switch, npus: 8, links: 3, bandwidth: 25 GB/s, latency: 500 ns}",
    "{kind: fully-connected, npus: 5, bandwidth: 25 GB/s, latency: 500 ns}",
};

static gboolean is_for_axes_or_switches(const ConfigVariant *endpoint)
{
    EndpointMembers members;

    endpoint_find_members(endpoint, &members);
    for (uint32_t i = 0; i < members.n; i++)
        if (endpoint_common(&members.endpoints[i])->algorithm)
            return TRUE;
    return g_str_equal(endpoint->kind->name, "by-axis");
}

/* Returns the kind of endpoint that ran. */
static const ConfigKind *check_endpoint_run(const Setup *setup)
{
    GError *error = NULL;
    const ConfigKind *kind;
    Verify *verify;
    Run run;

    read_run_setup(&run, setup);
    kind = run.config.endpoint.kind;
    if (is_for_axes_or_switches(&run.config.endpoint)) {
        run_clear(&run);
        return kind;
    }
    if (endpoint_n_auto_steps(&run.config.endpoint, &run.config.platform.npu) >
        0) {
        /* The search in sim/study/tune_endpoint.c chooses its values by runs,
         * so this test skips it. */
        run_clear(&run);
        return kind;
    }
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    verify = verify_listen_to_system(run.system, &error);
    assert_non_null(verify);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    assert_true(verify_n_finished_chunks(verify) > 0);
    collective_verifier_free(verify);
    run_clear(&run);
    return kind;
}

static const ConfigKind *check_config_file(const char *file)
{
    const ConfigKind *kind = NULL;

    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (CollKind c = 0; c < COLL_N_KINDS; c++)
            kind = check_endpoint_run(
                &(Setup){ .topology = topologies[t],
                          .endpoint = format_text(FOLDER "/%s", file),
                          .workload = single_collective_workload(c, 200001),
                          .collectives = "{chunk: 16 KiB, message: 1 KiB}" });
    return kind;
}

static void every_endpoint_kind_does_every_collective(void **state)
{
    g_autoptr(GDir) folder = g_dir_open(FOLDER, 0, NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    const char *file;

    (void)state;
    assert_non_null(folder);
    while ((file = g_dir_read_name(folder)))
        if (g_str_has_suffix(file, ".yaml"))
            g_hash_table_add(seen, (gpointer)(gsize)check_config_file(file));
    for (guint i = 0; endpoint_registry.kinds[i]; i++)
        if (!g_hash_table_contains(seen, endpoint_registry.kinds[i]))
            fail_msg("no file in " FOLDER " has kind %s",
                     endpoint_registry.kinds[i]->name);
}

/* A chunk that enters a partition is checked by an assertion. The SRAM here is
 * small enough to limit the run. */
static void no_ace_partition_exceeds_its_sram(void **state)
{
    Setup s = {
        .topology = ace_torus_text(4, 2, 2),
        .endpoint = "{kind: ace, sram: 300 KiB}",
        .workload =
            single_collective_workload(COLL_ALL_REDUCE, UINT64_C(4) << 20),
    };
    SimTime roomy_ps, tight_ps = simulate_setup(&s).total_ps;

    (void)state;
    s.endpoint = "{kind: ace, sram: 4 MiB}";
    roomy_ps = simulate_setup(&s).total_ps;
    assert_true(tight_ps > roomy_ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_endpoint_kind_does_every_collective),
        cmocka_unit_test(no_ace_partition_exceeds_its_sram),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
