/* Tests of sim/host/output.h: files appear complete, and nothing else is
 * written to */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/output.h"
#include "sim/host/output_stream.h"
#include "tests/test.h"

typedef struct {
    /* The struct owns these paths. Nothing may be written to .other. */
    char *folder, *path, *other;
} Place;

static int setup(void **state)
{
    Place *place = g_new0(Place, 1);

    place->folder = g_dir_make_tmp("acesim-output-XXXXXX", NULL);
    place->path = g_build_filename(place->folder, "f.csv", NULL);
    place->other = g_build_filename(place->folder, "other", NULL);
    *state = place;
    return g_file_set_contents(place->other, "mine", -1, NULL) ? 0 : -1;
}

static int teardown(void **state)
{
    Place *place = *state;

    g_unlink(place->path);
    g_unlink(place->other);
    g_rmdir(place->folder);
    g_free(place->path);
    g_free(place->other);
    g_free(place->folder);
    g_free(place);
    return 0;
}

static void assert_contents(const char *path, const char *expected)
{
    g_autofree char *text = NULL;
    struct stat status;

    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    assert_string_equal(text, expected);
}

static void replace_output_file(const Place *place)
{
    g_autoptr(GString) text = g_string_new("new");
    g_autoptr(GError) error = NULL;
    gboolean ok = output_replace_file(place->path, text, &error);

    assert_no_error(error);
    assert_true(ok);
    assert_contents(place->path, "new");
    assert_contents(place->other, "mine");
}

static void test_a_link_is_replaced_and_what_it_names_stays(void **state)
{
    const Place *place = *state;

    assert_int_equal(symlink(place->other, place->path), 0);
    replace_output_file(place);
}

static void test_a_pipe_is_replaced_and_not_waited_for(void **state)
{
    const Place *place = *state;

    assert_int_equal(mkfifo(place->path, 0600), 0);
    replace_output_file(place);
}

/* Process numbers can be guessed, so a link may exist under the temporary
 * name. */
static void test_a_link_under_the_temporary_name_is_not_followed(void **state)
{
    const Place *place = *state;
    g_autofree char *temporary =
        g_strdup_printf("%s.%d.tmp", place->path, (int)getpid());
    g_autoptr(GError) error = NULL;

    assert_int_equal(symlink(place->other, temporary), 0);
    replace_output_file(place);
    assert_int_equal(symlink(place->other, temporary), 0);
    assert_true(output_check_writable(place->path, &error));
    assert_contents(place->other, "mine");
}

static void test_a_stream_does_not_follow_such_a_link_either(void **state)
{
    const Place *place = *state;
    g_autofree char *temporary =
        g_strdup_printf("%s.%d.tmp", place->path, (int)getpid());
    g_autoptr(GError) error = NULL;
    g_autoptr(Stream) stream = NULL;

    assert_int_equal(symlink(place->other, temporary), 0);
    stream = output_stream_open(place->path, &error);
    assert_no_error(error);
    output_stream_printf(stream, "new");
    assert_true(output_stream_finish(stream, &error));
    assert_contents(place->path, "new");
    assert_contents(place->other, "mine");
}

static void test_output_may_be_a_device(void **state)
{
    g_autoptr(GString) text = g_string_new("new");
    g_autoptr(GError) error = NULL;

    (void)state;
    assert_true(output_write_user_path("/dev/null", text, &error));
    assert_false(output_write_user_path("/dev/full", text, &error));
    assert_gerror(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC,
                  "/dev/full: cannot be written: No space left on device");
}

/* Returns the number of a process that has ended. */
static pid_t pid_of_ended_process(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return pid;
}

/* Process 1 always exists. */
static void test_only_leftovers_of_ended_processes_are_removed(void **state)
{
    static const char *const stay[] = { "f.csv.tmp",   "f.csv.x1.tmp",
                                        "g.csv.9.tmp", "f.csv.9.tmpx",
                                        "f.csv.1.tmp", "f.csv.-9.tmp" };
    const Place *place = *state;
    g_autofree char *left =
        g_strdup_printf("%s.%d.tmp", place->path, (int)pid_of_ended_process());

    assert_true(g_file_set_contents(left, "", 0, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(stay); i++) {
        g_autofree char *path = g_build_filename(place->folder, stay[i], NULL);

        assert_true(g_file_set_contents(path, "", 0, NULL));
    }
    output_remove_leftovers(place->folder, "f.csv");
    assert_false(g_file_test(left, G_FILE_TEST_EXISTS));
    for (guint i = 0; i < G_N_ELEMENTS(stay); i++) {
        g_autofree char *path = g_build_filename(place->folder, stay[i], NULL);

        assert_int_equal(g_unlink(path), 0);
    }
}

static void add_output_file(OutputGroup *group, const char *path,
                            const char *text)
{
    g_autoptr(GString) string = g_string_new(text);
    g_autoptr(GError) error = NULL;

    assert_true(output_group_add_file(group, path, string, &error));
    assert_no_error(error);
}

static void test_a_group_is_renamed_completely_or_not_at_all(void **state)
{
    const Place *place = *state;
    g_autoptr(GError) error = NULL;

    for (guint commit = 0; commit < 2; commit++) {
        g_autoptr(OutputGroup) group = output_group_new();

        add_output_file(group, place->path, "new");
        add_output_file(group, place->other, "other");
        assert_false(g_file_test(place->path, G_FILE_TEST_EXISTS));
        assert_contents(place->other, "mine");
        if (commit)
            assert_true(output_group_commit(group, &error));
    }
    assert_contents(place->path, "new");
    assert_contents(place->other, "other");
}

#define TEST(Name) cmocka_unit_test_setup_teardown(Name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_link_is_replaced_and_what_it_names_stays),
        TEST(test_a_pipe_is_replaced_and_not_waited_for),
        TEST(test_a_link_under_the_temporary_name_is_not_followed),
        TEST(test_a_stream_does_not_follow_such_a_link_either),
        TEST(test_output_may_be_a_device),
        TEST(test_only_leftovers_of_ended_processes_are_removed),
        TEST(test_a_group_is_renamed_completely_or_not_at_all),
    };

    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
