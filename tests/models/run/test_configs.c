/*
 * test_configs.c - Tests that every YAML file of a run, or of a part of a run,
 * can be read and run.
 *
 * A part replaces the same part of a small
 * run. */
#include "sim/study/tune.h"
#include "tests/system_fixture.h"

static char *path_of(const char *folder, const char *file)
{
    const char *source = g_getenv("SRCDIR");

    return g_build_filename(source ? source : ".", "configs", folder, file,
                            NULL);
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the YAML files of a folder, sorted. */
static GPtrArray *files_of(const char *folder)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *path = path_of(folder, NULL);
    GDir *dir = g_dir_open(path, 0, NULL);
    const char *name;

    assert_non_null(dir);
    while ((name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, ".yaml"))
            g_ptr_array_add(files, g_strdup(name));
    g_dir_close(dir);
    g_ptr_array_sort(files, by_name);
    assert_true(files->len > 0);
    return files;
}

static void set(ConfigDoc *doc, const char *key, const char *value)
{
    GError *error = NULL;

    assert_true(config_doc_set(doc, key, "--set", value, &error) || error);
    assert_no_error(error);
}

static SystemResult build_and_run(ConfigDoc *doc, const char *label)
{
    GError *error = NULL;
    SystemConfig config;
    System *system = NULL;
    SystemResult result;
    g_autoptr(TuneResult) tuned = NULL;

    if (!config_doc_read(doc, system_fields, &config, &error))
        fail_msg("%s: %s", label, error->message);
    if (tune_is_needed(&config))
        tuned = tune_new(&config, FOLD_AUTO, (SystemSize){ 0 }, &error);
    system =
        error ? NULL
              : system_new(tuned ? tuned->config : &config, FOLD_AUTO, &error);
    if (!system)
        fail_msg("%s: %s", label, error->message);
    if (!system_run(system, &error))
        fail_msg("%s: %s", label, error->message);
    result = system_result(system);
    assert_true(result.total_ps > 0);
    assert_string_not_equal(endpoint_name(&config.endpoint), "");
    assert_string_not_equal(workload_name(&config.workload), "");
    system_free(system);
    return result;
}

static void assert_named(ConfigDoc *doc, const char *label)
{
    SystemConfig config;
    GError *error = NULL;

    assert_true(config_doc_read(doc, system_fields, &config, &error));
    if (strcmp(config.platform.name, "unnamed") == 0 ||
        strcmp(endpoint_name(&config.endpoint), "unnamed") == 0)
        fail_msg("%s has no name for tables", label);
}

/* ---- shipped run files --------------------------------------------------- */

static void test_every_run_runs(void **state)
{
    g_autoptr(GPtrArray) files = files_of("runs");

    (void)state;
    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
        g_autofree char *path = path_of("runs", file);
        GError *error = NULL;
        g_autoptr(ConfigDoc) doc = config_doc_load(path, &error);

        assert_no_error(error);
        build_and_run(doc, file);
        assert_named(doc, file);
    }
}

/* ---- shipped parts in a small run ---------------------------------------- */

/* Returns a small workload on a small platform with the default endpoint. */
static ConfigDoc *plain_run(void)
{
    const char *text = setup_text(&(Setup){ 0 });
    GError *error = NULL;
    ConfigDoc *doc = config_doc_parse("run.yaml", text, strlen(text), &error);

    assert_no_error(error);
    return doc;
}

static void run_with_each(const char *folder, const char *key)
{
    g_autoptr(GPtrArray) files = files_of(folder);

    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
        g_autofree char *path = path_of(folder, file);
        g_autoptr(ConfigDoc) doc = plain_run();

        set(doc, key, path);
        build_and_run(doc, file);
    }
}

static void test_every_platform_runs(void **state)
{
    (void)state;
    run_with_each("platforms", "platform");
}

static void test_every_npu_runs(void **state)
{
    (void)state;
    run_with_each("npus", "platform.npu");
}

static void test_every_endpoint_runs(void **state)
{
    (void)state;
    run_with_each("endpoints", "endpoint");
}

static void test_every_workload_runs_with_modelled_times(void **state)
{
    (void)state;
    run_with_each("workloads", "workload");
}

static void test_every_workload_runs_with_measured_times(void **state)
{
    g_autoptr(GPtrArray) files = files_of("workloads");

    (void)state;
    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
        g_autofree char *path = path_of("workloads", file);
        g_autoptr(ConfigDoc) doc = plain_run();

        /* Measured times that name their NPU are for this one. */
        set(doc, "platform.npu", "configs/npus/ace-v100-like.yaml");
        set(doc, "workload", path);
        set(doc, "training.compute", "measured");
        build_and_run(doc, file);
    }
}

static void test_every_endpoint_has_a_name_for_tables(void **state)
{
    g_autoptr(GPtrArray) files = files_of("endpoints");

    (void)state;
    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
        g_autofree char *path = path_of("endpoints", file);
        g_autoptr(ConfigDoc) doc = plain_run();

        set(doc, "endpoint", path);
        set(doc, "platform.name", "plain");
        assert_named(doc, file);
    }
}

/* ---- shipped platforms of the paper -------------------------------------- */

static void test_the_ace_platforms_have_the_sizes_of_their_names(void **state)
{
    const struct {
        const char *file;
        uint32_t n_npus;
    } platforms[] = { { "ace-4x2x2.yaml", 16 },
                      { "ace-4x4x2.yaml", 32 },
                      { "ace-4x4x4.yaml", 64 },
                      { "ace-4x8x4.yaml", 128 } };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(platforms); i++) {
        g_autofree char *path = path_of("platforms", platforms[i].file);
        g_autoptr(ConfigDoc) doc = plain_run();

        set(doc, "platform", path);
        assert_int_equal(build_and_run(doc, path).n_npus, platforms[i].n_npus);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_run_runs),
        cmocka_unit_test(test_every_platform_runs),
        cmocka_unit_test(test_every_npu_runs),
        cmocka_unit_test(test_every_endpoint_runs),
        cmocka_unit_test(test_every_workload_runs_with_modelled_times),
        cmocka_unit_test(test_every_workload_runs_with_measured_times),
        cmocka_unit_test(test_every_endpoint_has_a_name_for_tables),
        cmocka_unit_test(test_the_ace_platforms_have_the_sizes_of_their_names),
    };

    return cmocka_run_group_tests_name("configs", tests, NULL, NULL);
}
