/* hbm_fixture.h - an HBM model with a log of the rates that it reports */
#ifndef TESTS_MODELS_NPU_HBM_FIXTURE_H
#define TESTS_MODELS_NPU_HBM_FIXTURE_H

#include "tests/test.h"

#include "models/npu/hbm_bandwidth.h"

#define GB UINT64_C(1000000000)

/* The rates that the callback has reported, and how often per stream. */
typedef struct {
    HbmConfig config; /* of .hbm */
    Hbm *hbm;
    uint64_t rates[HBM_N_STREAMS];
    int n_calls[HBM_N_STREAMS];
    HbmMover *mover;
    SimTime done_ps[8];
} RateLog;

static inline void log_stream_rate(gpointer self, HbmStream stream,
                                   uint64_t bytes_per_s)
{
    RateLog *log = self;

    assert_int_not_equal(log->rates[stream], bytes_per_s);
    log->rates[stream] = bytes_per_s;
    log->n_calls[stream]++;
    if (log->mover && stream == HBM_COMM_READ)
        hbm_mover_set_rate(log->mover, bytes_per_s);
}

static inline void begin_rate_log(RateLog *log, HbmPolicy policy,
                                  uint64_t bytes_per_s, uint64_t compute_weight,
                                  uint64_t comm_weight)
{
    *log = (RateLog){ .config = { .bandwidth_bytes_per_s = bytes_per_s,
                                  .efficiency_ppm = 1000000,
                                  .policy = (int)policy,
                                  .compute_weight = compute_weight,
                                  .comm_weight = comm_weight } };
    log->hbm = hbm_new(&log->config, log_stream_rate, log);
    for (HbmStream s = 0; s < HBM_N_STREAMS; s++)
        log->rates[s] = hbm_rate_of_stream(log->hbm, s);
}

static inline void begin_shared_rate_log(RateLog *log, uint64_t bytes_per_s)
{
    begin_rate_log(log, HBM_SHARED, bytes_per_s, 1, 1);
}

#endif
