/* Tests of validate/gpu/host/machine_requirements.c: advice about a driver that
 * is too old, and where cuBLAS is searched. */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <string.h>

#include "validate/gpu/host/machine_requirements.h"

static void check_driver_advice(int runtime, int driver, const char *expected)
{
    char advice[NEEDS_TEXT_SIZE];

    write_driver_advice(runtime, driver, advice);
    assert_string_equal(advice, expected);
}

static void test_cuda_13_needs_driver_580(void **state)
{
    (void)state;
    assert_int_equal(minimum_driver_of_cuda(13), 580);
    assert_int_equal(minimum_driver_of_cuda(12), 525);
    assert_int_equal(minimum_driver_of_cuda(99), 0);
    check_driver_advice(
        13000, 12040,
        "the driver knows CUDA 12.4, and this program is of CUDA "
        "13.0: install driver R580 or newer, or build with the nvcc "
        "of CUDA 12");
    check_driver_advice(13010, 0,
                        "no driver answers, and this program is of CUDA 13.1: "
                        "install driver R580 or newer");
    check_driver_advice(
        14000, 13000,
        "the driver knows CUDA 13.0, and this program is of CUDA "
        "14.0: install a newer driver, or build with the nvcc of "
        "CUDA 13");
}

/* Differences in the minor version do not matter. */
static void test_sufficient_driver_needs_no_advice(void **state)
{
    (void)state;
    check_driver_advice(13020, 13000, "");
    check_driver_advice(12080, 13000, "");
    check_driver_advice(12080, 12020, "");
}

static void test_own_products_without_cublas_are_marked_on_hopper(void **state)
{
    (void)state;
    assert_string_equal(measurement_caveat_of_kernel(KERNEL_GEMM_OWN, 9, false),
                        "no-cublas");
    assert_string_equal(
        measurement_caveat_of_kernel(KERNEL_GEMM_OWN, 10, false), "no-cublas");
    assert_string_equal(measurement_caveat_of_kernel(KERNEL_GEMM_OWN, 9, true),
                        "");
    assert_string_equal(measurement_caveat_of_kernel(KERNEL_GEMM_OWN, 8, false),
                        "");
    assert_string_equal(measurement_caveat_of_kernel(KERNEL_COPY, 9, false),
                        "");
}

static void create_library_file(const char *home, const char *folder,
                                const char *name)
{
    g_autofree char *place = g_build_filename(home, folder, NULL);
    g_autofree char *path = g_build_filename(place, name, NULL);

    assert_int_equal(g_mkdir_with_parents(place, 0777), 0);
    assert_true(g_file_set_contents(path, "", 0, NULL));
}

static gboolean places_have_path(const NeedsPlaces *places, const char *home,
                                 const char *path)
{
    g_autofree char *whole = g_build_filename(home, path, NULL);

    for (size_t i = 0; i < places->n; i++)
        if (strcmp(places->paths[i], whole) == 0)
            return TRUE;
    return FALSE;
}

static void test_cublas_is_searched_beyond_the_loader_path(void **state)
{
    g_autofree char *home = g_dir_make_tmp(NULL, NULL);
    NeedsPlaces *places = g_new0(NeedsPlaces, 1);

    (void)state;
    create_library_file(home, "lib64", "libcublas.so.13");
    create_library_file(home, "lib64", "libcublasLt.so.13");
    create_library_file(home, "lib/python3.11/site-packages/nvidia/cublas/lib",
                        "libcublas.so.12");
    find_folders_with_cublas(home, NULL, places);
    assert_true(places->n >= 4 && places->n <= NEEDS_PLACES);
    assert_string_equal(places->paths[0], "libcublas.so.13");
    assert_true(places_have_path(places, home, "lib64/libcublas.so.13"));
    assert_false(places_have_path(places, home, "lib64/libcublasLt.so.13"));
    find_folders_with_cublas(NULL, home, places);
    assert_true(places_have_path(
        places, home,
        "lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12"));
    find_folders_with_cublas("/no such folder", NULL, places);
    assert_string_equal(places->paths[2], "libcublas.so");
    g_free(places);
}

/* Installs a script called python3 in front of all others. */
static void install_python_script(const char *home, const char *script)
{
    g_autofree char *folder = g_build_filename(home, "bin", NULL);
    g_autofree char *path = g_build_filename(folder, "python3", NULL);

    assert_int_equal(g_mkdir_with_parents(folder, 0777), 0);
    assert_true(g_file_set_contents(path, script, -1, NULL));
    assert_int_equal(g_chmod(path, 0755), 0);
}

/* The script tells a folder other than its own, as one that chooses an
 * installation does. */
static void test_cublas_is_searched_beside_python(void **state)
{
    g_autofree char *home = g_dir_make_tmp(NULL, NULL);
    g_autofree char *path =
        g_strdup_printf("%s/bin:%s", home, g_getenv("PATH"));
    char found[NEEDS_PLACE_SIZE];

    (void)state;
    assert_true(g_setenv("PATH", path, TRUE));
    install_python_script(home, "#!/bin/sh\necho /opt/python\n");
    assert_true(find_python_home(found));
    assert_string_equal(found, "/opt/python");
    install_python_script(home, "#!/bin/sh\necho /opt/python\nexit 1\n");
    assert_false(find_python_home(found));
    install_python_script(home, "#!/bin/sh\necho shim: no version is set\n");
    assert_false(find_python_home(found));
    install_python_script(home, "#!/bin/sh\nexit 0\n");
    assert_false(find_python_home(found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuda_13_needs_driver_580),
        cmocka_unit_test(test_sufficient_driver_needs_no_advice),
        cmocka_unit_test(test_own_products_without_cublas_are_marked_on_hopper),
        cmocka_unit_test(test_cublas_is_searched_beyond_the_loader_path),
        cmocka_unit_test(test_cublas_is_searched_beside_python),
    };

    return cmocka_run_group_tests_name("measure_needs", tests, NULL, NULL);
}
