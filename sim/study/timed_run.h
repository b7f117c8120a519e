/*
 * timed_run.h - the same file again with something set, for its time alone
 *
 * For studies that have many such runs made by run_many.h: what one of them
 * hands back is a text.
 *
 * Units    ps
 * Errors   those of the RunManyFn; what a run itself has to complain of is its
 *          .reason
 * Owner    the caller frees what is returned, and what_if_clear()s what it put
 *          into a WhatIf; TimedRuns borrows all
 */
#ifndef SIM_STUDY_TIMED_RUN_H
#define SIM_STUDY_TIMED_RUN_H

#include "models/run/system.h"
#include "sim/study/run_many.h"

typedef struct {
    const char *path;
    char *const *sets; /* of all runs; may be NULL */
    FoldMode fold;
    SimTime (*time_of)(const System *system); /* of one that has ended */
    ConfigDoc *library; /* of the files; NULL: each run reads them anew */
} TimedRuns;

/* How .iteration_ps is known. */
typedef enum {
    WHAT_IF_ASKED,    /* it is not, yet */
    WHAT_IF_RUN,      /* or there is a .reason */
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
    guint group; /* for who puts some together, else 0: see sparing.h */
    gboolean is_of_group; /* it stands for all of its group */
} WhatIf;

/* For arrays; leaves @what_if itself. */
void what_if_clear(gpointer what_if);

/* Where they are from, and who runs them: borrowed.  .system is the run of
 * .path with .sets and nothing else. */
typedef struct {
    const char *path;
    char *const *sets;
    FoldMode fold;
    const System *system;
    RunManyFn run_many;
} WhatIfSource;

/* Finds .iteration_ps of those in @what_ifs that would provably be that very
 * run: they are not run again. */
void what_ifs_prove(GArray *what_ifs, const WhatIfSource *source);

/* Finds .iteration_ps or .reason of those that are asked for, which are
 * WHAT_IF_ASKED.  @beside are pieces of work to be done with them, first;
 * NULL: none.  FALSE on error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean what_ifs_run_asked(GArray *what_ifs, const WhatIfSource *source,
                            const RunMany *beside, GError **error);

/* Both, of all in @what_ifs.  FALSE on error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean what_ifs_run(GArray *what_ifs, const WhatIfSource *source,
                      const RunMany *beside, GError **error);

/* Runs it with @more set, too, which NULL ends; adds to @out what
 * timed_run_done() reads. */
void timed_run_work(const TimedRuns *runs, char *const *more, GString *out);

/* NULL and *@ret_ps, or why there is none; @reason is run_many's. */
char *timed_run_done(const GString *text, const char *reason, SimTime *ret_ps);

#endif
