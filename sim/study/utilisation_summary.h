/*
 * utilisation_summary.h - how much of each resource of NPU 0 and of its links
 * was in use during a run
 *
 * Units    shares are parts of 1
 * Owner    see each function
 */
#ifndef SIM_STUDY_UTILISATION_SUMMARY_H
#define SIM_STUDY_UTILISATION_SUMMARY_H

#include "models/run/system.h"

typedef struct {
    char *name;            /* owned: "links of dimension 0" */
    char *detail;          /* owned: "2 links" */
    double share;          /* share of the run in which it is in use */
    gboolean communicates; /* in use only while a collective is active */
} ResourceUtilisation;

/* Returns all resources after a run.  The caller owns the array, which frees
 * its contents. */
GArray *utilisation_summary(const SystemConfig *config, const System *system);

/* Returns the largest share: of the time with an active collective for
 * resources that communicate, and of the run for those that compute. */
double utilisation_max_share(const SystemConfig *config, const System *system);

/* The inputs of utilisation_max_share() without the run.  The endpoint's own
 * resources are stored separately, so that the caller can change their
 * capacities. */
typedef struct {
    double most; /* the largest share of all other resources */
    double active_share;
    SimTime total_ps;
    const ResourceKind *own;            /* static; NULL: there are none */
    ResourceUse uses[RESOURCE_MAX_OWN]; /* in the order of .own, from
                                         * RESOURCE_OWN on */
} UtilisationParts;

UtilisationParts utilisation_collect_parts(const SystemConfig *config,
                                           const System *system);
/* Same as utilisation_max_share(), with the capacities of .uses. */
double utilisation_max_share_of_parts(const UtilisationParts *parts);

/* Returns TRUE if the window limited the run: chunks waited for it during a
 * large share of the time with an active collective (@window_share), and no
 * resource was busy.  @most is utilisation_max_share(). */
gboolean utilisation_is_window_bound(double window_share, double most);

#endif
