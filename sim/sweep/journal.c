/*
 * journal.c - a file of finished work that survives any end of the process; see
 * journal.h
 *
 *   acesim journal 1
 *   ID N_BYTES SUM          64 hexadecimal digits, decimal, 64 hexadecimal
 *   TEXT                    N_BYTES of it, then a line feed
 *   ...
 *
 * SUM is over ID, N_BYTES and TEXT. The file is only appended to, or written
 * again under another name and renamed.  So no record is missing at any moment.
 */
#include "sim/sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/host/output.h"
#include "sim/sweep/journal/journal_duplicate.h"
#include "sim/sweep/journal/journal_io.h"
#include "sim/sweep/journal/journal_lock.h"

#define HEADER       JOURNAL_HEADER
#define HEADER_BYTES (sizeof HEADER - 1)

/* The journal is synced to the disk every SYNC_US, but syncing uses at most
 * 1/SYNC_SHARE of the time. */
#define SYNC_US    G_USEC_PER_SEC
#define SYNC_SHARE 20

typedef struct {
    /* Positions of the record, its text and its end in the file. */
    goffset start, text, end;
    gsize n_bytes;
    gboolean wanted;
} RecordPosition;

struct Journal {
    char *path; /* owned */
    int fd;
    gboolean is_locked;
    GArray *records;   /* owned, of RecordPosition */
    guint n_opened;    /* the number of records that were loaded */
    GHashTable *index; /* owned: owned id -> number of the record, from 1 */
    GString *text;     /* owned: the text of the record found last */
    guint last;        /* the number of the record found or added last */
    JournalDamage damage;
    /* The size of the file up to the last complete record. */
    goffset n_written;
    gboolean is_pruned;
    gboolean accepts_records; /* the journal is ready for new records */
    gboolean dirty;
    gint64 next_sync_us;
};

/* ---- reading the records of a journal ------------------------------------ */

/* Returns the record by its number, from 1. */
static RecordPosition *journal_record_at(const Journal *journal, guint number)
{
    return &g_array_index(journal->records, RecordPosition, number - 1);
}

static gboolean set_journal_read_error(const Journal *journal, int code,
                                       GError **error)
{
    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code),
                "%s: cannot be read: %s", journal->path, g_strerror(code));
    return FALSE;
}

static gboolean read_record_text(const Journal *journal,
                                 const RecordPosition *record, GString *out)
{
    gsize n_before = out->len;

    g_string_set_size(out, n_before + record->n_bytes);
    return journal_read_bytes_at(journal->fd, out->str + n_before,
                                 record->n_bytes, record->text);
}

/* Reads the positions of all records.  The texts stay in the file, because
 * together they may not fit into memory. */
static gboolean read_record_positions(Journal *journal, GError **error)
{
    g_autoptr(JournalReader) reader =
        journal_reader_new_on_file(journal->fd, 0);
    JournalRecord existing;

    while (journal_reader_next_record(reader, &existing)) {
        const RecordPosition record = { .start = existing.start,
                                        .text = existing.text_at,
                                        .end = existing.end,
                                        .n_bytes = existing.n_bytes };
        guint n =
            GPOINTER_TO_UINT(g_hash_table_lookup(journal->index, existing.id));

        if (n > 0) {
            const RecordPosition *before = journal_record_at(journal, n);

            g_string_truncate(journal->text, 0);
            if (!read_record_text(journal, before, journal->text))
                return set_journal_read_error(journal, errno, error);
            if (!journal_check_duplicate(journal->path, before->start,
                                         journal->text, &existing, error))
                return FALSE;
        }
        g_array_append_val(journal->records, record);
        g_hash_table_insert(journal->index, g_strdup(existing.id),
                            GUINT_TO_POINTER(journal->records->len));
    }
    if (journal->damage.n_places == 0)
        journal->damage = *journal_reader_damage(reader);
    return journal_reader_error_code(reader) == 0 ||
           set_journal_read_error(journal, journal_reader_error_code(reader),
                                  error);
}

/* ---- opening and closing the journal file -------------------------------- */

Journal *journal_lock(const char *path, GError **error)
{
    Journal *journal;
    gboolean is_locked;
    int fd = journal_open_and_lock(path, &is_locked, error);

    if (fd < 0)
        return NULL;
    journal = g_new0(Journal, 1);
    journal->path = g_strdup(path);
    journal->fd = fd;
    journal->is_locked = is_locked;
    journal->text = g_string_new(NULL);
    journal->records = g_array_new(FALSE, FALSE, sizeof(RecordPosition));
    journal->index =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return journal;
}

