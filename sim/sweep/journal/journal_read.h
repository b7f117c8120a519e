/*
 * journal_read.h - the records of a journal one by one, as they are on disk
 *
 * For journals that somebody else may be adding to: nothing is locked, and
 * what is half written is not there yet.
 *
 * Cost     memory for one record
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the reader, which owns the text of its record
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_READ_H
#define SIM_SWEEP_JOURNAL_JOURNAL_READ_H

#include <glib.h>

#define JOURNAL_ID_CHARS 64 /* of SHA-256, in hexadecimal */
#define JOURNAL_HEADER   "acesim journal 1\n"

typedef struct JournalReader JournalReader;

typedef struct {
    char id[JOURNAL_ID_CHARS + 1];
    const char *text; /* borrowed until the next; a NUL is behind it */
    gsize n_bytes;
    /* where it begins in the file, its text, and the next one */
    goffset start, text_at, end;
} JournalRecord;

/* What is neither a record nor, at the end of the file, the beginning of one,
 * which a process leaves that is killed as it writes. */
typedef struct {
    guint n_places;  /* 0: there is none */
    goffset at;      /* of the first: where it begins, */
    guint n_before;  /* and how many whole records were read before it */
    goffset n_bytes; /* of all together */
} JournalDamage;

/* The sum over a record.  Owner: the caller. */
char *journal_sum(const char *id, const char *text, gsize n_bytes);

/* Begins at @from, the end of a record, or 0.  NULL with an error: it cannot be
 * read; NULL without: there is none.  What is no journal of ours has no
 * records, and is damaged from its first byte on. */
G_GNUC_WARN_UNUSED_RESULT
JournalReader *journal_reader_new(const char *path, goffset from,
                                  GError **error);
/* On an open file, which stays the caller's: whoever closes a second descriptor
 * of a file loses its lock. */
JournalReader *journal_reader_on(int fd, goffset from);
void journal_reader_free(JournalReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JournalReader, journal_reader_free)

/* FALSE: that was the last that is whole.  What is damaged is passed over: the
 * next record is the next whose sum is right. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_reader_next(JournalReader *reader, JournalRecord *ret);

/* Of what was passed over so far. */
const JournalDamage *journal_reader_damage(const JournalReader *reader);

/* Why there was no more: 0, or the errno of what could not be read. */
int journal_reader_code(const JournalReader *reader);

#endif
