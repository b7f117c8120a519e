/*
 * explain.h - where the time of an iteration went, and what would shorten it
 *
 * The run is made once more with the critical path followed (critical_path.h),
 * on the NPU that ended last, unless it was followed in the run itself, and
 * once for each resource that can be twice as good (whatif.h), or for fewer
 * (sparing.h).  Of these some are run while the run itself is (what_ifs.h).
 *
 * Units    per iteration: the mean over the run, as everywhere; rows are
 *          rounded so that they add up to the iteration time exactly
 * Errors   as system_new(), system_run() and the RunManyFn
 * Owner    the caller owns the Explanation, it borrows @config and @system
 */
#ifndef SIM_STUDY_EXPLAIN_H
#define SIM_STUDY_EXPLAIN_H

#include "models/observe/critical_path.h"
#include "sim/study/units.h"
#include "sim/study/what_ifs.h"

/* A collective that was in front of others, and what these waited for it. */
typedef struct {
    uint32_t op;
    SimTime time_ps;
} ExplainBehind;

typedef struct {
    const SystemConfig *config; /* borrowed */
    const System *system;       /* borrowed: the run that is explained */
    SystemResult r;
    SimTime rows_ps[PATH_N];
    /* Of a row, the part in queues, or waiting for room: behind the same
     * collective and behind others. */
    SimTime own_queue_ps[PATH_N], other_queue_ps[PATH_N];
    GArray *behind; /* owned, of ExplainBehind, that of most time first */
    uint32_t order[PATH_N]; /* of rows in tables; of resources, those that the
                             * system has */
    guint n_rows;
    GArray *what_ifs; /* owned, of WhatIf; the fastest first */
} Explanation;

/* @path and @sets are those @config was loaded from; @run_many makes the runs
 * of the what-ifs. */
G_GNUC_WARN_UNUSED_RESULT
Explanation *explain_new(const char *path, char *const *sets, FoldMode fold,
                         const SystemConfig *config, const System *system,
                         RunManyFn run_many, GError **error);

/* What is begun before the run that is to be explained, and borrows @source.
 * @follows is that run, for the critical path to be followed in it, where it is
 * known of which NPU; NULL: it is not to be. */
typedef struct Explaining Explaining;

Explaining *explaining_new(const WhatIfSource *source, System *follows);
void explaining_free(Explaining *explaining);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Explaining, explaining_free)

/* After the run, once.  @sparingly: what-ifs are left out that change next
 * to nothing. */
G_GNUC_WARN_UNUSED_RESULT
Explanation *explaining_end(Explaining *explaining, gboolean sparingly,
                            GError **error);
void explain_free(Explanation *explanation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Explanation, explain_free)

/* What CSV calls a row, one of .order: "link_dim1".  Owner: the caller. */
char *explain_row_id(const Explanation *explanation, uint32_t row);

/* What is waited for in a row; NULL: it is no resource's. */
const ResourceKind *explain_resource(const Explanation *explanation,
                                     uint32_t row);
/* FALSE: it is that of no dimension. */
gboolean explain_dim(uint32_t row, uint32_t *ret);

/* What is neither in .own_queue_ps nor in .other_queue_ps of @row. */
SimTime explain_served_ps(const Explanation *explanation, uint32_t row);

/* What reports call collective @op: "grads".  Owner: the explanation. */
const char *explain_op_name(const Explanation *explanation, uint32_t op);

/* Columns of the two files below, and of what was in front of others. */
extern const Column explain_columns[], explain_what_if_columns[];
extern const Column explain_behind_columns[];

/* CSV with its header: a row a resource, a row a what-if. */
void explain_add_rows(GString *out, const Explanation *explanation);
void explain_add_what_ifs(GString *out, const Explanation *explanation);
/* A row a collective that was in front of others. */
void explain_add_behind(GString *out, const Explanation *explanation);

#endif
