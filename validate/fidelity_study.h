/*
 * fidelity_study.h - the message model against every packet
 *
 * The same run twice, with messages as trains and with every packet hop by
 * hop through finite buffers: idle, one collective alone; congested, DLRM's
 * all-to-alls beside its all-reduces on an NPU too fast to space them out.
 * Under `message` buffers are without end, so it can only be right where they
 * suffice: a link that carries its rate over its latency fills `way_bytes`
 * before the first packet has arrived, and needs a buffer at least as large.
 *
 * Above that the worst case is congestion that spreads: all-to-all where fast
 * links feed a long slow ring (4x8x4).  What turns into the ring has waited
 * longest, so it goes before what is in the ring already, until the ring's
 * buffers are full and its links wait for room.  With nodes that let go first
 * what stays in its dimension, tried once, -30 % becomes -0.3 % at 64 KiB.
 *
 * Units    us, bytes
 * Errors   those of simulator.h
 * Owner    the caller owns arrays and texts
 */
#ifndef VALIDATE_FIDELITY_STUDY_H
#define VALIDATE_FIDELITY_STUDY_H

#include "validate/simulator.h"

/* One run at one buffer size. */
typedef struct {
    const char *platform, *workload; /* static */
    gboolean is_congested;
    uint64_t buffer_bytes; /* of a link and virtual channel */
    uint64_t way_bytes;    /* rate x latency, the largest of its links */
    double message_us, packet_us;
    double deviation_percent; /* of messages from packets */
} FidelityResult;

/* An array of FidelityResult; files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
GArray *fidelity_study_run(const Simulator *simulator, const char *name,
                           GError **error);

/* The largest deviation either way, or NULL: among those whose buffers are at
 * least @min_ways times as large as way_bytes. */
const FidelityResult *fidelity_study_worst(const GArray *results,
                                           double min_ways);

/* A line for each platform and workload, with a column for each buffer, then
 * the worst cases in words. */
void fidelity_study_render(const GArray *results, GString *out);

/* With a header, a row for each result. */
char *fidelity_study_csv(const GArray *results);

#endif
