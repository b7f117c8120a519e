/*
 * granted_npu_shares.h - the distinct shares of the NPU that the streams of a
 * run had
 *
 * A share is the SMs and the HBM bandwidth of a stream.
 * kernels_with_same_times.h evaluates how long the kernels would have taken
 * with the shares of another NPU.
 */
#ifndef MODELS_RUN_REPORT_GRANTED_NPU_SHARES_H
#define MODELS_RUN_REPORT_GRANTED_NPU_SHARES_H

#include "workloads/op.h"

#define SHARES_MAX 8

typedef struct {
    uint64_t n_sms, bytes_per_s;
    OpStream stream;
} GrantedShare;

typedef struct {
    /* Number of distinct shares; if it exceeds SHARES_MAX, some are not in
     * .shares. */
    guint n;
    GrantedShare shares[SHARES_MAX];
} GrantedShares;

/* Adds a stream's share to @shares unless it is listed.  Most shares are listed
 * already. */
static inline void granted_npu_shares_add(GrantedShares *shares,
                                          OpStream stream, uint64_t n_sms,
                                          uint64_t bytes_per_s)
{
    if (shares->n > SHARES_MAX)
        return;
    for (guint i = 0; i < shares->n; i++) {
        const GrantedShare *known = &shares->shares[i];

        if (known->stream == stream && known->n_sms == n_sms &&
            known->bytes_per_s == bytes_per_s)
            return;
    }
    if (shares->n < SHARES_MAX)
        shares->shares[shares->n] =
            (GrantedShare){ n_sms, bytes_per_s, stream };
    shares->n++;
}

#endif
