/* Tests of sim/config/installed_files.h: hints to installed files, and short
 * names */
#include <glib/gstdio.h>
#include <string.h>

#include "sim/config/config.h"
#include "sim/config/config_node.h"
#include "sim/config/installed_files.h"
#include "tests/test.h"

typedef struct {
    /* The struct owns the path of a folder that contains one.yaml, like an
     * installed folder. */
    char *folder;
    char *message; /* The struct owns the error when one.yaml is in .folder. */
} Place;

static int setup(void **state)
{
    Place *place = g_new0(Place, 1);
    g_autofree char *file = NULL;

    *state = place;
    place->folder = g_dir_make_tmp("acesim-XXXXXX", NULL);
    if (!place->folder)
        return -1;
    file = g_build_filename(place->folder, "one.yaml", NULL);
    place->message = g_strdup_printf("gone; there is one at %s", file);
    return g_file_set_contents(file, "a: 1\n", -1, NULL) ? 0 : -1;
}

static int teardown(void **state)
{
    Place *place = *state;
    g_autofree char *file = g_build_filename(place->folder, "one.yaml", NULL);

    g_remove(file);
    g_rmdir(place->folder);
    g_free(place->folder);
    g_free(place->message);
    g_free(place);
    return 0;
}

static void check_missing_file_error(const Place *place, const char *path,
                                     ConfigErrorCode code, const char *message)
{
    g_autoptr(GError) error = NULL;

    g_set_error_literal(&error, CONFIG_ERROR, (gint)code, "gone");
    installed_add_hint_to_error(place->folder, path, &error);
    assert_string_equal(error->message, message);
    assert_int_equal(error->code, code);
}

static void test_a_missing_file_that_is_installed_gets_a_hint(void **state)
{
    const Place *place = *state;

    check_missing_file_error(place, "one.yaml", CONFIG_ERROR_FILE,
                             place->message);
}

static void test_a_missing_file_gets_no_useless_hint(void **state)
{
    const Place *place = *state;
    g_autofree char *path = g_build_filename(place->folder, "one.yaml", NULL);

    check_missing_file_error(place, "two.yaml", CONFIG_ERROR_FILE, "gone");
    check_missing_file_error(place, path, CONFIG_ERROR_FILE, "gone");
    check_missing_file_error(place, "one.yaml", CONFIG_ERROR_SYNTAX, "gone");
    installed_add_hint_to_error(place->folder, "one.yaml", NULL);
}

static void test_the_installed_folder_is_that_of_the_prefix(void **state)
{
    (void)state;
    assert_true(g_path_is_absolute(installed_folder()));
    assert_true(g_str_has_suffix(installed_folder(), "/share/acesim"));
}

/* ---- installed files by name --------------------------------------------- */

static void check_installed_file_found(const char *key, const char *name,
                                       const char *end)
{
    g_autofree char *path = installed_find_file(key, name);

    if (!end) {
        assert_null(path);
        return;
    }
    assert_non_null(path);
    assert_true(g_str_has_suffix(path, end));
    assert_true(g_file_test(path, G_FILE_TEST_IS_REGULAR));
}

static void test_installed_files_are_found_by_name(void **state)
{
    (void)state;
    check_installed_file_found("platform", "dgx-1v",
                               "configs/platforms/dgx-1v.yaml");
    check_installed_file_found("topology", "dgx-1v",
                               "configs/platforms/dgx-1v.yaml");
    check_installed_file_found("inner", "dgx-1v",
                               "configs/platforms/dgx-1v.yaml");
    check_installed_file_found("npu", "h200", "configs/npus/h200.yaml");
    check_installed_file_found("endpoint", "ace", "configs/endpoints/ace.yaml");
    check_installed_file_found("workload", "dlrm",
                               "configs/workloads/dlrm.yaml");
    check_installed_file_found("collectives", "isca21",
                               "configs/collectives/isca21.yaml");
    check_installed_file_found("platform", "ace", NULL);
    check_installed_file_found("platform", "dgx-1v.yaml", NULL);
    check_installed_file_found("platform", "../platforms/dgx-1v", NULL);
    check_installed_file_found("platform", "", NULL);
    check_installed_file_found("hbm", "ace", NULL);
}

static void test_the_nearest_installed_file_name_is_suggested(void **state)
{
    g_autofree char *near = installed_find_nearest_name("platform", "dgx1v");
    g_autofree char *far =
        installed_find_nearest_name("platform", "nothing-like-it");
    g_autofree char *path = installed_find_nearest_name("platform", "x/dgx-1w");
    g_autofree char *none = installed_find_nearest_name("hbm", "dgx-1v");

    (void)state;
    assert_string_equal(near, "dgx-1v");
    assert_null(far);
    assert_null(path);
    assert_null(none);
}

/* Sets @path in @text, which leads to npus_forward through a short name. */
static void check_override_by_installed_name(const char *text, const char *path)
{
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), NULL);
    GError *error = NULL;

    assert_true(config_doc_set(doc, path, "--set", "true", &error));
    assert_no_error(error);
    assert_string_equal(config_node_text(config_doc_find_exact(doc, path)),
                        "true");
}

static void
test_an_override_path_goes_through_installed_file_names(void **state)
{
    (void)state;
    check_override_by_installed_name("platform: dgx-1v\n",
                                     "platform.topology.npus_forward");
    check_override_by_installed_name("topology: dgx-1v\n",
                                     "topology.npus_forward");
    check_override_by_installed_name(
        "topology: {kind: nested, inner: dgx-1v}\n",
        "topology.inner.npus_forward");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_a_missing_file_that_is_installed_gets_a_hint, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_a_missing_file_gets_no_useless_hint, setup, teardown),
        cmocka_unit_test(test_the_installed_folder_is_that_of_the_prefix),
        cmocka_unit_test(test_installed_files_are_found_by_name),
        cmocka_unit_test(test_the_nearest_installed_file_name_is_suggested),
        cmocka_unit_test(
            test_an_override_path_goes_through_installed_file_names),
    };

    return cmocka_run_group_tests_name("installed", tests, NULL, NULL);
}
