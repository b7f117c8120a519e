/*
 * journal.h - a file of finished work that survives any end of the process
 *
 * The file is a list of records, each with an id, a text and a checksum.
 * Records are appended.  A record that a kill or a full disk left incomplete is
 * detected and dropped when the file is opened again.  Damaged parts in the
 * middle are dropped as well; journal_damage() reports them, and the complete
 * records after them count. journal_begin_pruned() removes the records that
 * were not looked up by journal_find_record().
 *
 * One process at a time uses the file.  It holds a lock that ends with the
 * process, whatever the cause, and that its children do not inherit.
 *
 * Cost     memory for the id and the position of each record, and for one text.
 *          An added record is passed to the system immediately, so a kill does
 *          not lose it; only a crash of the machine can.  Waiting for the disk
 *          takes at most a twentieth of the time (journal_sync_to_disk)
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the journal, which owns the texts that it returns
 */
#ifndef SIM_SWEEP_JOURNAL_H
#define SIM_SWEEP_JOURNAL_H

#include "sim/sweep/journal/journal_read.h"

typedef struct Journal Journal;

/* Opens or creates the file at @path.  With @fresh its records are ignored.  A
 * file that is not a journal counts as empty.  If another process uses the
 * file, @error names the process. */
G_GNUC_WARN_UNUSED_RESULT
Journal *journal_open(const char *path, gboolean fresh, GError **error);
void journal_close(Journal *journal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Journal, journal_close)

/* The two steps of journal_open(), for callers that act between them.
 * journal_lock() does not fail on a file system without locks; the caller then
 * has to make sure that only one process uses the file. */
G_GNUC_WARN_UNUSED_RESULT
Journal *journal_lock(const char *path, GError **error);
gboolean journal_is_locked(const Journal *journal);
/* Loads the records of the file.  May be called again after records were
 * added. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_load_records(Journal *journal, gboolean fresh, GError **error);

/* Returns the number of records when the file was loaded. */
guint journal_count_records(const Journal *journal);

/* Returns the damage that was found at the first load that found any.  The
 * damaged parts are removed as soon as records are added. */
const JournalDamage *journal_damage(const Journal *journal);

/* Returns the text of record @id, followed by a NUL, and sets *@n_bytes.
 * Returns NULL if there is none or it cannot be read.  The text is valid until
 * the next call. */
const char *journal_find_record(Journal *journal, const char *id,
                                gsize *n_bytes);

/* journal_last_record_number() returns the number, from 1, of the record that
 * was found or added last. journal_append_record_text() appends the text of
 * record @number to @out at any later time. */
guint journal_last_record_number(const Journal *journal);
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_append_record_text(const Journal *journal, guint number,
                                    GString *out, GError **error);

/* Starts the adding of records, and drops the records that were not looked up.
 * No record can be found afterwards. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_begin_pruned(Journal *journal, GError **error);

/* Starts the adding of records, and keeps all old ones, for callers that cannot
 * look up all records in advance.  Old records can still be found. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_begin_keeping_all(Journal *journal, GError **error);

/* Appends a record.  Call only after journal_begin_pruned() or
 * journal_begin_keeping_all(). */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_add_record(Journal *journal, const char *id, const char *text,
                            gsize n_bytes, GError **error);

/* Writes the added records to the disk, if enough time has passed since the
 * last time or @now is set. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_sync_to_disk(Journal *journal, gboolean now, GError **error);

#endif
