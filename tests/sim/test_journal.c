/* Tests of sim/sweep/journal.h: finished work survives any end of the
 * process */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/sweep/shared_runs/point_rows_from_run.h"
#include "sim/sweep/sweep_point_text.h"
#include "tests/sim/journal_fixture.h"
#include "tests/sim/shard/lock_holder_fixture.h"

/* ---- records of a journal ------------------------------------------------ */

static void test_added_records_are_found_after_reopening(void **state)
{
    const Place *place = *state;

    write_three_records(place->path);
    assert_int_equal(count_records_found(place->path), 3);
    assert_int_equal(count_records_found(place->path), 3);
}

static void test_records_that_are_not_looked_up_are_removed(void **state)
{
    const Place *place = *state;
    g_autoptr(Journal) journal = NULL;
    g_autoptr(Journal) again = NULL;

    write_three_records(place->path);
    journal = open_journal(place->path, FALSE);
    assert_int_equal(journal_count_records(journal), 3);
    assert_true(has_numbered_record(journal, 1));
    assert_true(journal_begin_pruned(journal, NULL));
    /* The record is added to the new file, not to the old one. */
    add_numbered_record(journal, 2);
    g_clear_pointer(&journal, journal_close);
    again = open_journal(place->path, FALSE);
    assert_int_equal(journal_count_records(again), 2);
    assert_false(has_numbered_record(again, 0));
    assert_true(has_numbered_record(again, 1));
    assert_true(has_numbered_record(again, 2));
}

/* Two records of one point with different results. */
static void test_two_records_of_one_id_that_differ_are_an_error(void **state)
{
    const Place *place = *state;
    g_autoptr(GError) error = NULL;
    Journal *journal = open_journal(place->path, TRUE);

    assert_true(journal_begin_pruned(journal, NULL));
    assert_true(journal_add_record(journal, ID_A, "one", 4, NULL));
    assert_true(journal_add_record(journal, ID_A, "one", 4, NULL));
    g_clear_pointer(&journal, journal_close);
    journal = open_journal(place->path, FALSE);
    assert_true(has_numbered_record(journal, 0));
    assert_true(journal_begin_keeping_all(journal, NULL));
    assert_true(journal_add_record(journal, ID_A, "two", 4, NULL));
    g_clear_pointer(&journal, journal_close);
    assert_null(journal_open(place->path, FALSE, &error));
    assert_non_null(strstr(error->message, "two results of one point differ"));
}

/* Records of a worker that simulated a point and of one that shared a run. */
static void test_the_method_is_not_part_of_a_result(void **state)
{
    static const char letters[] = { POINT_SIMULATED, POINT_SHARED };
    const Place *place = *state;
    g_autoptr(GString) text = g_string_new(NULL);
    Journal *journal = open_journal(place->path, TRUE);

    for (guint i = 0; i < POINT_TEXT_N_PARTS; i++)
        point_text_append_section(text, i == 0 ? "a row\n" : "");
    assert_true(journal_begin_pruned(journal, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(letters); i++) {
        g_autoptr(GString) whole =
            point_text_with_method(text->str, text->len, letters[i]);
        char how;

        assert_true(
            journal_add_record(journal, ID_A, whole->str, whole->len, NULL));
        assert_int_equal(
            point_text_without_method(whole->str, whole->len, &how), text->len);
        assert_int_equal(how, letters[i]);
        assert_int_equal(point_text_without_method(text->str, text->len, &how),
                         text->len);
        assert_int_equal(how, 0);
    }
    journal_close(journal);
    journal = open_journal(place->path, FALSE);
    assert_int_equal(journal_count_records(journal), 2);
    journal_close(journal);
}

static void test_a_fresh_journal_has_nothing(void **state)
{
    const Place *place = *state;
    g_autoptr(Journal) journal = NULL;

    write_three_records(place->path);
    journal = open_journal(place->path, TRUE);
    assert_int_equal(journal_count_records(journal), 0);
    assert_false(has_numbered_record(journal, 0));
    assert_true(journal_begin_pruned(journal, NULL));
    g_clear_pointer(&journal, journal_close);
    assert_int_equal(count_records_found(place->path), 0);
}

static void test_a_file_that_ends_anywhere_has_the_records_before(void **state)
{
    const Place *place = *state;
    g_autofree char *text = NULL;
    gsize n_bytes, ends[4] = { 0 };
    guint n = 0;

    write_three_records(place->path);
    text = read_journal_file(place->path, &n_bytes);
    for (const char *p = text; p < text + n_bytes; p++)
        for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
            if (g_str_has_prefix(p, ids[i]))
                /* The end of the record before this one. */
                ends[i] = (gsize)(p - text);
    ends[3] = n_bytes;
    for (gsize length = 0; length <= n_bytes; length++) {
        assert_true(
            g_file_set_contents(place->path, text, (gssize)length, NULL));
        while (n < 3 && length >= ends[n + 1])
            n++;
        assert_int_equal(count_records_found(place->path), n);
        /* The file was repaired, so added records can be found. */
        assert_int_equal(count_records_found(place->path), n);
    }
    assert_int_equal(n, 3);
}

static void test_a_file_that_is_no_journal_counts_as_empty(void **state)
{
    static const char *const strange[] = {
        "",
        "\n",
        "acesim journal 2\n",
        "a,b\n1,2\n",
        "acesim journal 1\n" ID_A " 18446744073709551615 " ID_B "\n",
        "acesim journal 1\n" ID_A " 99999999999999999999 " ID_B "\nx\n",
        "acesim journal 1\n" ID_A " -1 " ID_B "\nx\n",
    };
    const Place *place = *state;

    for (guint i = 0; i < G_N_ELEMENTS(strange); i++) {
        assert_true(g_file_set_contents(place->path, strange[i], -1, NULL));
        assert_int_equal(count_records_found(place->path), 0);
    }
}

/* ---- lock of a journal --------------------------------------------------- */

static gboolean take_journal_lock(gconstpointer path)
{
    return journal_open(path, FALSE, NULL) != NULL;
}

static void test_a_second_process_gets_the_number_of_the_first(void **state)
{
    const Place *place = *state;
    g_autoptr(GError) error = NULL;
    g_autofree char *message = NULL;
    int fd, status;
    pid_t pid = lock_holder_new(take_journal_lock, place->path, &fd);

    message = g_strdup_printf("%s: in use by another sweep, process %d",
                              place->path, (int)pid);
    assert_null(journal_open(place->path, FALSE, &error));
    assert_gerror(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN, message);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(fd);
    assert_int_equal(count_records_found(place->path), 0);
}

/* A child that a killed sweep left running must not block the next sweep. */
static void test_children_do_not_hold_the_lock(void **state)
{
    const Place *place = *state;
    Journal *journal = open_journal(place->path, FALSE);
    int fds[2], other_end;
    char byte;
    pid_t pid;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(fds[1]);
        (void)!read(fds[0], &byte, 1);
        _exit(0);
    }
    close(fds[0]);
    journal_close(journal);
    /* The call asserts that the child process gets the lock. */
    (void)lock_holder_new(take_journal_lock, place->path, &other_end);
    close(other_end);
    close(fds[1]);
    while (wait(NULL) > 0)
        ;
}