gboolean journal_is_locked(const Journal *journal)
{
    return journal->is_locked;
}

gboolean journal_load_records(Journal *journal, gboolean fresh, GError **error)
{
    g_array_set_size(journal->records, 0);
    g_hash_table_remove_all(journal->index);
    journal->accepts_records = journal->is_pruned = FALSE;
    if (!fresh && !read_record_positions(journal, error))
        return FALSE;
    journal->n_opened = journal->records->len;
    return TRUE;
}

Journal *journal_open(const char *path, gboolean fresh, GError **error)
{
    g_autoptr(Journal) journal = journal_lock(path, error);

    if (!journal)
        return NULL;
    if (!journal->is_locked) {
        (void)!output_set_write_error(path, ENOLCK, error);
        return NULL;
    }
    return journal_load_records(journal, fresh, error)
               ? g_steal_pointer(&journal)
               : NULL;
}

void journal_close(Journal *journal)
{
    if (!journal)
        return;
    g_string_free(journal->text, TRUE);
    g_clear_pointer(&journal->records, g_array_unref);
    g_clear_pointer(&journal->index, g_hash_table_unref);
    close(journal->fd);
    g_free(journal->path);
    g_free(journal);
}

/* ---- finding the record of an id ----------------------------------------- */

guint journal_count_records(const Journal *journal)
{
    return journal->n_opened;
}

const JournalDamage *journal_damage(const Journal *journal)
{
    return &journal->damage;
}

const char *journal_find_record(Journal *journal, const char *id,
                                gsize *n_bytes)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(journal->index, id));
    RecordPosition *record;

    g_return_val_if_fail(!journal->is_pruned, NULL);

    if (number == 0)
        return NULL;
    record = journal_record_at(journal, number);
    g_string_truncate(journal->text, 0);
    if (!read_record_text(journal, record, journal->text))
        return NULL;
    record->wanted = TRUE;
    journal->last = number;
    *n_bytes = record->n_bytes;
    return journal->text->str;
}

guint journal_last_record_number(const Journal *journal)
{
    return journal->last;
}

gboolean journal_append_record_text(const Journal *journal, guint number,
                                    GString *out, GError **error)
{
    g_return_val_if_fail(number > 0 && number <= journal->records->len, FALSE);

    return read_record_text(journal, journal_record_at(journal, number), out) ||
           set_journal_read_error(journal, errno, error);
}

/* ---- removing records and adding new ones -------------------------------- */

/* Returns the size of the file with only the wanted records. */
static goffset bytes_of_records_to_keep(const Journal *journal)
{
    goffset n_bytes = HEADER_BYTES;

    for (guint i = 0; i < journal->records->len; i++) {
        const RecordPosition *position =
            &g_array_index(journal->records, RecordPosition, i);

        n_bytes += position->wanted ? position->end - position->start : 0;
    }
    return n_bytes;
}

/* Copies the wanted records to @to, adjacent ones in one piece.  Returns 0 or
 * an errno. */
static int copy_records_to_keep(const Journal *journal, int to)
{
    int code = output_write_bytes(to, HEADER, HEADER_BYTES);
    goffset at = 0, end = 0;

    for (guint i = 0; i < journal->records->len && code == 0; i++) {
        const RecordPosition *position =
            &g_array_index(journal->records, RecordPosition, i);

        if (!position->wanted)
            continue;
        if (position->start != end) {
            code = journal_copy_bytes(journal->fd, to, at, end);
            at = position->start;
        }
        end = position->end;
    }
    return code == 0 ? journal_copy_bytes(journal->fd, to, at, end) : code;
}

/* Replaces the file by one with only the wanted records.  The new file is
 * locked before it gets the name, and the old one stays locked until then. */
static gboolean rewrite_journal_with_kept_records(Journal *journal,
                                                  GError **error)
{
    g_autofree char *temporary = NULL;
    int fd = output_open_temporary(journal->path, &temporary);
    int code;

    if (fd < 0)
        return output_set_write_error(journal->path, errno, error);
    if (!journal_lock_open_file(temporary, fd, &journal->is_locked, error)) {
        unlink(temporary);
        close(fd);
        return FALSE;
    }
    code = copy_records_to_keep(journal, fd);
    code = output_rename_temporary(fd, code, temporary, journal->path);
    if (code != 0) {
        close(fd);
        return output_set_write_error(journal->path, code, error);
    }
    close(journal->fd);
    journal->fd = fd;
    return TRUE;
}

