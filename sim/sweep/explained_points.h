/*
 * explained_points.h - why the points of a results folder take their time: the
 * parts of their iterations, and what a change would bring
 *
 * Rows of attribution.csv and what_ifs.csv in the folder are kept if they still
 * fit runs.csv.  The rows of language models have their parts in runs.csv.
 * The remaining points are simulated once more in parallel, until a deadline:
 * first all parts, those of compared points first, and then the what-ifs of the
 * compared points.  A point whose time differs from its row, because the
 * program or a file has changed since, is left out.
 *
 * Units    ps
 * Owner    the caller owns the ExplainedPoints
 */
#ifndef SIM_SWEEP_EXPLAINED_POINTS_H
#define SIM_SWEEP_EXPLAINED_POINTS_H

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
} ExplainedPoints;

/* Returns what is known and what could be simulated within @limit_us of wall
 * time; 0 simulates nothing. */
ExplainedPoints *explained_points_new(const SweepResults *results,
                                      const FolderPlan *folder,
                                      guint64 limit_us);
void explained_points_free(ExplainedPoints *points);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ExplainedPoints, explained_points_free)

/* Return the text of attribution.csv and of what_ifs.csv. */
GString *explained_points_attribution_csv(const SweepResults *results,
                                          const ExplainedPoints *points);
GString *explained_points_what_ifs_csv(const SweepResults *results,
                                       const ExplainedPoints *points);

#endif
