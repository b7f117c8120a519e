/*
 * what_ifs.h - the same file again and again, each time with something else set
 *
 * Where there is somebody to do so, what is likely to be asked for is run while
 * the run itself is made.  After it, what provably would be that very run is
 * found, and all others that are asked for are run side by side.
 *
 * Units    ps
 * Order    what_ifs_new(), what_ifs_run_ahead(); the run ends;
 *          what_ifs_prove(), what_ifs_run_asked(), which may be called again
 * Errors   those of the RunManyFn; what a run itself has to complain of is its
 *          .reason
 * Owner    the caller what_if_clear()s what it put into a WhatIf
 */
#ifndef SIM_STUDY_WHAT_IFS_H
#define SIM_STUDY_WHAT_IFS_H

#include "models/run/system.h"
#include "sim/study/run_many.h"

/* How .iteration_ps is known. */
typedef enum {
    WHAT_IF_ASKED,    /* it is not, yet */
    WHAT_IF_RUN,      /* or there is a .reason */
    WHAT_IF_LOST,     /* nothing came of its run (losses.h), see .reason */
    WHAT_IF_PROVED,   /* it would be that run (slack.h) */
    WHAT_IF_LEFT_OUT, /* nearly: as one of several that change next to nothing
                       * all at once, it is taken to change nothing */
} WhatIfHow;

/* What to set, and what comes of it. */
typedef struct {
    uint32_t row;         /* of the critical path, which it shortens; PATH_N:
                           * several, or none is told of */
    char *name;           /* owned: what tables say */
    char **sets;          /* owned: "key=value", as --set takes them */
    SimTime promised_ps;  /* by the path alone; 0: nobody says */
    SimTime iteration_ps; /* 0: it cannot be */
    char *reason;         /* owned: why not; else NULL */
    WhatIfHow how;
    guint under[2];  /* 1 + the numbers of those that stand for it, until they
                      * are sorted; 0: nobody, see sparing.h */
    gboolean stands; /* it stands for others */
    gboolean is_implied; /* left out, and so is one that has all of it */
} WhatIf;

/* For arrays; leaves @what_if itself. */
void what_if_clear(gpointer what_if);

/* FALSE: some of @all are WHAT_IF_LOST. */
G_GNUC_WARN_UNUSED_RESULT
gboolean what_ifs_are_whole(const GArray *all, GError **error);

/* Where they are from, and who runs them: borrowed.  .system is the run of
 * .path with .sets and nothing else. */
typedef struct {
    const char *path;
    char *const *sets;
    FoldMode fold;
    const System *system;
    RunManyFn run_many;
    const RunAhead *ahead; /* NULL: nobody */
} WhatIfSource;

typedef struct WhatIfs WhatIfs;

/* @all, of WhatIf, is borrowed, as is what is in @source. */
WhatIfs *what_ifs_new(const WhatIfSource *source, GArray *all);
void what_ifs_free(WhatIfs *what_ifs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WhatIfs, what_ifs_free)

/* Begins those of @numbers, of guint, in that order, somewhere else; what it
 * has begun when what_ifs_run_asked() is called, that takes, if it is asked
 * for. */
void what_ifs_run_ahead(WhatIfs *what_ifs, const GArray *numbers);

/* Finds .iteration_ps of those that would provably be that very run: they are
 * not run again. */
void what_ifs_prove(WhatIfs *what_ifs);

/* What else there is to be run with them. */
typedef struct {
    RunMany beside; /* first; .n may be 0 */
    /* All that were asked for have begun: asks for others, that were put off.
     * FALSE: there will be none; else it is called again when one has ended,
     * at last when all have.  NULL: there are none. */
    gboolean (*more)(gpointer self);
    gpointer self;
} WhatIfMore;

/* Finds .iteration_ps or .reason of those that are WHAT_IF_ASKED.  @with may be
 * NULL.  FALSE on error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean what_ifs_run_asked(WhatIfs *what_ifs, const WhatIfMore *with,
                            GError **error);

/* All at once, but nothing ahead. */
G_GNUC_WARN_UNUSED_RESULT
gboolean what_ifs_run(GArray *all, const WhatIfSource *source, GError **error);

#endif
