/*
 * journal.c - what is done, kept in one file through any end of the process
 *
 *   acesim journal 1
 *   ID N_BYTES SUM          64 hexadecimal digits, decimal, 64 hexadecimal
 *   TEXT                    N_BYTES of it, then a line feed
 *   ...
 *
 * SUM is over ID, N_BYTES and TEXT.  The file is only ever added to, or made
 * anew beside the old one and renamed: at no moment is a record missing.
 */
#include "sim/sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/host/output.h"
#include "sim/sweep/journal/journal_at.h"
#include "sim/sweep/journal/journal_lock.h"

#define HEADER       JOURNAL_HEADER
#define HEADER_BYTES (sizeof HEADER - 1)
#define SUM_CHARS    64
#define READ_BYTES   (256 * 1024)

/* A sync every second, unless that would take more than a twentieth. */
#define SYNC_US    G_USEC_PER_SEC
#define SYNC_SHARE 20

typedef struct {
    gsize start, text, end; /* in the file */
    gsize n_bytes;
    gboolean wanted;
} Record;

struct Journal {
    char *path; /* owned */
    int fd;
    gboolean is_locked;
    GString *old;      /* owned: the file as it was, NULL once pruned */
    GArray *records;   /* owned, of Record */
    guint n_opened;    /* of them, that were in the file */
    GHashTable *index; /* owned: owned id -> number of the record, from 1 */
    guint last;        /* number of the record found or added last */
    goffset n_written; /* bytes of whole records in the file */
    gboolean takes;    /* records may be added */
    gboolean dirty;
    gint64 next_sync_us;
};

/* ---- records ---------------------------------------------------------- */

static gboolean read_word(const char **p, const char *end, gsize n_chars,
                          char last, char *ret)
{
    if ((gsize)(end - *p) <= n_chars || (*p)[n_chars] != last)
        return FALSE;
    memcpy(ret, *p, n_chars);
    ret[n_chars] = '\0';
    *p += n_chars + 1;
    return TRUE;
}

/* Reads the record at @start and puts its id in @id.  FALSE: it is not whole.
 */
static gboolean read_record(const GString *file, gsize start, Record *record,
                            char *id)
{
    const char *p = file->str + start, *end = file->str + file->len;
    char *behind;
    char sum[SUM_CHARS + 1];
    g_autofree char *due = NULL;
    guint64 n_bytes;

    if (!read_word(&p, end, JOURNAL_ID_CHARS, ' ', id) || !g_ascii_isdigit(*p))
        return FALSE;
    n_bytes = g_ascii_strtoull(p, &behind, 10);
    if (*behind != ' ')
        return FALSE;
    p = behind + 1;
    if (!read_word(&p, end, SUM_CHARS, '\n', sum) ||
        n_bytes >= (guint64)(end - p) || p[n_bytes] != '\n')
        return FALSE;
    due = journal_sum(id, p, n_bytes);
    *record = (Record){ .start = start,
                        .text = (gsize)(p - file->str),
                        .n_bytes = n_bytes,
                        .end = (gsize)(p - file->str) + n_bytes + 1 };
    return g_str_equal(sum, due);
}

static void read_records(Journal *journal)
{
    gsize at = HEADER_BYTES;
    char id[JOURNAL_ID_CHARS + 1];
    Record record;

    if (!g_str_has_prefix(journal->old->str, HEADER))
        return;
    while (read_record(journal->old, at, &record, id)) {
        g_array_append_val(journal->records, record);
        g_hash_table_insert(journal->index, g_strdup(id),
                            GUINT_TO_POINTER(journal->records->len));
        /* A text ends as a string, in place of its line feed. */
        journal->old->str[record.end - 1] = '\0';
        at = record.end;
    }
}

/* ---- the file ---------------------------------------------------------- */

static gboolean read_file(Journal *journal, GError **error)
{
    g_autofree char *block = g_malloc(READ_BYTES);
    ssize_t n;

    while ((n = read(journal->fd, block, READ_BYTES)) != 0) {
        if (n > 0)
            g_string_append_len(journal->old, block, n);
        else if (errno != EINTR)
            break;
    }
    if (n == 0)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno),
                "%s: cannot be read: %s", journal->path, g_strerror(errno));
    return FALSE;
}

