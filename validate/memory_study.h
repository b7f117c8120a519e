/*
 * memory_study.h - the memory bandwidth that one all-reduce needs
 *
 * For each endpoint of a sweep over its share of HBM bandwidth, the study finds
 * where the endpoint reaches 90 % of the network bandwidth of the ideal
 * endpoint.  Between points of the sweep, it interpolates linearly.  There are
 * two results:
 *
 *   share    the bandwidth that is reserved for the endpoint
 *   reads    the bytes that it then reads per second, as measured; a share is
 *            never used completely, because a finite run fills and drains
 *
 * Units    GB/s, decimal
 * Errors   those of acesim_process.h, CONFIG_ERROR for an invalid share
 * Owner    the caller owns arrays and
 * studies */
#ifndef VALIDATE_MEMORY_STUDY_H
#define VALIDATE_MEMORY_STUDY_H

#include "validate/acesim_process.h"
#include "validate/interpolated_curve.h"

/* The fraction of the ideal endpoint's network bandwidth that must be
 * reached. */
#define MEMORY_STUDY_PART 0.9

/* The results of one endpoint on one platform size. */
typedef struct {
    char *endpoint; /* The struct owns this memory. */
    guint n_npus;
    /* The struct owns this array of CurvePoint: network bandwidth by share. */
    GArray *network;
    /* The struct owns this array of CurvePoint: HBM reads by share. */
    GArray *reads;
    double simulate_ideal_gb_per_s;
    gboolean is_reached;
    /* The values at the point where the endpoint reaches 90 % of the ideal
     * bandwidth. */
    double share_gb_per_s, reads_gb_per_s;
    /* The values at the largest share. */
    double last_share_gb_per_s, last_network_gb_per_s, last_reads_gb_per_s;
    /* The fraction of time in which the HBM is busy, at the largest share. */
    double hbm_busy;
    /* The mean number of chunks in FSMs at the largest share. */
    double n_chunks_in_fsms;
    double sram_mib; /* The maximum use of SRAM at the largest share. */
} MemoryCurve;

/* Runs @sweep, and the ideal endpoint on its platforms.  Returns an array of
 * MemoryCurve in the order of the rows. */
G_GNUC_WARN_UNUSED_RESULT
GArray *memory_study_run(const Simulator *simulator, const char *name,
                         const char *sweep, GError **error);

/* Returns the part of the ideal network bandwidth at @share_gb_per_s, or 0 if
 * that is outside the sweep. */
double memory_study_fraction_at(const MemoryCurve *curve,
                                double share_gb_per_s);

/* Returns the curve of @endpoint at @n_npus, or NULL if there is none. */
const MemoryCurve *memory_study_find_curve(const GArray *curves,
                                           const char *endpoint, guint n_npus);

/* Returns the bottleneck of this endpoint at its largest share, a static
 * text. */
const char *memory_study_limit_text(const MemoryCurve *curve);

/* Appends a table with a line for each curve. */
void memory_study_render(const GArray *curves, GString *out);

#endif
