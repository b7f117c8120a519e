/*
 * fidelity_study.h - compares the message model with the packet model
 *
 * Each run is simulated with messages as trains, and with every packet hop by
 * hop through finite buffers.  Idle: one collective alone.  Congested: the
 * all-to-alls of DLRM together with its all-reduces, on an NPU that is so fast
 * that they overlap.  The message model assumes infinite buffers, so it can
 * only be accurate if the buffers suffice.  A link with rate times latency of
 * `way_bytes` has sent that many bytes before the first packet has arrived, and
 * needs a buffer of at least that size.
 *
 * With larger buffers, the worst case is congestion that spreads: an all-to-all
 * in which fast links feed a long slow ring (4x8x4).  Packets that turn into
 * the ring have waited longest, so they precede packets in the ring, until the
 * buffers of the ring are full and its links wait for space.  In an experiment
 * in which nodes preferred packets that stay in their dimension, the deviation
 * fell from -30 % to -0.3 % at 64 KiB.
 *
 * Units    us, bytes
 * Errors   those of acesim_process.h
 * Owner    the caller owns arrays and
 * texts */
#ifndef VALIDATE_FIDELITY_STUDY_H
#define VALIDATE_FIDELITY_STUDY_H

#include "validate/acesim_process.h"

/* The result of one run with one buffer size. */
typedef struct {
    const char *platform, *workload; /* The names are static texts. */
    gboolean is_congested;
    /* The buffer size of each link and virtual channel. */
    uint64_t buffer_bytes;
    /* The bandwidth-delay product of a link, the maximum over all links. */
    uint64_t way_bytes;
    double message_us, packet_us;
    /* The deviation of the message model from the packet model. */
    double deviation_percent;
} FidelityResult;

/* Runs all combinations.  Returns an array of FidelityResult.  Output files go
 * to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
GArray *fidelity_study_run(const Simulator *simulator, const char *name,
                           GError **error);

/* Appends a table with a line for each platform and workload and a column for
 * each buffer, then the worst cases as text. */
void fidelity_study_render(const GArray *results, GString *out);

/* Returns CSV with a header and a row for each result. */
char *fidelity_study_csv(const GArray *results);

#endif
