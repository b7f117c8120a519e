/* journal_fixture.h - a journal of three records in a temporary folder */
#ifndef TESTS_SIM_JOURNAL_FIXTURE_H
#define TESTS_SIM_JOURNAL_FIXTURE_H

#include <glib/gstdio.h>
#include <string.h>

#include "sim/sweep/journal.h"
#include "tests/test.h"

#define ID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define ID_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static const char *const ids[] = { ID_A, ID_B, ID_C };
static const char *const texts[] = { "one", "", "three\nlines\n\"\"" };

typedef struct {
    char *folder, *path; /* The struct owns this memory. */
} Place;

static inline int setup(void **state)
{
    Place *place = g_new0(Place, 1);

    place->folder = g_dir_make_tmp("acesim-journal-XXXXXX", NULL);
    place->path = g_build_filename(place->folder, "j", NULL);
    *state = place;
    return place->folder ? 0 : -1;
}

static inline int teardown(void **state)
{
    Place *place = *state;

    g_unlink(place->path);
    g_rmdir(place->folder);
    g_free(place->path);
    g_free(place->folder);
    g_free(place);
    return 0;
}

static inline Journal *open_journal(const char *path, gboolean fresh)
{
    g_autoptr(GError) error = NULL;
    Journal *journal = journal_open(path, fresh, &error);

    assert_no_error(error);
    return journal;
}

static inline void add_numbered_record(Journal *journal, guint i)
{
    g_autoptr(GError) error = NULL;
    /* The length includes the final NUL, because texts may contain NULs. */
    gboolean ok = journal_add_record(journal, ids[i], texts[i],
                                     strlen(texts[i]) + 1, &error);

    assert_no_error(error);
    assert_true(ok);
}

static inline gboolean has_numbered_record(Journal *journal, guint i)
{
    gsize n_bytes = 0;
    const char *text = journal_find_record(journal, ids[i], &n_bytes);

    if (!text)
        return FALSE;
    assert_int_equal(n_bytes, strlen(texts[i]) + 1);
    assert_string_equal(text, texts[i]);
    return TRUE;
}

/* Returns how many of the three records are found, and sets *@ret (may be NULL)
 * to the damage.  Keeps all records. */
static inline guint count_records_with_damage(const char *path,
                                              JournalDamage *ret)
{
    g_autoptr(Journal) journal = open_journal(path, FALSE);
    guint n = 0;

    for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
        if (has_numbered_record(journal, i))
            n++;
    assert_true(journal_begin_pruned(journal, NULL));
    if (ret)
        *ret = *journal_damage(journal);
    return n;
}

static inline guint count_records_found(const char *path)
{
    return count_records_with_damage(path, NULL);
}

static inline void write_three_records(const char *path)
{
    g_autoptr(Journal) journal = open_journal(path, TRUE);

    assert_true(journal_begin_pruned(journal, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
        add_numbered_record(journal, i);
    assert_true(journal_sync_to_disk(journal, TRUE, NULL));
}

static inline char *read_journal_file(const char *path, gsize *n_bytes)
{
    char *text;

    assert_true(g_file_get_contents(path, &text, n_bytes, NULL));
    return text;
}

#endif
