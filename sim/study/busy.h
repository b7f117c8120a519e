/*
 * busy.h - what of NPU 0 and its links was in use during a run, and how much
 *
 * Units    shares are parts of 1
 * Owner    as each function says
 */
#ifndef SIM_STUDY_BUSY_H
#define SIM_STUDY_BUSY_H

#include "models/run/system.h"

typedef struct {
    char *name;            /* owned: "links of dimension 0" */
    char *detail;          /* owned: "2 an NPU" */
    double share;          /* of the run */
    gboolean communicates; /* it cannot be busy but with a collective */
} BusyResource;

/* All of them, after a run.  Owner: the caller of the array, which frees what
 * is in it. */
GArray *busy_resources(const SystemConfig *config, const System *system);

/* The share of the one that was busy most: of the time that collectives were
 * under way where it communicates, of the run where it computes. */
double busy_most(const SystemConfig *config, const System *system);

/* TRUE when chunks waited for the window for @window_share or more of the time
 * that collectives were under way, with nothing busy: @most as above. */
gboolean busy_is_window_bound(double window_share, double most);

#endif
