/*
 * run_many.h - how a study gets many runs done, told by who calls it
 *
 * A study says what is to be done and takes what comes of it; whether that
 * happens here, one after the other, or in processes side by side is the
 * caller's business, so that nothing in sim/study forks or meets a signal.
 *
 * Order    pieces of work begin in order and may end in any
 * Errors   what ended them all before they were done; a piece that comes to
 *          nothing is no error, see .done
 * Owner    .self is borrowed
 */
#ifndef SIM_STUDY_RUN_MANY_H
#define SIM_STUDY_RUN_MANY_H

#include <glib.h>

typedef struct {
    guint n; /* pieces of work, from 0 */
    /* Appends what is to be handed back; it may be called in a copy of this
     * process, so whatever else it changes may be lost. */
    void (*work)(gpointer self, guint i, GString *out);
    /* Always here: @text is what was handed back, @reason is why there is
     * nothing ("killed by signal 9 (Killed)"), else NULL. */
    void (*done)(gpointer self, guint i, const GString *text,
                 const char *reason);
    gpointer self;
} RunMany;

/* FALSE: not all was done. */
typedef gboolean (*RunManyFn)(const RunMany *many, GError **error);

/* A RunManyFn: in this process, one after the other.  It never fails. */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_many_here(const RunMany *many, GError **error);

#endif
