/*
 * folder_plan.h - the sweep that wrote a results folder, read again
 *
 * Row i of runs.csv is point i of the sweep.  If the sweep file is gone, or its
 * points are no longer those of the rows, there is no plan, and .reason says
 * so.
 *
 * Owner    the caller owns the FolderPlan, which borrows the results
 */
#ifndef SIM_SWEEP_FOLDER_PLAN_H
#define SIM_SWEEP_FOLDER_PLAN_H

#include "sim/sweep/sweep_plan.h"
#include "sim/sweep/sweep_results.h"

typedef struct {
    SweepPlan *plan; /* owned; NULL: there is none */
    char *reason;    /* owned: why there is none */
    char *sweep;     /* owned: the path of the sweep file, or NULL */
    char **sets;     /* owned: the texts of --set; ends with NULL */
} FolderPlan;

FolderPlan *folder_plan_open(const SweepResults *results);
void folder_plan_free(FolderPlan *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FolderPlan, folder_plan_free)

#endif
