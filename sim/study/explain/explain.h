/*
 * explain.h - where the time of an iteration went, and what would shorten it
 *
 * The critical path (critical_path.h) is followed on the NPU that ended last.
 * If that NPU is known before the run, the run itself follows it; otherwise one
 * more run does. For each resource that can be twice as good
 * (resource_what_ifs.h), one more run shows the gain; what_if_pruning.h leaves
 * some of these out. Some start while the base run is in progress (what_ifs.h).
 *
 * Units    per iteration: the mean over the run; rows are rounded so that they
 *          add up to the iteration time exactly
 * Errors   those of system_new(), system_run() and the RunManyFn
 * Owner    the caller owns the Explanation, which borrows @config and @system
 */
#ifndef SIM_STUDY_EXPLAIN_H
#define SIM_STUDY_EXPLAIN_H

#include "models/observe/critical_path.h"
#include "sim/study/csv_columns.h"
#include "sim/study/what_ifs.h"

/* A collective that made others wait, and how long they waited behind it. */
typedef struct {
    uint32_t op;
    SimTime time_ps;
} ExplainBlocker;

typedef struct {
    const SystemConfig *config; /* borrowed */
    const System *system;       /* borrowed: the run that is explained */
    SystemResult r;
    SimTime rows_ps[PATH_N];
    /* The parts of a row that were spent in queues, or waiting for free space:
     * behind messages of the same collective, and behind those of other
     * collectives. */
    SimTime own_queue_ps[PATH_N], other_queue_ps[PATH_N];
    GArray *behind;         /* owned: of ExplainBlocker, by descending time */
    uint32_t order[PATH_N]; /* the rows in the order of tables; of resources,
                             * only those that the system has */
    guint n_rows;
    GArray *what_ifs; /* owned: of WhatIf, by ascending iteration time */
} Explanation;

/* Explains the run of @system.  @path and @sets are those that @config was
 * loaded from; @run_many runs the what-ifs. */
G_GNUC_WARN_UNUSED_RESULT
Explanation *explain_new(const char *path, char *const *sets,
                         RunOptions run_options, const SystemConfig *config,
                         const System *system, RunManyFn run_many,
                         GError **error);

/* Runs @system, which has not run yet, and follows its critical path, without
 * what-ifs.  It takes one more run if it cannot be known before which NPU ends
 * last.  @watch is called in both.  The Explanation borrows @system. */
G_GNUC_WARN_UNUSED_RESULT
Explanation *explain_run_path(System *system, RunOptions run_options,
                              RunWatch watch, GError **error);

/* An explanation that was started before its base run. */
typedef struct ExplainTask ExplainTask;

/* Starts what-ifs before the base run; borrows @source.  If @follows is not
 * NULL, it is the base run, and the critical path is followed in it if it
 * simulates one NPU only. */
ExplainTask *explain_task_new(const WhatIfSource *source, System *follows);
void explain_task_free(ExplainTask *explaining);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ExplainTask, explain_task_free)

/* Ends the explanation after the base run; may be called once.  @sparingly
 * leaves out what-ifs that hardly change anything. */
G_GNUC_WARN_UNUSED_RESULT
Explanation *explain_task_finish(ExplainTask *explaining, gboolean sparingly,
                                 GError **error);

/* Runs the what-ifs of an explanation that explain_run_path() made.  @source
 * has its system. */
G_GNUC_WARN_UNUSED_RESULT
gboolean explain_run_what_ifs(Explanation *explanation,
                              const WhatIfSource *source, GError **error);
void explain_free(Explanation *explanation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Explanation, explain_free)

/* Returns the CSV name of a row of .order, such as "link_dim1", which the
 * caller owns. */
char *critical_path_row_id(const Explanation *explanation, uint32_t row);

/* Returns the name of a row for people, such as "the bandwidth of links of
 * dimension 1", which the caller owns. */
char *critical_path_row_name(const Explanation *explanation, uint32_t row);

/* Returns the resource that a row waits for, or NULL if it waits for none. */
const ResourceKind *critical_path_row_resource(const Explanation *explanation,
                                               uint32_t row);

/* Returns the time of @row outside queues: what is in neither .own_queue_ps nor
 * .other_queue_ps. */
SimTime explain_row_served_ps(const Explanation *explanation, uint32_t row);

/* Returns the name of collective @op in reports, such as "grads".  The
 * explanation owns it. */
const char *explain_collective_name(const Explanation *explanation,
                                    uint32_t op);

/* Columns of the three CSV files below. */
extern const Column explain_columns[], explain_what_if_columns[];
extern const Column explain_blocker_columns[];

/* Append CSV with its header: one row per resource, or one per what-if. */
void explain_append_rows_csv(GString *out, const Explanation *explanation);
void explain_append_what_ifs_csv(GString *out, const Explanation *explanation);
/* Appends CSV with its header: one row per collective that made others wait. */
void explain_append_blockers_csv(GString *out, const Explanation *explanation);

#endif
