/* test_memory_check.c - tests of workloads/memory_check.c: what is refused, and
 * whether the changes that are offered fit */
#include "tests/workloads/workload_fixture.h"

#define MODEL                                                                  \
    "model: {name: small, layers: 12, hidden: 64, heads: 8, ffn: 96, "         \
    "vocabulary: 104}, sequence: 32, "

/* Workloads of eight NPUs. */
static const char *const workloads[] = {
    "{kind: transformer, " MODEL "batch: {global: 64, micro: 4}}",
    "{kind: transformer, " MODEL "batch: {global: 64, micro: 4}, parallel: "
    "{tp: 2, dp: 4}, shard: {kind: replicated}}",
    "{kind: transformer, " MODEL "batch: {global: 64}, parallel: {pp: 2}}",
    "{kind: transformer, " MODEL "batch: {global: 64}, parallel: {pp: 4}, "
    "schedule: {kind: interleaved, chunks: 3}}",
    "{kind: data-parallel, name: net, batch: 64, layers: [{kind: linear, name: "
    "l, in: 50, out: 50, repeat: 8}]}",
};

/* Builds @workload with @sets, a list of "key: value" separated by " and " or
 * " with ", for NPUs with @capacity_bytes. */
static OpGraph *build(const char *workload, const char *sets,
                      uint64_t capacity_bytes, GError **error)
{
    g_autofree char *text = g_strdup_printf(
        "workload: %s\ntraining: {gradient: fp32, optimiser: adam}\n",
        workload);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), error);
    const WorkloadSite site = { .n_npus = 8, .memory_bytes = capacity_bytes };
    g_autoptr(GRegex) between = g_regex_new(" and | with ", 0, 0, NULL);
    g_auto(GStrv) list = g_regex_split(between, sets, 0);
    WorkloadRoot root;

    assert_non_null(doc);
    for (char **set = list; *set && **set; set++) {
        g_auto(GStrv) parts = g_strsplit(*set, ": ", 2);
        gboolean is_own = !g_str_has_prefix(parts[0], "training.");
        g_autofree char *path =
            g_strconcat(is_own ? "workload." : "", parts[0], NULL);

        assert_true(config_doc_set(doc, path, "--set", parts[1], error));
    }
    if (!config_doc_read(doc, workload_root_fields, &root, error))
        return NULL;
    return workload_build(&root.workload, &root.training, &site, error);
}

static uint64_t bytes_of_fullest(const OpGraph *graph)
{
    return rank_memory_sum(&rank_memory_fullest(graph->memory)->peak);
}

/* Checks that each change that @message offers fits; returns their number. */
static guint check_offers(const char *workload, const char *message,
                          uint64_t capacity_bytes)
{
    const char *from = strstr(message, "what fits is "), *to;
    g_autofree char *list = NULL;
    g_auto(GStrv) offers = NULL;
    guint n = 0;

    if (!from)
        return 0;
    from += strlen("what fits is ");
    to = strstr(from, "); 'training.memory: ignored'");
    assert_non_null(to);
    list = g_strndup(from, (gsize)(to - from));
    offers = g_strsplit(list, "), ", 0);
    for (; offers[n]; n++) {
        char *offer = offers[n] + (g_str_has_prefix(offers[n], "or ") ? 3 : 0);
        g_autoptr(GError) error = NULL;
        g_autoptr(OpGraph) graph = NULL;

        *strstr(offer, " (") = '\0';
        print_message("# %s\n", offer);
        graph = build(workload, offer, capacity_bytes, &error);
        assert_no_error(error);
        assert_true(bytes_of_fullest(graph) <= capacity_bytes);
    }
    assert_in_range(n, 1, MEMORY_MAX_CHANGES);
    return n;
}

static void test_changes_that_are_offered_fit(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(workloads); i++) {
        g_autoptr(OpGraph) graph = build(workloads[i], "", 0, NULL);
        uint64_t bytes = bytes_of_fullest(graph);
        guint n_offers = 0;

        print_message("# %s\n", workloads[i]);
        for (guint part = 1; part <= 8; part++) {
            g_autoptr(GError) error = NULL;
            uint64_t capacity = bytes * part / 8 - 1;

            assert_null(build(workloads[i], "", capacity, &error));
            n_offers += check_offers(workloads[i], error->message, capacity);
        }
        assert_true(n_offers >= 2);
    }
}

static void test_what_fits_exactly_is_accepted(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(workloads); i++) {
        g_autoptr(OpGraph) graph = build(workloads[i], "", 0, NULL);
        g_autoptr(OpGraph) full =
            build(workloads[i], "", bytes_of_fullest(graph), NULL);

        assert_non_null(full);
        assert_int_equal(full->notes->len, 0);
    }
}

static void test_a_refusal_names_stage_kinds_and_capacity(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(build(workloads[3], "", UINT64_C(128) << 10, &error));
    assert_gerror(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                  "t.yaml:1:11: memory: a rank of stage 0 needs 0.001976 GiB "
                  "(weights 0.0002077, gradients 0.0004153, optimiser "
                  "0.000623, activations 0.0007153, buffers 1.526e-05), more "
                  "than the 0.0001221 GiB of platform.npu.hbm.capacity; no "
                  "change of parallelism, micro-batches or recomputation that "
                  "was tried fits; 'training.memory: ignored' runs it all the "
                  "same");
}

static void test_ignored_memory_becomes_a_note(void **state)
{
    GError *error = NULL;
    g_autoptr(OpGraph) graph =
        build(workloads[4], "training.memory: ignored", 1000, &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(graph->notes->len, 1);
    /* 8 x 2,500 weights of 2 + 4 + 12 bytes, and 8 x 64 x 50 values */
    assert_int_equal(bytes_of_fullest(graph), 8 * 2500 * 18 + 8 * 64 * 50 * 2);
    assert_non_null(strstr(g_ptr_array_index(graph->notes, 0),
                           "training.memory ignores it"));
}

/* Each job is checked against its own NPUs. */
static void test_a_job_that_does_not_fit_is_refused(void **state)
{
    g_autofree char *jobs = g_strdup_printf(
        "{kind: jobs, name: j, jobs: [{name: a, workload: %s}]}", workloads[4]);
    g_autoptr(OpGraph) alone = build(workloads[4], "", 0, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(OpGraph) graph = build(jobs, "", bytes_of_fullest(alone), &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(bytes_of_fullest(graph), bytes_of_fullest(alone));
    assert_null(build(jobs, "", bytes_of_fullest(alone) - 1, &error));
    assert_non_null(strstr(error->message, "memory: a rank needs"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_that_are_offered_fit),
        cmocka_unit_test(test_what_fits_exactly_is_accepted),
        cmocka_unit_test(test_a_refusal_names_stage_kinds_and_capacity),
        cmocka_unit_test(test_ignored_memory_becomes_a_note),
        cmocka_unit_test(test_a_job_that_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests_name("memory_check", tests, NULL, NULL);
}
