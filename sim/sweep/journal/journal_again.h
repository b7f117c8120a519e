/*
 * journal_again.h - a point that is in a journal twice
 *
 * What failed may have come to a result when it was tried again; results do
 * not change.
 *
 * Errors   G_FILE_ERROR_FAILED
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_AGAIN_H
#define SIM_SWEEP_JOURNAL_JOURNAL_AGAIN_H

#include "sim/sweep/journal/journal_read.h"

/* FALSE: @text, which stands in @path @at that byte, and @there are results of
 * one point, and not the same. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_again_check(const char *path, goffset at, const GString *text,
                             const JournalRecord *there, GError **error);

#endif
