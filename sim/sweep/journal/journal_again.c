/* journal_again.c - a point that is in a journal twice */
#include "sim/sweep/journal/journal_again.h"

#include <string.h>

#include "sim/sweep/point_text.h"

gboolean journal_again_check(const char *path, goffset at, const GString *text,
                             const JournalRecord *there, GError **error)
{
    if ((text->len == there->n_bytes &&
         memcmp(text->str, there->text, text->len) == 0) ||
        point_text_is_failure(text->str, text->len) ||
        point_text_is_failure(there->text, there->n_bytes))
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "%s: two results of one point differ, at bytes "
                "%" G_GOFFSET_FORMAT " and %" G_GOFFSET_FORMAT
                ", so one of them is wrong; run all points again with --fresh",
                path, at, there->start);
    return FALSE;
}
