/*
 * journal_duplicate.c - compares two records of one point; see
 * journal_duplicate.h
 */
#include "sim/sweep/journal/journal_duplicate.h"

#include <string.h>

#include "sim/sweep/sweep_point_text.h"

gboolean journal_check_duplicate(const char *path, goffset at,
                                 const GString *text,
                                 const JournalRecord *existing, GError **error)
{
    char how;
    gsize n_bytes = point_text_without_method(text->str, text->len, &how);
    gsize n_existing =
        point_text_without_method(existing->text, existing->n_bytes, &how);

    if ((n_bytes == n_existing &&
         memcmp(text->str, existing->text, n_bytes) == 0) ||
        point_text_is_failure(text->str, n_bytes) ||
        point_text_is_failure(existing->text, n_existing))
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "%s: two results of one point differ, at bytes "
                "%" G_GOFFSET_FORMAT " and %" G_GOFFSET_FORMAT
                ", so one of them is wrong; run all points again with --fresh",
                path, at, existing->start);
    return FALSE;
}
