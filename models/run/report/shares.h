/*
 * shares.h - the distinct shares of the NPU that the streams of a run had
 *
 * A share is the SMs and the HBM bandwidth of a stream.  kernels_same.h
 * evaluates how long the kernels would have taken with the shares of another
 * NPU.
 */
#ifndef MODELS_RUN_REPORT_SHARES_H
#define MODELS_RUN_REPORT_SHARES_H

#include "workloads/op.h"

#define SHARES_MOST 8

typedef struct {
    uint64_t n_sms, bytes_per_s;
    OpStream stream;
} ShareGiven;

typedef struct {
    guint n; /* more than SHARES_MOST: some are not in .of */
    ShareGiven of[SHARES_MOST];
} SharesGiven;

/* Adds a share unless it is known.  Most shares are known already. */
static inline void shares_note(SharesGiven *shares, OpStream stream,
                               uint64_t n_sms, uint64_t bytes_per_s)
{
    if (shares->n > SHARES_MOST)
        return;
    for (guint i = 0; i < shares->n; i++) {
        const ShareGiven *known = &shares->of[i];

        if (known->stream == stream && known->n_sms == n_sms &&
            known->bytes_per_s == bytes_per_s)
            return;
    }
    if (shares->n < SHARES_MOST)
        shares->of[shares->n] = (ShareGiven){ n_sms, bytes_per_s, stream };
    shares->n++;
}

#endif
