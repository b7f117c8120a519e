/*
 * test_unfolded_rows.c - Tests that all rows of a run with symmetry reduction
 * are those of a full run, byte for byte, for every topology.
 *
 * ACESIM_UNFOLD="SEED KIND WORK" runs a single case, in the form in which a
 * failure reports
 * it. */
#include "tests/models/run/fold/unfold_case.h"
#include "tests/system_fixture.h"

#include "models/observe/utilisation.h"
#include "models/observe/verify_collectives.h"
#include "sim/study/rows/run_rows.h"

/* The minimum number of compared systems that have symmetry. */
#define N_FOLDED 160
/* The number of seeds per topology and workload, times ACESIM_DRAWS. */
#define N_SEEDS 16

typedef struct {
    guint n;        /* The number of compared systems. */
    guint n_folded; /* The number of compared systems with symmetry. */
    /* The number of compared systems with more than one class of NPUs. */
    guint n_by_class;
} Count;

/* ---- comparison of one random system ------------------------------------- */

/* Fails the test. The setup is printed, since it is longer than fail_msg()
 * permits. */
static void fail_with_setup(const Setup *setup, const GError *error)
{
    g_printerr("%s", setup_text(setup));
    fail_msg("%s", error->message);
}

/* Returns all rows of a run of @setup. If @verifies, the run also carries data.
 * Returns NULL if the combination is refused. */
static GString *csv_rows_of_run(const Setup *setup, FoldMode fold,
                                gboolean verifies, uint32_t *ret_n_simulated)
{
    g_autoptr(Utilisation) utilisation = NULL;
    g_autoptr(Verify) verify = NULL;
    GError *error = NULL;
    GString *rows = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ .fold = fold }, &error);
    if (run.system) {
        rows = g_string_new(NULL);
        *ret_n_simulated = system_n_simulated_npus(run.system);
        utilisation = utilisation_new(run.system, 0);
        verify = verifies ? verify_listen_to_system(run.system, &error) : NULL;
        if (!system_run(run.system, &error))
            fail_with_setup(setup, error);
        (void)utilisation_finish(utilisation);
        for (RowsFile file = 0; file < ROWS_N_FILES; file++)
            rows_append(rows, file, NULL, &run.config, run.system, utilisation);
    } else if (!g_error_matches(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT)) {
        fail_with_setup(setup, error);
    }
    g_clear_error(&error);
    g_clear_pointer(&utilisation, utilisation_free);
    run_clear(&run);
    return rows;
}

/* Returns the first lines that differ. */
static const char *first_different_line(const char *a, const char *b)
{
    g_auto(GStrv) folded = g_strsplit(a, "\n", -1);
    g_auto(GStrv) full = g_strsplit(b, "\n", -1);
    guint i = 0;

    while (folded[i] && full[i] && g_str_equal(folded[i], full[i]))
        i++;
    return format_text("folded: %s\nfull:   %s", folded[i] ?: "",
                       full[i] ?: "");
}

/* Compares a run with symmetry reduction with a full run. Returns FALSE if
 * there is nothing to compare. */
static gboolean compare_unfolded_case(const UnfoldCase *c, const char *kind,
                                      Count *count)
{
    uint32_t n_folded, n_full;
    g_autoptr(GString) folded = NULL;
    g_autoptr(GString) full = NULL;

    if (!c->setup.workload)
        return FALSE;
    folded = csv_rows_of_run(&c->setup, FOLD_AUTO, FALSE, &n_folded);
    if (!folded)
        return FALSE;
    full =
        csv_rows_of_run(&c->setup, FOLD_OFF, c->work >= UNFOLD_LANES, &n_full);
    assert_non_null(full);
    assert_int_equal(n_full, c->place.n_npus);
    count->n++;
    count->n_folded += n_folded < n_full ? 1 : 0;
    count->n_by_class += n_folded < n_full && n_folded > 1 ? 1 : 0;
    if (g_str_equal(folded->str, full->str))
        return TRUE;
    /* The text is longer than fail_msg() permits. */
    g_printerr("%s%s\n", setup_text(&c->setup),
               first_different_line(folded->str, full->str));
    fail_msg("ACESIM_UNFOLD=\"%" G_GUINT64_FORMAT " %s %d\": %u of %u NPUs "
             "simulated",
             c->seed, kind, (int)c->work, n_folded, n_full);
    return FALSE;
}

/* ---- comparison on all topologies ---------------------------------------- */

static gboolean random_draws_have_programs(void)
{
    return config_find_kind(&workload_registry, "program") != NULL;
}

/* Compares all cases of a kind of topology, with each kind of workload. */
static void compare_topology_kind(const char *kind, Count *ret)
{
    for (uint64_t seed = 1; seed <= n_random_draws(N_SEEDS); seed++)
        for (UnfoldWork work = 0; work < UNFOLD_N_WORKS; work++) {
            UnfoldCase c;

            if (work != UNFOLD_LOOP && !random_draws_have_programs())
                continue;
            unfold_case_init(&c, kind, work, seed);
            (void)compare_unfolded_case(&c, kind, ret);
        }
}

/* Returns whether a kind of topology may have symmetry. */
static gboolean topology_kind_may_fold(const char *kind)
{
    return !g_str_equal(kind, "graph") && !g_str_equal(kind, "mesh");
}

