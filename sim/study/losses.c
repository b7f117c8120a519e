/* losses.c - counts the runs of a study that were started and never ended */
#include "sim/study/losses.h"

void losses_count(Losses *losses, const char *name, const char *reason)
{
    losses->n++;
    if (!reason)
        return;
    if (losses->n_lost++ == 0) {
        losses->name = name;
        losses->reason = reason;
    }
}

gboolean losses_are_none(const Losses *losses, const char *what, GError **error)
{
    if (losses->n_lost == 0)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "the answer is not whole: %u of %u %s did not run to the end; "
                "%s: %s",
                losses->n_lost, losses->n, what, losses->name, losses->reason);
    return FALSE;
}
