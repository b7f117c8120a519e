/*
 * isomorphic_npu_sets.h - what trees and rings gain on every set of NPUs that a
 * job may get
 *
 * The study lists all sets of NPUs of one machine that near links connect; sets
 * that differ only by renaming of NPUs form one class
 * (models/packing/isomorphism_classes.h). For the example of each class, it
 * computes the rate of a broadcast and of an all-reduce of large payloads on
 * trees and on rings. The rates follow from link bandwidth alone. On request,
 * the study also simulates both collectives on the example with two stacks.
 *
 *     trees   the bound of tree_rate_bounds.h times the bandwidth of a link;
 *             the trees that the integer program packs are listed, too
 *     rings   as many rings as fit, each at the bandwidth of a link.  If none
 *             fits, one ring goes through the host.  With r the rate of all
 *             rings together and k NPUs, a broadcast has the rate r and an
 *             all-reduce r k / (2 (k - 1)).
 *
 * The speedup is the rate on trees over the rate on rings: the gain of Blink's
 * tree packing over NCCL 2's rings.  A mean counts each class once.
 *
 * Units    bytes per second, links
 * Errors   CONFIG_ERROR: the platform is wrong, has near links of several
 *          kinds, or has too many NPUs
 * Owner    the caller owns the Classes
 * Sources  [BLINK] in validate/SOURCES.md
 */
#ifndef SIM_STUDY_CLASSES_ISOMORPHIC_NPU_SETS_H
#define SIM_STUDY_CLASSES_ISOMORPHIC_NPU_SETS_H

#include "models/packing/isomorphism_classes.h"
#include "models/packing/tree_rate_bounds.h"
#include "sim/study/failed_runs.h"

typedef struct {
    const char *platform; /* a file, or any other value of `platform` */
    char *const *sets;    /* "KEY=VALUE"; may be NULL */
    uint32_t least, most; /* the range of the number of NPUs in a set */
    /* The bandwidth of a near link, and of the ring through the host; 0 selects
     * the bandwidth of the platform. */
    uint64_t link_bytes_per_s, host_bytes_per_s;
    /* Payload of both collectives that are simulated on the example of each
     * class with two stacks; 0: no simulation. */
    uint64_t payload_bytes;
    const char *stack, *over; /* the stack and its baseline: files, or any other
                               * value of `stack` */
} ClassesTask;

typedef struct {
    PackClass set;
    uint32_t n_links;
    uint32_t broadcast_links; /* bound from the root with the smallest
                               * bound */
    /* The bound of the rate of an all-reduce on trees. */
    PackRatio all_reduce_links;
    uint32_t n_rings;
    PackRatio ring_links;       /* rate of an all-reduce on all rings */
    uint32_t n_broadcast_trees; /* packed by the integer program from the root
                                 * of broadcast_links */
    uint32_t n_all_reduce_trees;
    double packed_links;       /* rate of the all-reduce trees together */
    uint64_t host_bytes_per_s; /* of the ring through the host; 0: there is
                                * none */
    /* The speedups of broadcast and all-reduce on trees over rings; 0 if NCCL 2
     * can use no ring. */
    double speedups[2];
    double simulated[2]; /* the speedups by simulation; 0: no result */
} ClassesRow;

typedef struct {
    char *name; /* owned: name of the platform */
    uint64_t link_bytes_per_s;
    /* The rate of all classes; 0: each class has its own. */
    uint64_t host_bytes_per_s;
    /* Payload of the simulated collectives; 0: no simulation. */
    uint64_t payload_bytes;
    char *stack, *over;     /* owned: stack and baseline of the simulations;
                             * NULL if there are none */
    char *reason;           /* owned: the first error of a simulation, or
                             * NULL */
    FailedRuns failed_runs; /* failed simulations; the texts are owned */
    GArray *rows;           /* owned: of ClassesRow */
} Classes;

/* Indices of .speedups and .simulated. */
enum { CLASSES_BROADCAST, CLASSES_ALL_REDUCE };

/* Returns the classes without simulated values, or NULL and sets @error. */
G_GNUC_WARN_UNUSED_RESULT
Classes *npu_set_classes_find(const ClassesTask *task, GError **error);
void npu_set_classes_free(Classes *classes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Classes, npu_set_classes_free)

static inline const ClassesRow *classes_row(const Classes *classes, guint i)
{
    return &g_array_index(classes->rows, ClassesRow, i);
}

/* Return the geometric mean and the largest of the speedups above 0, each class
 * counted once; 0 if there are none.  @baseline is CLASSES_BROADCAST or
 * CLASSES_ALL_REDUCE. */
double npu_set_classes_geomean_speedup(const Classes *classes, guint baseline);
double npu_set_classes_max_speedup(const Classes *classes, guint baseline);
/* Return the same of the simulated speedups. */
double npu_set_classes_geomean_simulated(const Classes *classes,
                                         guint baseline);
double npu_set_classes_max_simulated(const Classes *classes, guint baseline);

/* Returns the number of classes on which no ring fits. */
guint npu_set_classes_n_without_rings(const Classes *classes);

/* Returns a CSV table with a header and one line per class, which the caller
 * owns. */
GString *npu_set_classes_csv(const Classes *classes);

#endif
