/*
 * utilisation.h - how much of an NPU is in use over the time of a run
 *
 * Listens to a run and counts in buckets (buckets.h): kernels by what they had,
 * levels of the endpoint, busy links.
 *
 * Units    of a bucket's integral: a quantity's own, below, times ps
 * Order    utilisation_new() or utilisations_add(), system_run(),
 *          utilisation_finish()
 * Owner    the caller owns the Utilisation, or the set that it is of; the
 *          system must outlive it
 */
#ifndef SIM_MODELS_OBSERVE_UTILISATION_H
#define SIM_MODELS_OBSERVE_UTILISATION_H

#include "models/observe/buckets.h"
#include "models/run/system.h"
#include "models/trace/resource.h"

/* Quantities of buckets.h. */
typedef enum {
    UTILISATION_HBM_COMPUTE, /* bytes per second */
    UTILISATION_HBM_READ,    /* of communication, likewise */
    UTILISATION_HBM_WRITE,
    UTILISATION_SMS_COMPUTE,
    UTILISATION_SMS_COMM,
    UTILISATION_OWN, /* units in use of a resource of the endpoint, + its place
                        in the endpoint's table */
    UTILISATION_LINKS = /* busy links in per cent, + dimension */
    UTILISATION_OWN + RESOURCE_MAX_OWN,
    UTILISATION_N = UTILISATION_LINKS + TOPOLOGY_MAX_DIMS,
} UtilisationOf;

typedef struct Utilisation Utilisation;

/* Of @npu, which must be simulated; before the run. */
Utilisation *utilisation_new(System *system, uint32_t npu);
void utilisation_free(Utilisation *utilisation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Utilisation, utilisation_free)

/* Those of several NPUs, which listen as one: what is told of an NPU costs the
 * same however many are in it. */
typedef struct Utilisations Utilisations;

Utilisations *utilisations_new(System *system);
void utilisations_free(Utilisations *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Utilisations, utilisations_free)

/* As utilisation_new(), of an NPU that is not in @set; borrowed. */
Utilisation *utilisations_add(Utilisations *set, uint32_t npu);

/* Counts what still holds up to the end, which it returns: that of the run, or
 * of what was told last. */
SimTime utilisation_finish(Utilisation *utilisation);

/* Borrowed.  What was told last may end behind utilisation_finish(). */
const Buckets *utilisation_buckets(const Utilisation *utilisation);

/* Links of an NPU in @dim. */
uint64_t utilisation_n_links(const Topology *topology, uint32_t dim);

#endif
