/* test_installed.c - sim/config/installed.h: where an absent file may be */
#include <glib/gstdio.h>

#include "sim/config/config.h"
#include "sim/config/installed.h"
#include "tests/test.h"

typedef struct {
    char *folder;  /* owned: as installed, with one.yaml in it */
    char *message; /* owned: what is said where one.yaml is there, too */
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

static void check(const Place *place, const char *path, ConfigErrorCode code,
                  const char *message)
{
    g_autoptr(GError) error = NULL;

    g_set_error_literal(&error, CONFIG_ERROR, (gint)code, "gone");
    installed_hint(place->folder, path, &error);
    assert_string_equal(error->message, message);
    assert_int_equal(error->code, code);
}

static void test_what_was_installed_is_said_where_it_is_not_here(void **state)
{
    const Place *place = *state;

    check(place, "one.yaml", CONFIG_ERROR_FILE, place->message);
}

static void test_nothing_is_said_where_that_would_not_help(void **state)
{
    const Place *place = *state;
    g_autofree char *path = g_build_filename(place->folder, "one.yaml", NULL);

    check(place, "two.yaml", CONFIG_ERROR_FILE, "gone");
    check(place, path, CONFIG_ERROR_FILE, "gone");
    check(place, "one.yaml", CONFIG_ERROR_SYNTAX, "gone");
    installed_hint(place->folder, "one.yaml", NULL);
}

static void test_the_folder_is_that_of_the_prefix(void **state)
{
    (void)state;
    assert_true(g_path_is_absolute(installed_folder()));
    assert_true(g_str_has_suffix(installed_folder(), "/share/acesim"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_what_was_installed_is_said_where_it_is_not_here, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_nothing_is_said_where_that_would_not_help, setup, teardown),
        cmocka_unit_test(test_the_folder_is_that_of_the_prefix),
    };

    return cmocka_run_group_tests_name("installed", tests, NULL, NULL);
}
