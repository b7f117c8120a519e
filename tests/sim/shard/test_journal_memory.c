/* Tests of sim/sweep/journal.h: the memory that a journal needs */
#include <glib/gstdio.h>
#include <sys/resource.h>

#include "sim/sweep/journal.h"
#include "tests/test.h"

static Journal *open_journal(const char *path, gboolean fresh)
{
    g_autoptr(GError) error = NULL;
    Journal *journal = journal_open(path, fresh, &error);

    assert_no_error(error);
    return journal;
}

#define N_LARGE     48
#define LARGE_BYTES (1 << 20)

static void write_large_journal(const char *path)
{
    g_autofree char *text = g_strnfill(LARGE_BYTES, 'x');
    g_autoptr(Journal) journal = open_journal(path, TRUE);

    assert_true(journal_begin_pruned(journal, NULL));
    for (guint i = 0; i < N_LARGE; i++) {
        g_autofree char *id = g_strdup_printf("%064u", i);

        assert_true(journal_add_record(journal, id, text, LARGE_BYTES, NULL));
    }
}

static goffset peak_resident_bytes(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (goffset)usage.ru_maxrss * 1024;
}

/* A sweep of many points is resumed with the memory for one text. */
static void test_journal_texts_stay_in_the_file(void **state)
{
    g_autofree char *folder = g_dir_make_tmp("acesim-journal-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "j", NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(Journal) journal = NULL;
    goffset before;

    (void)state;
    write_large_journal(path);
    before = peak_resident_bytes();
    journal = open_journal(path, FALSE);
    assert_int_equal(journal_count_records(journal), N_LARGE);
    /* All records but one are kept, so the file is copied. */
    for (guint i = 1; i < N_LARGE; i++) {
        g_autofree char *id = g_strdup_printf("%064u", i);
        gsize n_bytes;

        assert_non_null(journal_find_record(journal, id, &n_bytes));
        assert_int_equal(n_bytes, LARGE_BYTES);
    }
    assert_true(journal_begin_pruned(journal, NULL));
    assert_true(journal_append_record_text(journal, N_LARGE, text, NULL));
    assert_int_equal(text->len, LARGE_BYTES);
    assert_in_range(peak_resident_bytes() - before, 0,
                    N_LARGE / 4 * LARGE_BYTES);
    g_unlink(path);
    g_rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_journal_texts_stay_in_the_file),
    };

    return cmocka_run_group_tests_name("journal_memory", tests, NULL, NULL);
}
