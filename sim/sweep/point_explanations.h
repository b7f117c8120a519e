/*
 * point_explanations.h - why the points of a results folder take their time:
 * the parts of their iterations, and what a change would bring
 *
 * Rows of attribution.csv and what_ifs.csv in the folder are kept if they still
 * fit runs.csv.  The rows of language models have their parts in runs.csv.
 * The remaining points are simulated once more in parallel, until a deadline:
 * first all parts, those of compared points first, and then the what-ifs, those
 * of compared points first.  A point whose time differs from its row, because
 * the program or a file has changed since, is left out.
 *
 * Units    ps
 * Owner    the caller owns the PointExplanations
 */
#ifndef SIM_SWEEP_POINT_EXPLANATIONS_H
#define SIM_SWEEP_POINT_EXPLANATIONS_H

#include "sim/host/output.h"
#include "sim/host/progress.h"
#include "sim/study/explain/attribution.h"
#include "sim/sweep/folder_plan.h"

/* A change that was simulated. */
typedef struct {
    char *set, *label; /* owned: "KEY=VALUE KEY=VALUE", and words for people */
    SimTime iteration_ps;
} PointWhatIf;

typedef struct {
    GPtrArray *parts;    /* owned, by row: GArray of AttributionPart, or NULL */
    GPtrArray *what_ifs; /* owned, by row: GArray of PointWhatIf, or NULL */
    guint n_missing;     /* successful rows without parts */
    guint n_changed;     /* rows whose time differs now */
    int signal;          /* that ended the runs early; 0: none */
} PointExplanations;

typedef enum {
    WHAT_IFS_OF_NONE,
    WHAT_IFS_OF_COMPARED, /* of the first comparisons, or of the first points if
                             none are compared */
    WHAT_IFS_OF_ALL,
} WhatIfPoints;

/* How much to simulate, and what to do meanwhile.  All zero: nothing. */
typedef struct {
    guint64 limit_us; /* of wall time; 0: nothing is simulated, G_MAXUINT64:
                         there is no limit */
    guint n_jobs;
    guint64 timeout_us, memory_bytes; /* of one point; 0: none */
    WhatIfPoints what_ifs;
    Progress *progress; /* borrowed; NULL: none is shown */
    /* Called twice a minute with what is known so far; may be NULL. */
    void (*save)(gpointer self, const SweepResults *results,
                 const PointExplanations *points);
    gpointer self;
} ExplainEffort;

/* Returns the explanations of the points of @results: those that @folder
 * already has, and those that runs within the limits of @effort add. */
PointExplanations *point_explanations_new(const SweepResults *results,
                                          const FolderPlan *folder,
                                          const ExplainEffort *effort);
void point_explanations_free(PointExplanations *points);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PointExplanations, point_explanations_free)

/* Adds attribution.csv and what_ifs.csv of the folder to @group. */
G_GNUC_WARN_UNUSED_RESULT
gboolean point_explanations_add_files(const PointExplanations *points,
                                      const SweepResults *results,
                                      OutputGroup *group, GError **error);

#endif
