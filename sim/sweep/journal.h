/*
 * journal.h - what is done, kept in one file through any end of the process
 *
 * A list of records, each an id and a text, which are added at the end and
 * have a check sum.  What a kill or a full disk left half written is found
 * when the file is opened again, and dropped; so is what was damaged in
 * between, which journal_damage() tells, and what is whole behind it counts.
 * Records that nobody asked for by journal_find() go with journal_prune().
 *
 * One process at a time has the file: it holds a lock that ends with it,
 * whatever it dies of, and that its children do not inherit.
 *
 * Cost     memory for the id of each record, where it stands, and one text;
 *          added records are handed to the system at once, which a kill cannot
 *          undo; only a machine that stops can, so the disk is waited for a
 *          twentieth of the time at most (journal_sync)
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the journal, which owns what it hands out
 */
#ifndef SIM_SWEEP_JOURNAL_H
#define SIM_SWEEP_JOURNAL_H

#include "sim/sweep/journal/journal_read.h"

typedef struct Journal Journal;

/* Opens the file at @path or makes it; with @fresh nothing in it counts.  What
 * is there and no journal of ours counts as nothing.  When another process has
 * it the message says which. */
G_GNUC_WARN_UNUSED_RESULT
Journal *journal_open(const char *path, gboolean fresh, GError **error);
void journal_close(Journal *journal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Journal, journal_close)

/* The two steps of journal_open(), where something has to be seen to between
 * them.  A file system without locks is no error of the first: then somebody
 * else has to see to it that there is one process at a time. */
G_GNUC_WARN_UNUSED_RESULT
Journal *journal_lock(const char *path, GError **error);
gboolean journal_is_locked(const Journal *journal);
/* As the file is now; also once more, when records have been added. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_load(Journal *journal, gboolean fresh, GError **error);

/* How many records it had when it was opened. */
guint journal_n_records(const Journal *journal);

/* What could not be read of it when it was loaded: the first time that there
 * was any, for it goes as soon as records are added. */
const JournalDamage *journal_damage(const Journal *journal);

/* The text of the record @id and its length, or NULL, also where it can no
 * longer be read.  There is a NUL behind it.  It lasts until the next call. */
const char *journal_find(Journal *journal, const char *id, gsize *n_bytes);

/* The number of the record that was found or added last, from 1 on.  Its text
 * can be read from the file at any time thereafter, behind what is in @out. */
guint journal_last(const Journal *journal);
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_read_text(const Journal *journal, guint number, GString *out,
                           GError **error);

/* Drops records that were not asked for; nothing can be found from then on. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_prune(Journal *journal, GError **error);

/* In its place, where nobody can ask for all beforehand: nothing is dropped,
 * and what was there can be found from then on, too. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_keep(Journal *journal, GError **error);

/* After journal_prune() or journal_keep() only. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_add(Journal *journal, const char *id, const char *text,
                     gsize n_bytes, GError **error);

/* Sees to it that what was added is on the disk, when it is time to or
 * @now. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_sync(Journal *journal, gboolean now, GError **error);

#endif
