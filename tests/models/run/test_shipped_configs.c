/*
 * test_shipped_configs.c - Tests that every YAML file of a run, or of a part of
 * a run, can be read and run.
 *
 * A part replaces the same part of a small
 * run. */
#include "sim/study/tune_endpoint.h"
#include "tests/system_fixture.h"

static char *config_file_path(const char *folder, const char *file)
{
    const char *source = g_getenv("SRCDIR");

    return g_build_filename(source ? source : ".", "configs", folder, file,
                            NULL);
}

static gint compare_strings_by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the YAML files of a folder, sorted. */
static GPtrArray *config_files_of_folder(const char *folder)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *path = config_file_path(folder, NULL);
    GDir *dir = g_dir_open(path, 0, NULL);
    const char *name;

    assert_non_null(dir);
    while ((name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, ".yaml"))
            g_ptr_array_add(files, g_strdup(name));
    g_dir_close(dir);
    g_ptr_array_sort(files, compare_strings_by_name);
    assert_true(files->len > 0);
    return files;
}

static void set_config_key(ConfigDoc *doc, const char *key, const char *value)
{
    GError *error = NULL;

    assert_true(config_doc_set(doc, key, "--set", value, &error) || error);
    assert_no_error(error);
}

static SystemResult build_and_run_config(ConfigDoc *doc, const char *label)
{
    GError *error = NULL;
    SystemConfig config;
    System *system = NULL;
    SystemResult result;
    g_autoptr(TuneResult) tuned = NULL;

    if (!config_doc_read(doc, system_fields, &config, &error))
        fail_msg("%s: %s", label, error->message);
    if (endpoint_tuning_is_needed(&config))
        tuned = tune_endpoint(&config, (RunOptions){ 0 }, &error);
    system = error ? NULL
                   : system_new(tuned ? tuned->config : &config,
                                (RunOptions){ 0 }, &error);
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

static void assert_endpoint_has_name(ConfigDoc *doc, const char *label)
{
    SystemConfig config;
    GError *error = NULL;

    assert_true(config_doc_read(doc, system_fields, &config, &error));
    if (strcmp(config.platform.name, "unnamed") == 0 ||
        strcmp(endpoint_name(&config.endpoint), "unnamed") == 0)
        fail_msg("%s has no name for tables", label);
}

/* ---- shipped run files --------------------------------------------------- */

/* Makes the run of DeepSeek-V3 a part of itself: it takes a minute in debug
 * builds. */
static void shorten_run(ConfigDoc *doc, const char *file)
{
    if (!g_str_equal(file, "deepseek-v3-2048.yaml"))
        return;
    set_config_key(doc, "platform.topology.count", "16");
    set_config_key(doc, "workload.parallel.pp", "2");
    set_config_key(doc, "workload.model.layers", "4");
    set_config_key(doc, "workload.batch.global", "256");
}

static void test_every_shipped_run_simulates(void **state)
{
    g_autoptr(GPtrArray) files = config_files_of_folder("runs");

    (void)state;
    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
        g_autofree char *path = config_file_path("runs", file);
        GError *error = NULL;
        g_autoptr(ConfigDoc) doc = config_doc_load(path, &error);

        assert_no_error(error);
        shorten_run(doc, file);
        build_and_run_config(doc, file);
        assert_endpoint_has_name(doc, file);
    }
}

/* ---- shipped parts in a small run ---------------------------------------- */

/* Returns a small workload on a small platform with the default endpoint. */
static ConfigDoc *default_run_config(void)
{
    const char *text = setup_text(&(Setup){ 0 });
    GError *error = NULL;
    ConfigDoc *doc = config_doc_parse("run.yaml", text, strlen(text), &error);

    assert_no_error(error);
    return doc;
}

static void simulate_with_each_file(const char *folder, const char *key)
{
    g_autoptr(GPtrArray) files = config_files_of_folder(folder);

    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
        g_autofree char *path = config_file_path(folder, file);
        g_autoptr(ConfigDoc) doc = default_run_config();

        /* These need the axes of a language model, or NCCL:
         * test_endpoints.sh. */
        if (g_str_has_prefix(file, "engines-") ||
            g_str_equal(file, "nvls.yaml") || g_str_equal(file, "sharp.yaml"))
            continue;
        set_config_key(doc, key, path);
        build_and_run_config(doc, file);
    }
}

static void test_every_shipped_platform_simulates(void **state)
{
    (void)state;
    simulate_with_each_file("platforms", "platform");
}

static void test_every_shipped_npu_simulates(void **state)
{
    (void)state;
    simulate_with_each_file("npus", "platform.npu");
}

static void test_every_shipped_endpoint_simulates(void **state)
{
    (void)state;
    simulate_with_each_file("endpoints", "endpoint");
}

static void test_every_workload_runs_with_modelled_times(void **state)
{
    (void)state;
    simulate_with_each_file("workloads", "workload");
}

static void test_every_workload_runs_with_measured_times(void **state)
{
    g_autoptr(GPtrArray) files = config_files_of_folder("workloads");

    (void)state;
    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
        g_autofree char *path = config_file_path("workloads", file);
        g_autoptr(ConfigDoc) doc = default_run_config();

        /* Measured times that name their NPU are for this one. */
        set_config_key(doc, "platform.npu", "configs/npus/ace-v100-like.yaml");
        set_config_key(doc, "workload", path);
        set_config_key(doc, "training.compute", "measured");
        build_and_run_config(doc, file);
    }
}

static void test_every_endpoint_has_a_name_for_tables(void **state)
{
    g_autoptr(GPtrArray) files = config_files_of_folder("endpoints");

    (void)state;
    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
        g_autofree char *path = config_file_path("endpoints", file);
        g_autoptr(ConfigDoc) doc = default_run_config();

        set_config_key(doc, "endpoint", path);
        set_config_key(doc, "platform.name", "plain");
        assert_endpoint_has_name(doc, file);
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
        g_autofree char *path =
            config_file_path("platforms", platforms[i].file);
        g_autoptr(ConfigDoc) doc = default_run_config();

        set_config_key(doc, "platform", path);
        assert_int_equal(build_and_run_config(doc, path).n_npus,
                         platforms[i].n_npus);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shipped_run_simulates),
        cmocka_unit_test(test_every_shipped_platform_simulates),
        cmocka_unit_test(test_every_shipped_npu_simulates),
        cmocka_unit_test(test_every_shipped_endpoint_simulates),
        cmocka_unit_test(test_every_workload_runs_with_modelled_times),
        cmocka_unit_test(test_every_workload_runs_with_measured_times),
        cmocka_unit_test(test_every_endpoint_has_a_name_for_tables),
        cmocka_unit_test(test_the_ace_platforms_have_the_sizes_of_their_names),
    };

    return cmocka_run_group_tests_name("configs", tests, NULL, NULL);
}
