/*
 * run_many.h - the interface by which a study has many runs made
 *
 * A study defines the pieces of work and receives the results.  The caller of
 * the study chooses whether they run one after another in this process or in
 * parallel processes, so sim/study neither forks nor handles signals.
 *
 * Order    pieces start in order and may end in any order
 * Errors   whatever ended all work early; a piece without a result is no error,
 *          see .done
 * Owner    .self is borrowed
 */
#ifndef SIM_STUDY_RUN_MANY_H
#define SIM_STUDY_RUN_MANY_H

#include <glib.h>

typedef struct {
    guint n; /* number of pieces, which are numbered from 0 */
    /* Called in this process before piece @i starts: returns the number that
     * .work gets.  NULL: the number is @i. */
    guint (*number)(gpointer self, guint i);
    /* Does the work and appends its result to @out.  It may be called in a copy
     * of this process that was made when the first piece started or later, so
     * other changes may be lost. */
    void (*work)(gpointer self, guint number, GString *out);
    /* Called in this process: @text is the result.  If there is none, @reason
     * says why ("killed by signal 9 (Killed)"); otherwise @reason is NULL. */
    void (*piece_ended)(gpointer self, guint i, const GString *text,
                        const char *reason);
    /* Called in this process when all pieces have started: raises *@n if there
     * are more.  Returns FALSE if there will be no more; otherwise it is called
     * again whenever a piece has ended, and finally when none is running.
     * NULL: there are .n pieces. */
    gboolean (*find_more_pieces)(gpointer self, guint *n);
    gpointer self;
} RunMany;

/* Does all pieces of @many.  Returns FALSE and sets @error if some were not
 * done. */
typedef gboolean (*RunManyFn)(const RunMany *many, GError **error);

/* A RunManyFn that runs the pieces one after another in this process.  It never
 * fails. */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_many_in_process(const RunMany *many, GError **error);

/* Receives the result of piece @i.  @text is NULL if piece @i and all later
 * ones have no result. */
typedef void (*RunAheadFn)(gpointer self, guint i, const GString *text);

/* Starts pieces of work that run while the caller does something else. */
typedef struct {
    /* Starts the pieces of @many, which may be freed on return; .self must stay
     * valid.  .number and .find_more_pieces are not called.  Returns NULL if no
     * process could be started. */
    gpointer (*begin)(const RunMany *many);
    /* Starts no more pieces.  Returns how many have started. */
    guint (*stop)(gpointer ahead);
    /* A RunManyFn that does @many in parallel with @ahead.  It calls @done for
     * each piece that @ahead has started and, if one has no result, once
     * without a text. */
    gboolean (*run_many)(gpointer ahead, RunAheadFn done, const RunMany *many,
                         GError **error);
    /* Ends @ahead, including running pieces; @ahead may be NULL. */
    void (*free)(gpointer ahead);
} RunAhead;

#endif
