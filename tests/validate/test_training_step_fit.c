/* test_training_step_fit.c - where constants of training steps are written */
#include <glib/gstdio.h>
#include <unistd.h>

#include "tests/test.h"

#include "validate/fit/training_step_fit.h"

#define OWN "validate/data/llm/constants.csv"

static void check_path(const char *folder, const char *want)
{
    g_autofree char *path = step_fit_constants_path(folder);

    assert_string_equal(path, want);
}

static void test_only_the_projects_npus_change_its_constants(void **state)
{
    g_autofree char *folder = g_dir_make_tmp("npus-XXXXXX", NULL);
    g_autofree char *constants =
        g_build_filename(folder, "language", "constants.csv", NULL);
    g_autofree char *absolute = g_canonicalize_filename("configs/npus", NULL);

    (void)state;
    check_path("configs/npus", OWN);
    check_path("configs/../configs/npus/", OWN);
    check_path(absolute, OWN);
    check_path(folder, constants);
    check_path("no/such/folder", "no/such/folder/language/constants.csv");
    g_rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_the_projects_npus_change_its_constants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
