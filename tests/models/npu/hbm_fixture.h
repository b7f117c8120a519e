/* hbm_fixture.h - an HBM that tells what its streams may have */
#ifndef TESTS_MODELS_NPU_HBM_FIXTURE_H
#define TESTS_MODELS_NPU_HBM_FIXTURE_H

#include "tests/test.h"

#include "models/npu/hbm.h"

#define GB UINT64_C(1000000000)

/* What the callback told, and how often. */
typedef struct {
    Hbm *hbm;
    uint64_t rates[HBM_N_STREAMS];
    int n_calls[HBM_N_STREAMS];
    HbmMover *mover;
    SimTime done_ps[8];
} Told;

static inline void tell(gpointer self, HbmStream stream, uint64_t bytes_per_s)
{
    Told *told = self;

    assert_int_not_equal(told->rates[stream], bytes_per_s);
    told->rates[stream] = bytes_per_s;
    told->n_calls[stream]++;
    if (told->mover && stream == HBM_COMM_READ)
        hbm_mover_set_rate(told->mover, bytes_per_s);
}

static inline void begin(Told *told, HbmPolicy policy, uint64_t bytes_per_s,
                         uint64_t compute_weight, uint64_t comm_weight)
{
    HbmConfig config = { .bandwidth_bytes_per_s = bytes_per_s,
                         .efficiency_ppm = 1000000,
                         .policy = (int)policy,
                         .compute_weight = compute_weight,
                         .comm_weight = comm_weight };

    *told = (Told){ 0 };
    told->hbm = hbm_new(&config, tell, told);
    for (HbmStream s = 0; s < HBM_N_STREAMS; s++)
        told->rates[s] = hbm_rate(told->hbm, s);
}

static inline void begin_shared(Told *told, uint64_t bytes_per_s)
{
    begin(told, HBM_SHARED, bytes_per_s, 1, 1);
}

#endif
