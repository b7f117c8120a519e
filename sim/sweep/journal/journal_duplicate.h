/*
 * journal_duplicate.h - compares two records of one point
 *
 * A point that failed may have a result after another attempt.  Two results of
 * one point must be equal.
 *
 * Errors   G_FILE_ERROR_FAILED
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_DUPLICATE_H
#define SIM_SWEEP_JOURNAL_JOURNAL_DUPLICATE_H

#include "sim/sweep/journal/journal_read.h"

/* Returns FALSE and sets @error if @text, the record at byte @offset of the
 * file
 * @path, and @existing are different results. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_check_duplicate(const char *path, goffset offset,
                                 const GString *text,
                                 const JournalRecord *existing, GError **error);

#endif
