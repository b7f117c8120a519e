/*
 * memory_study.h - the memory bandwidth that one all-reduce needs
 *
 * For each endpoint of a sweep over its share of HBM bandwidth: where does it
 * reach 90 % of the network bandwidth of the ideal endpoint?  Between points
 * of the sweep lines are straight.  Two answers are given:
 *
 *   share    the bandwidth set apart for it
 *   reads    what it then really reads per second, measured; a share is never
 *            used to the last byte, since a finite run fills and drains
 *
 * Units    GB/s, decimal
 * Errors   those of simulator.h, CONFIG_ERROR for a share that is none
 * Owner    the caller owns arrays and studies
 */
#ifndef VALIDATE_MEMORY_STUDY_H
#define VALIDATE_MEMORY_STUDY_H

#include "validate/curve.h"
#include "validate/simulator.h"

#define MEMORY_STUDY_PART 0.9 /* of the ideal endpoint's network bandwidth */

/* One endpoint on one platform size. */
typedef struct {
    char *endpoint; /* owned */
    guint n_npus;
    GArray *network; /* owned, of CurvePoint: network bandwidth over share */
    GArray *reads;   /* owned, of CurvePoint: HBM reads over share */
    double ideal_gb_per_s;
    gboolean is_reached;
    double share_gb_per_s, reads_gb_per_s; /* where it is reached */
    /* at the largest share */
    double last_share_gb_per_s, last_network_gb_per_s, last_reads_gb_per_s;
    double hbm_busy;         /* part of the time */
    double n_chunks_in_fsms; /* mean */
    double sram_mib;         /* at most */
} MemoryCurve;

/* Runs @sweep and the ideal endpoint on its platforms; an array of
 * MemoryCurve in the order of the rows. */
G_GNUC_WARN_UNUSED_RESULT
GArray *memory_study_run(const Simulator *simulator, const char *name,
                         const char *sweep, GError **error);

/* Part of the ideal network bandwidth that @share_gb_per_s gives; 0 outside
 * the sweep. */
double memory_study_part_at(const MemoryCurve *curve, double share_gb_per_s);

/* NULL when there is none. */
const MemoryCurve *memory_study_find(const GArray *curves, const char *endpoint,
                                     guint n_npus);

/* What keeps this endpoint from more at its largest share.  Owner: static. */
const char *memory_study_limit(const MemoryCurve *curve);

/* Appends a table with a line for each curve. */
void memory_study_render(const GArray *curves, GString *out);

#endif
