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
    /* Always here, before piece @i begins: what .work is told in place of it.
     * NULL: @i. */
    guint (*number)(gpointer self, guint i);
    /* Appends what is to be handed back; it may be called in a copy of this
     * process, made when the first piece began or later, so whatever else it
     * changes may be lost. */
    void (*work)(gpointer self, guint number, GString *out);
    /* Always here: @text is what was handed back, @reason is why there is
     * nothing ("killed by signal 9 (Killed)"), else NULL. */
    void (*done)(gpointer self, guint i, const GString *text,
                 const char *reason);
    /* Always here, when all have begun: raises *@n where there are more by now.
     * FALSE: there will be none; until then it is asked again when one has
     * ended, and none is under way at last.  NULL: there are .n. */
    gboolean (*more)(gpointer self, guint *n);
    gpointer self;
} RunMany;

/* FALSE: not all was done. */
typedef gboolean (*RunManyFn)(const RunMany *many, GError **error);

/* A RunManyFn: in this process, one after the other.  It never fails. */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_many_here(const RunMany *many, GError **error);

/* What came of piece @i; without a text nothing came of @i, nor will of others.
 */
typedef void (*RunAheadFn)(gpointer self, guint i, const GString *text);

/* Who does pieces of work while the caller does something else. */
typedef struct {
    /* Begins those of @many, which is needed no longer than .self; .number and
     * .more are not asked.  NULL: there is nobody. */
    gpointer (*begin)(const RunMany *many);
    /* No more begin.  Returns how many have. */
    guint (*stop)(gpointer ahead);
    /* A RunManyFn, of as many side by side with @ahead; @done is told of those
     * that it had begun, as @many is, and of that there will be no more. */
    gboolean (*run_many)(gpointer ahead, RunAheadFn done, const RunMany *many,
                         GError **error);
    /* Ends it, whatever is under way; @ahead may be NULL. */
    void (*free)(gpointer ahead);
} RunAhead;

#endif