static void test_links_pipes_and_folders_are_not_opened(void **state)
{
    const Place *place = *state;
    g_autoptr(GError) error = NULL;
    g_autofree char *link_message = g_strdup_printf(
        "%s: cannot be written: Too many levels of symbolic links",
        place->path);
    g_autofree char *pipe_message =
        g_strdup_printf("%s: cannot be written: Invalid argument", place->path);
    g_autofree char *target = g_build_filename(place->folder, "t", NULL);

    assert_int_equal(symlink(target, place->path), 0);
    assert_null(journal_open(place->path, FALSE, &error));
    assert_gerror(error, G_FILE_ERROR, G_FILE_ERROR_LOOP, link_message);
    assert_false(g_file_test(target, G_FILE_TEST_EXISTS));
    g_unlink(place->path);
    assert_int_equal(mkfifo(place->path, 0600), 0);
    assert_null(journal_open(place->path, FALSE, &error));
    assert_gerror(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, pipe_message);
}

/* ---- journal on a full disk ---------------------------------------------- */

static void
test_a_record_without_room_is_an_error_and_leaves_no_part(void **state)
{
    const Place *place = *state;
    g_autoptr(GError) error = NULL;
    g_autofree char *large = g_strnfill(5000, 'x');
    g_autofree char *message =
        g_strdup_printf("%s: cannot be written: File too large", place->path);
    g_autoptr(Journal) journal = open_journal(place->path, FALSE);
    struct rlimit old, limit;
    gsize before, after;

    assert_true(journal_begin_pruned(journal, NULL));
    add_numbered_record(journal, 0);
    g_free(read_journal_file(place->path, &before));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = (struct rlimit){ before + 1000, old.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_false(journal_add_record(journal, ID_B, large, 5000, &error));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_gerror(error, G_FILE_ERROR, g_file_error_from_errno(EFBIG), message);
    g_free(read_journal_file(place->path, &after));
    assert_int_equal(after, before);
    g_clear_pointer(&journal, journal_close);
    assert_int_equal(count_records_found(place->path), 1);
}

#define TEST(Name) cmocka_unit_test_setup_teardown(Name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_added_records_are_found_after_reopening),
        TEST(test_records_that_are_not_looked_up_are_removed),
        TEST(test_two_records_of_one_id_that_differ_are_an_error),
        TEST(test_the_method_is_not_part_of_a_result),
        TEST(test_a_fresh_journal_has_nothing),
        TEST(test_a_file_that_ends_anywhere_has_the_records_before),
        TEST(test_a_file_that_is_no_journal_counts_as_empty),
        TEST(test_a_second_process_gets_the_number_of_the_first),
        TEST(test_children_do_not_hold_the_lock),
        TEST(test_links_pipes_and_folders_are_not_opened),
        TEST(test_a_record_without_room_is_an_error_and_leaves_no_part),
    };

    return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