/* Updates the positions after copy_records_to_keep(). */
static void update_record_positions(Journal *journal)
{
    goffset at = HEADER_BYTES;

    for (guint i = 0; i < journal->records->len; i++) {
        RecordPosition *position =
            &g_array_index(journal->records, RecordPosition, i);
        goffset n_bytes = position->end - position->start;

        if (!position->wanted)
            continue;
        position->text = at + (position->text - position->start);
        position->start = at;
        position->end = at += n_bytes;
    }
}

/* Starts the adding of records after the wanted ones.  A file without wanted
 * records is replaced, because it may belong to another user. */
static gboolean begin_adding_records(Journal *journal, GError **error)
{
    goffset kept = bytes_of_records_to_keep(journal);
    struct stat status;

    if (fstat(journal->fd, &status) != 0)
        return output_set_write_error(journal->path, errno, error);
    if (kept == (goffset)HEADER_BYTES || kept != status.st_size ||
        journal->damage.n_places >
            0) { /* Then the header may be damaged, too. */
        if (!rewrite_journal_with_kept_records(journal, error))
            return FALSE;
        update_record_positions(journal);
    }
    journal->n_written = kept;
    journal->next_sync_us = g_get_monotonic_time() + SYNC_US;
    journal->accepts_records = TRUE;
    return TRUE;
}

gboolean journal_begin_pruned(Journal *journal, GError **error)
{
    gboolean ok = begin_adding_records(journal, error);

    journal->is_pruned = TRUE;
    g_hash_table_remove_all(journal->index);
    return ok;
}

gboolean journal_begin_keeping_all(Journal *journal, GError **error)
{
    for (guint i = 0; i < journal->records->len; i++)
        g_array_index(journal->records, RecordPosition, i).wanted = TRUE;
    return begin_adding_records(journal, error);
}

static void index_added_record(Journal *journal, gsize n_record, gsize n_bytes)
{
    goffset start = journal->n_written, end = start + (goffset)n_record;
    const RecordPosition record = { .start = start,
                                    .text = end - 1 - (goffset)n_bytes,
                                    .end = end,
                                    .n_bytes = n_bytes };

    g_array_append_val(journal->records, record);
    journal->last = journal->records->len;
}

gboolean journal_add_record(Journal *journal, const char *id, const char *text,
                            gsize n_bytes, GError **error)
{
    g_autofree char *sum = journal_record_checksum(id, text, n_bytes);
    g_autoptr(GString) out = g_string_new(NULL);
    int code;

    g_return_val_if_fail(journal->accepts_records, FALSE);
    g_return_val_if_fail(strlen(id) == JOURNAL_ID_CHARS, FALSE);

    g_string_printf(out, "%s %" G_GSIZE_FORMAT " %s\n", id, n_bytes, sum);
    g_string_append_len(out, text, (gssize)n_bytes);
    g_string_append_c(out, '\n');
    code = output_write_bytes(journal->fd, out->str, out->len);
    if (code == 0) {
        index_added_record(journal, out->len, n_bytes);
        journal->n_written += (goffset)out->len;
        journal->dirty = TRUE;
        return TRUE;
    }
    /* An incomplete record would be detected later, but takes space. */
    if (ftruncate(journal->fd, journal->n_written) != 0)
        return output_set_write_error(journal->path, errno, error);
    return output_set_write_error(journal->path, code, error);
}

gboolean journal_sync_to_disk(Journal *journal, gboolean now, GError **error)
{
    gint64 start_us = g_get_monotonic_time();
    gint64 took_us;

    if (!journal->dirty || (!now && start_us < journal->next_sync_us))
        return TRUE;
    if (fdatasync(journal->fd) != 0)
        return output_set_write_error(journal->path, errno, error);
    took_us = g_get_monotonic_time() - start_us;
    journal->dirty = FALSE;
    journal->next_sync_us =
        start_us + MAX(SYNC_US, SYNC_SHARE * took_us) + took_us;
    return TRUE;
}