static void test_folded_rows_equal_full_rows_on_every_topology(void **state)
{
    guint n_folded = 0;

    (void)state;
    for (guint i = 0; topology_registry.kinds[i]; i++) {
        const char *kind = topology_registry.kinds[i]->name;
        Count count = { 0 };

        if (!unfold_draws_topology_kind(kind))
            fail_msg("unfold_case.c draws no topology of kind '%s'", kind);
        compare_topology_kind(kind, &count);
        print_message("# %s: %u systems, %u folded, %u of them by class\n",
                      kind, count.n, count.n_folded, count.n_by_class);
        assert_true(count.n >= N_SEEDS / 2);
        /* With various ACESIM_SEED, 20 to 30 % of the fat trees fold. */
        if (topology_kind_may_fold(kind))
            assert_true(count.n_folded >= count.n / 8);
        n_folded += count.n_folded;
    }
    assert_true(n_folded >= (random_draws_have_programs() ? N_FOLDED : 16));
}

/* On a switch, any order of NPUs is a symmetry. But the order on a ring
 * algorithm matters if half of its NPUs are slow. */
static void test_a_half_slow_ring_on_a_switch_is_unfolded_right(void **state)
{
    UnfoldCase c = {
        .place = { .n_npus = 6 },
        .setup = {
            .topology = "{kind: switch, npus: 6, links: 2, bandwidth: 32 GB/s, "
                        "latency: 0 ns}",
            .workload =
                "{kind: program, name: p, roles: [{name: r, ops: [{kind: "
                "kernel, name: k, flop: 90000000, read: 9 KiB, write: 2 KiB}, "
                "{kind: collective, name: c, collective: reduce-scatter, "
                "bytes: 300000 B, after: [k]}]}]}",
            .collectives = "{algorithm: ring}",
            .perturb = "{npus: [{npu: 0, time_factor: 150 %}, {npu: 1, "
                       "time_factor: 150 %}, {npu: 2, time_factor: 150 %}]}",
        },
    };
    Count count = { 0 };

    (void)state;
    assert_true(compare_unfolded_case(&c, "switch", &count));
}

/* The machines of a ring share its links, so that their order matters, although
 * the GPUs of each may be permuted. */
static void test_machines_on_a_ring_are_not_permuted(void **state)
{
    static const char *const levels[] = { "[ring, halving-doubling]",
                                          "[direct, recursive-doubling]" };
    Count count = { 0 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(levels); i++) {
        UnfoldCase c = {
            .place = { .n_npus = 16 },
            .setup = {
                .topology =
                    "{kind: nested, count: 8, inner: {kind: switch, npus: 2, "
                    "bandwidth: 100 GB/s, latency: 100 ns}, nics: 2, nic: "
                    "{bandwidth: 60 GB/s, latency: 100 ns}, rails: true, "
                    "outer: {kind: torus, dims: [{size: 8, links: 2, "
                    "bandwidth: 25 GB/s, latency: 500 ns}]}}",
                .workload = "{kind: collective, name: w, collective: "
                            "all-reduce, payload: 1 MiB}",
                .collectives = format_text("{levels: %s}", levels[i]),
            },
        };

        assert_true(compare_unfolded_case(&c, "nested", &count));
    }
    assert_int_equal(count.n_folded, G_N_ELEMENTS(levels));
}

/* A slow link of each NPU leaves one class, and one of every second NPU leaves
 * two. */
static void test_slow_links_that_repeat_are_folded(void **state)
{
    static const struct {
        uint32_t step, n_folded;
    } rows[] = { { 1, 1 }, { 2, 2 }, { 8, 8 } };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GString) links = g_string_new("{links: [");
        UnfoldCase c = {
            .place = { .n_npus = 8 },
            .setup = {
                .topology = "{kind: torus, dims: [{size: 8, links: 2, "
                            "bandwidth: 32 GB/s, latency: 64 ns}]}",
                .workload = "{kind: collective, name: w, collective: "
                            "all-reduce, payload: 96 KiB}",
            },
        };
        Count count = { 0 };
        uint32_t n;

        for (uint32_t npu = 0; npu < 8; npu += rows[i].step)
            g_string_append_printf(
                links, "{npu: %u, port: dim0+, bandwidth_factor: 50 %%}, ",
                npu);
        g_string_append(links, "]}");
        c.setup.perturb = keep_text_until_exit(links->str);
        assert_true(compare_unfolded_case(&c, "torus", &count));
        g_string_free(csv_rows_of_run(&c.setup, FOLD_AUTO, FALSE, &n), TRUE);
        assert_int_equal(n, rows[i].n_folded);
    }
}

static void test_the_unfold_case_of_the_environment(void **state)
{
    const char *requested = g_getenv("ACESIM_UNFOLD");
    g_auto(GStrv) words = NULL;
    Count count = { 0 };
    UnfoldCase c;

    (void)state;
    if (!requested)
        return;
    words = g_strsplit(requested, " ", 3);
    assert_int_equal(g_strv_length(words), 3);
    unfold_case_init(&c, words[1],
                     (UnfoldWork)g_ascii_strtoull(words[2], NULL, 10),
                     g_ascii_strtoull(words[0], NULL, 10));
    g_printerr("%s", setup_text(&c.setup));
    assert_true(compare_unfolded_case(&c, words[1], &count));
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_folded_rows_equal_full_rows_on_every_topology),
        cmocka_unit_test(test_a_half_slow_ring_on_a_switch_is_unfolded_right),
        cmocka_unit_test(test_machines_on_a_ring_are_not_permuted),
        cmocka_unit_test(test_slow_links_that_repeat_are_folded),
    };
    const struct CMUnitTest one[] = {
        cmocka_unit_test(test_the_unfold_case_of_the_environment),
    };

    if (g_getenv("ACESIM_UNFOLD"))
        return cmocka_run_group_tests_name("unfold", one, NULL, NULL);
    return cmocka_run_group_tests_name("unfold", all, NULL, NULL);
}
