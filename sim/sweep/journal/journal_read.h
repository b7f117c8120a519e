/*
 * journal_read.h - reads the records of a journal file one by one
 *
 * No lock is taken, so another process may append to the file at the same time.
 * A record that is not complete yet is ignored.
 *
 * Cost     memory for one record
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the reader, which owns the text of its record
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_READ_H
#define SIM_SWEEP_JOURNAL_JOURNAL_READ_H

#include <glib.h>

#define JOURNAL_ID_CHARS 64 /* SHA-256 in hexadecimal */
#define JOURNAL_HEADER   "acesim journal 1\n"

typedef struct JournalReader JournalReader;

typedef struct {
    char id[JOURNAL_ID_CHARS + 1];
    const char *text; /* borrowed until the next record; followed by a NUL */
    gsize n_bytes;
    /* Positions in the file: of the record, of its text, and of the next
     * record. */
    goffset start, text_at, end;
} JournalRecord;

/* The parts of a file that are not complete records.  The incomplete record
 * that a killed process leaves at the end does not count. */
typedef struct {
    guint n_places;       /* the number of damaged places */
    goffset first_offset; /* the start of the first damaged part */
    /* The number of complete records before the first damaged part. */
    guint n_before;
    goffset n_bytes; /* the size of all damaged parts */
} JournalDamage;

/* Returns the checksum of a record.  The caller owns the text. */
char *journal_record_checksum(const char *id, const char *text, gsize n_bytes);

/* Returns a reader that starts at @from, which is 0 or the end of a record.
 * Returns NULL with an error if the file cannot be read, and NULL without an
 * error if there is no file.  A file that is not a journal has no records and
 * is damaged from its first byte on. */
G_GNUC_WARN_UNUSED_RESULT
JournalReader *journal_reader_new(const char *path, goffset from,
                                  GError **error);
/* Same as journal_reader_new(), for an open file, which the caller still owns.
 * Needed because closing a second descriptor of a file releases the lock on
 * it. */
JournalReader *journal_reader_new_on_file(int fd, goffset from);
void journal_reader_free(JournalReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JournalReader, journal_reader_free)

/* Reads the next record into *@ret.  Skips damaged parts up to the next record
 * with a correct checksum.  Returns FALSE if there are no more complete
 * records. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_reader_next_record(JournalReader *reader, JournalRecord *ret);

/* Returns the damage that was skipped so far. */
const JournalDamage *journal_reader_damage(const JournalReader *reader);

/* Returns 0, or the errno if reading failed. */
int journal_reader_error_code(const JournalReader *reader);

#endif
