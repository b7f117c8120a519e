/*
 * utilisation.h - how much of an NPU's resources is in use over the time of a
 * run
 *
 * The listener adds to buckets (time_buckets.h): SMs and bandwidth of kernels,
 * levels of the endpoint, and busy links.
 *
 * Units    of a bucket's integral: the unit of the quantity, see below, times
 *          ps
 * Order    utilisation_new() or utilisation_set_add(), system_run(),
 *          utilisation_finish()
 * Owner    the caller owns the Utilisation, or the set that contains it; the
 *          system must outlive it
 */
#ifndef MODELS_OBSERVE_UTILISATION_H
#define MODELS_OBSERVE_UTILISATION_H

#include "models/observe/time_buckets.h"
#include "models/run/system.h"
#include "models/trace/resource_list.h"

/* The quantities that the buckets integrate. */
typedef enum {
    UTILISATION_HBM_COMPUTE, /* HBM traffic of kernels, bytes per second */
    UTILISATION_HBM_READ,    /* HBM reads of communication, bytes per second */
    UTILISATION_HBM_WRITE,
    UTILISATION_SMS_COMPUTE,
    UTILISATION_SMS_COMM,
    /* The units of an endpoint resource in use, at UTILISATION_RESOURCES + its
     * index in the endpoint's table. */
    UTILISATION_RESOURCES,
    UTILISATION_LINKS = /* busy links in per cent, by dimension */
    UTILISATION_RESOURCES + RESOURCE_MAX_OWN,
    UTILISATION_N = UTILISATION_LINKS + TOPOLOGY_MAX_DIMS,
} UtilisationQuantity;

typedef struct Utilisation Utilisation;

/* Returns the utilisation of @npu, which must be simulated.  Call before the
 * run. */
Utilisation *utilisation_new(System *system, uint32_t npu);
void utilisation_free(Utilisation *utilisation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Utilisation, utilisation_free)

/* The utilisations of several NPUs, which share one listener: an event of an
 * NPU costs the same for any number of NPUs in the set. */
typedef struct UtilisationSet UtilisationSet;

UtilisationSet *utilisation_set_new(System *system);
void utilisation_set_free(UtilisationSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UtilisationSet, utilisation_set_free)

/* Adds @npu, which must not be in @set, and returns its utilisation, owned by
 * @set. */
Utilisation *utilisation_set_add(UtilisationSet *set, uint32_t npu);

/* Adds the resources that are still in use, until the end of the run, or until
 * the last report if that is later.  Returns that time. */
SimTime utilisation_finish(Utilisation *utilisation);

/* Returns the buckets, which are borrowed.  The last busy link may end after
 * the time that utilisation_finish() returned. */
const TimeBuckets *utilisation_buckets(const Utilisation *utilisation);

/* Returns the number of links of an NPU in dimension @dim. */
uint64_t utilisation_n_links(const Topology *topology, uint32_t dim);

#endif