Journal *journal_lock(const char *path, GError **error)
{
    Journal *journal;
    gboolean is_locked;
    int fd = journal_lock_open(path, &is_locked, error);

    if (fd < 0)
        return NULL;
    journal = g_new0(Journal, 1);
    journal->path = g_strdup(path);
    journal->fd = fd;
    journal->is_locked = is_locked;
    journal->old = g_string_new(NULL);
    journal->records = g_array_new(FALSE, FALSE, sizeof(Record));
    journal->index =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return journal;
}

gboolean journal_is_locked(const Journal *journal)
{
    return journal->is_locked;
}

gboolean journal_load(Journal *journal, gboolean fresh, GError **error)
{
    if (journal->old)
        g_string_truncate(journal->old, 0);
    else
        journal->old = g_string_new(NULL);
    g_array_set_size(journal->records, 0);
    g_hash_table_remove_all(journal->index);
    journal->takes = FALSE;
    if (lseek(journal->fd, 0, SEEK_SET) < 0)
        return output_fail(journal->path, errno, error);
    if (!read_file(journal, error))
        return FALSE;
    if (!fresh)
        read_records(journal);
    journal->n_opened = journal->records->len;
    return TRUE;
}

Journal *journal_open(const char *path, gboolean fresh, GError **error)
{
    g_autoptr(Journal) journal = journal_lock(path, error);

    if (!journal)
        return NULL;
    if (!journal->is_locked) {
        (void)!output_fail(path, ENOLCK, error);
        return NULL;
    }
    return journal_load(journal, fresh, error) ? g_steal_pointer(&journal)
                                               : NULL;
}

void journal_close(Journal *journal)
{
    if (!journal)
        return;
    if (journal->old)
        g_string_free(journal->old, TRUE);
    g_clear_pointer(&journal->records, g_array_unref);
    g_clear_pointer(&journal->index, g_hash_table_unref);
    close(journal->fd);
    g_free(journal->path);
    g_free(journal);
}

/* ---- what is in it ---------------------------------------------------- */

guint journal_n_records(const Journal *journal)
{
    return journal->n_opened;
}

const char *journal_find(Journal *journal, const char *id, gsize *n_bytes)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(journal->index, id));
    Record *record;

    g_return_val_if_fail(journal->old, NULL);

    if (number == 0)
        return NULL;
    record = &g_array_index(journal->records, Record, number - 1);
    record->wanted = TRUE;
    journal->last = number;
    *n_bytes = record->n_bytes;
    return journal->old->str + record->text;
}

guint journal_last(const Journal *journal)
{
    return journal->last;
}

gboolean journal_read_text(const Journal *journal, guint number, GString *out,
                           GError **error)
{
    const Record *record = &g_array_index(journal->records, Record, number - 1);
    gsize n_before = out->len;

    g_return_val_if_fail(number > 0 && number <= journal->records->len, FALSE);

    g_string_set_size(out, n_before + record->n_bytes);
    if (journal_at_read(journal->fd, out->str + n_before, record->n_bytes,
                        (goffset)record->text))
        return TRUE;
    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno),
                "%s: cannot be read: %s", journal->path, g_strerror(errno));
    return FALSE;
}

/* What is to stay; NULL: all of the file. */
static GString *pruned(const Journal *journal)
{
    GString *out = g_string_new(HEADER);

    for (guint i = 0; i < journal->records->len; i++) {
        const Record *r = &g_array_index(journal->records, Record, i);

        if (!r->wanted)
            continue;
        g_string_append_len(out, journal->old->str + r->start,
                            (gssize)(r->end - 1 - r->start));
        g_string_append_c(out, '\n');
    }
    if (out->len < journal->old->len ||
        !g_str_has_prefix(journal->old->str, HEADER))
        return out;
    g_string_free(out, TRUE);
    return NULL;
}

