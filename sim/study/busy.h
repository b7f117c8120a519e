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

/* What busy_most() is made of, without the run: an endpoint's own resources by
 * themselves, for how much there is of each need not be what there was. */
typedef struct {
    double most; /* of all others */
    double under_way;
    SimTime total_ps;
    const ResourceKind *own;            /* static; NULL: there are none */
    ResourceUse uses[RESOURCE_MAX_OWN]; /* in the order of .own */
} BusyParts;

BusyParts busy_parts(const SystemConfig *config, const System *system);
/* busy_most() with the capacities that .uses say. */
double busy_parts_most(const BusyParts *parts);

/* TRUE when chunks waited for the window for @window_share or more of the time
 * that collectives were under way, with nothing busy: @most as above. */
gboolean busy_is_window_bound(double window_share, double most);

#endif
