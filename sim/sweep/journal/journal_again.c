/* journal_again.c - see journal_again.h */
#include "sim/sweep/journal/journal_again.h"

#include <string.h>

#include "sim/sweep/point_text.h"

gboolean journal_again_check(const char *path, goffset at, const GString *text,
                             const JournalRecord *there, GError **error)
{
    char how;
    gsize n_bytes = point_text_without_how(text->str, text->len, &how);
    gsize n_there = point_text_without_how(there->text, there->n_bytes, &how);

    if ((n_bytes == n_there && memcmp(text->str, there->text, n_bytes) == 0) ||
        point_text_is_failure(text->str, n_bytes) ||
        point_text_is_failure(there->text, n_there))
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "%s: two results of one point differ, at bytes "
                "%" G_GOFFSET_FORMAT " and %" G_GOFFSET_FORMAT
                ", so one of them is wrong; run all points again with --fresh",
                path, at, there->start);
    return FALSE;
}
