/*
 * shares.h - what kernels of a run had to run with
 *
 * SMs and HBM bandwidth that streams were ever given, no two alike, for who
 * asks how long their kernels would have taken on another NPU.
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
    guint n; /* more than SHARES_MOST: others, too */
    ShareGiven of[SHARES_MOST];
} SharesGiven;

/* It seldom is one that is new. */
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