/* The new file is locked before it has the name, the old one until then. */
static gboolean rewrite(Journal *journal, const GString *text, GError **error)
{
    g_autofree char *temporary = NULL;
    int fd = output_begin(journal->path, &temporary);
    int code;

    if (fd < 0)
        return output_fail(journal->path, errno, error);
    if (!journal_lock_file(temporary, fd, &journal->is_locked, error)) {
        unlink(temporary);
        close(fd);
        return FALSE;
    }
    code = output_write_all(fd, text->str, text->len);
    code = output_end(fd, code, temporary, journal->path);
    if (code != 0) {
        close(fd);
        return output_fail(journal->path, code, error);
    }
    close(journal->fd);
    journal->fd = fd;
    return TRUE;
}

/* To where pruned() puts them. */
static void move_records(Journal *journal)
{
    gsize at = HEADER_BYTES;

    for (guint i = 0; i < journal->records->len; i++) {
        Record *r = &g_array_index(journal->records, Record, i);
        gsize n_bytes = r->end - r->start;

        if (!r->wanted)
            continue;
        r->text = at + (r->text - r->start);
        r->start = at;
        r->end = at += n_bytes;
    }
}

/* From now on records are added behind those that were asked for. */
static gboolean begin(Journal *journal, GError **error)
{
    GString *text = pruned(journal);
    gboolean ok = !text || rewrite(journal, text, error);

    if (text)
        move_records(journal);
    journal->n_written = (goffset)(text ? text->len : journal->old->len);
    if (text)
        g_string_free(text, TRUE);
    journal->next_sync_us = g_get_monotonic_time() + SYNC_US;
    journal->takes = TRUE;
    return ok;
}

gboolean journal_prune(Journal *journal, GError **error)
{
    gboolean ok = begin(journal, error);

    g_string_free(journal->old, TRUE);
    journal->old = NULL;
    g_hash_table_remove_all(journal->index);
    return ok;
}

gboolean journal_keep(Journal *journal, GError **error)
{
    for (guint i = 0; i < journal->records->len; i++)
        g_array_index(journal->records, Record, i).wanted = TRUE;
    return begin(journal, error);
}

static void note_added(Journal *journal, gsize n_record, gsize n_bytes)
{
    gsize start = (gsize)journal->n_written;
    const Record record = { .start = start,
                            .text = start + n_record - 1 - n_bytes,
                            .end = start + n_record,
                            .n_bytes = n_bytes };

    g_array_append_val(journal->records, record);
    journal->last = journal->records->len;
}

gboolean journal_add(Journal *journal, const char *id, const char *text,
                     gsize n_bytes, GError **error)
{
    g_autofree char *sum = journal_sum(id, text, n_bytes);
    g_autoptr(GString) out = g_string_new(NULL);
    int code;

    g_return_val_if_fail(journal->takes, FALSE);
    g_return_val_if_fail(strlen(id) == JOURNAL_ID_CHARS, FALSE);

    g_string_printf(out, "%s %" G_GSIZE_FORMAT " %s\n", id, n_bytes, sum);
    g_string_append_len(out, text, (gssize)n_bytes);
    g_string_append_c(out, '\n');
    code = output_write_all(journal->fd, out->str, out->len);
    if (code == 0) {
        note_added(journal, out->len, n_bytes);
        journal->n_written += (goffset)out->len;
        journal->dirty = TRUE;
        return TRUE;
    }
    /* A part of a record would be found as such, but takes room. */
    if (ftruncate(journal->fd, journal->n_written) != 0)
        return output_fail(journal->path, errno, error);
    return output_fail(journal->path, code, error);
}

gboolean journal_sync(Journal *journal, gboolean now, GError **error)
{
    gint64 start_us = g_get_monotonic_time();
    gint64 took_us;

    if (!journal->dirty || (!now && start_us < journal->next_sync_us))
        return TRUE;
    if (fdatasync(journal->fd) != 0)
        return output_fail(journal->path, errno, error);
    took_us = g_get_monotonic_time() - start_us;
    journal->dirty = FALSE;
    journal->next_sync_us =
        start_us + MAX(SYNC_US, SYNC_SHARE * took_us) + took_us;
    return TRUE;
}
