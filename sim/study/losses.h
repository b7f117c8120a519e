/*
 * losses.h - runs of a study that were begun and never ended: killed, as where
 * memory is short, or crashed
 *
 * What a run itself has to complain of is an answer, and no loss.
 *
 * Errors   G_FILE_ERROR_FAILED: some were lost, which is said when all else is
 * Owner    the caller; texts are borrowed
 */
#ifndef SIM_STUDY_LOSSES_H
#define SIM_STUDY_LOSSES_H

#include <glib.h>

typedef struct {
    guint n, n_lost;
    const char *name, *reason; /* of the first that was lost */
} Losses;

/* One more; @reason is why nothing came of it, as run_many.h has it, or
 * NULL. */
void losses_count(Losses *losses, const char *name, const char *reason);

/* FALSE: some were lost of what is called @what, "what-ifs". */
G_GNUC_WARN_UNUSED_RESULT
gboolean losses_are_none(const Losses *losses, const char *what,
                         GError **error);

#endif
