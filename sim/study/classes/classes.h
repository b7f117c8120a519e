/*
 * classes.h - what fits on every set of NPUs that a job may get of a machine
 *
 * Sets of NPUs of one machine that near links join, up to renaming
 * (models/packing/classes.h), and for each what trees and rings carry of a
 * broadcast and an all-reduce of large payloads, by links alone; beside that,
 * where it is asked for, what runs of two stacks on the example say.
 *
 *     trees   the bound of bounds.h, times what a link carries; an integer
 *             program's packing of it stands beside
 *     rings   as many as fit, each at what a link carries; where none does, one
 *             ring through the host.  A broadcast goes round at the rate of all
 *             rings, an all-reduce at k / (2 (k - 1)) of it
 *
 * The speedup is the quotient: what packing trees as Blink does is worth over
 * NCCL 2's rings.  It is told of classes, each counted once.
 *
 * Units    bytes per second, links
 * Errors   CONFIG_ERROR: a wrong platform; one whose near links cannot be
 *          counted, or that has too many NPUs
 * Owner    the caller owns the Classes
 * Sources  [BLINK] in validate/SOURCES.md
 */
#ifndef SIM_STUDY_CLASSES_CLASSES_H
#define SIM_STUDY_CLASSES_CLASSES_H

#include "models/packing/bounds.h"
#include "models/packing/classes.h"
#include "sim/study/losses.h"

typedef struct {
    const char *platform; /* a file, or whatever else `platform` may say */
    char *const *sets;    /* "KEY=VALUE"; may be NULL */
    uint32_t least, most; /* NPUs of a set */
    /* What a near link, and the ring through the host, carry; 0: as the
     * platform has it. */
    uint64_t link_bytes_per_s, host_bytes_per_s;
    /* Of both collectives, simulated on the example of each class with the one
     * stack and with the other; 0: they are not. */
    uint64_t payload_bytes;
    const char *stack, *over; /* files, or whatever else `stack` may say */
} ClassesTask;

typedef struct {
    PackClass set;
    uint32_t n_links;
    uint32_t broadcast_links;   /* bound from the root with the least */
    PackRatio all_reduce_links; /* bound of trees */
    uint32_t n_rings;
    PackRatio ring_links;       /* of an all-reduce on them */
    uint32_t n_broadcast_trees; /* of the integer program */
    uint32_t n_all_reduce_trees;
    double packed_links;       /* what the latter carry together */
    uint64_t host_bytes_per_s; /* of the ring through the host; 0: none */
    /* Of a broadcast, and of an all-reduce; 0: NCCL's has no way. */
    double speedups[2];
    double simulated[2]; /* likewise, of runs; 0: there are none */
} ClassesRow;

typedef struct {
    char *name; /* owned: of the platform */
    uint64_t link_bytes_per_s;
    uint64_t host_bytes_per_s; /* of all classes; 0: each its own */
    uint64_t payload_bytes;    /* of what was simulated; 0: nothing was */
    char *stack, *over;        /* owned: of what; NULL likewise */
    char *reason;              /* owned: why a run came to nothing, or NULL */
    Losses losses;             /* of what was simulated; its texts are owned */
    GArray *rows;              /* owned, of ClassesRow */
} Classes;

/* Of what the speedups are. */
enum { CLASSES_BROADCAST, CLASSES_ALL_REDUCE };

G_GNUC_WARN_UNUSED_RESULT
Classes *classes_find(const ClassesTask *task, GError **error);
void classes_free(Classes *classes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Classes, classes_free)

static inline const ClassesRow *classes_row(const Classes *classes, guint i)
{
    return &g_array_index(classes->rows, ClassesRow, i);
}

/* Of the speedups that there are, each class once: geometric mean and most; 0
 * where there are none. */
double classes_mean(const Classes *classes, guint of);
double classes_most(const Classes *classes, guint of);
/* The same of what was simulated. */
double classes_simulated_mean(const Classes *classes, guint of);
double classes_simulated_most(const Classes *classes, guint of);

/* Classes on which no ring fits. */
guint classes_n_without_rings(const Classes *classes);

/* A line a class, with a header. */
GString *classes_csv(const Classes *classes);

#endif
