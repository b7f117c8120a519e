/* training_impl.h - an NPU runs the op graph: computes, issues, waits */
#ifndef MODELS_RUN_TRAINING_IMPL_H
#define MODELS_RUN_TRAINING_IMPL_H

#include "models/run/npu_impl.h"

typedef struct {
    guint position; /* in System.role_ops */
    uint64_t iteration;
    gboolean running;
    SimTime since_ps;  /* it has been running, or waiting */
    SimTime beside_ps; /* npu_communicated_ps() when its kernel began */
} TrainingStream;

struct Training {
    Npu *npu;                    /* borrowed */
    uint32_t *n_done, *n_issued; /* owned: one an op */
    TrainingStream streams[OP_N_STREAMS];
    SimTime compute_end_ps, collective_end_ps; /* of the last that ended, */
    SimTime end_ps;                            /* and of anything */
    SimTime *busy_ps, *wait_ps;   /* owned: by layer and pass; NPU 0 only */
    SimTime *issued_ps, *took_ps; /* owned: by op */
    SimTime *waited_ps; /* owned: likewise: of that, until a first chunk was
                         * taken in, but for the launch */
};

static inline uint64_t training_n_iterations(const Training *t)
{
    return t->npu->system->config->training.n_iterations;
}

/* Other roles' dependencies are none here. */
static inline gboolean training_dep_is_met(const Training *t, const OpDep *dep,
                                           uint64_t iteration)
{
    return !(dep->roles >> t->npu->role & 1) ||
           t->n_done[dep->op] + (uint64_t)dep->back >= iteration + 1;
}

static inline const GArray *training_stream(const Training *t, OpStream s)
{
    return t->npu->system->role_ops[t->npu->role].of[s];
}

/* Borrows @npu, and is told from now on when something on it is done. */
Training *training_new(Npu *npu);
void training_free(Training *training);
void training_begin(Training *training);
/* Goes on where it is held: see SteadyTold. */
void training_go_on(Training *training, uint32_t arg);
gboolean training_is_done(const Training *training);
/* Iterations of which nothing is left to do. */
uint64_t training_n_done(const Training *training);

/* End of the last iteration: of its compute, and of everything. */
static inline SimTime training_compute_end_ps(const Training *t)
{
    return t->compute_end_ps;
}

static inline SimTime training_end_ps(const Training *t)
{
    return t->end_ps;
}

/* Time the main stream's kernels ran and waited, by layer and pass. */
static inline SimTime training_layer_ps(const Training *t, uint32_t layer,
                                        OpPass pass)
{
    return t->busy_ps[layer * OP_N_PASSES + pass];
}

static inline SimTime training_wait_ps(const Training *t, uint32_t layer,
                                       OpPass pass)
{
    return t->wait_ps[layer * OP_N_PASSES + pass];
}

/* From the issues of @op until first chunks of it were taken in. */
static inline SimTime training_waited_ps(const Training *t, uint32_t op)
{
    return t->waited_ps[op];
}

/* From the issues of @op to its ends. */
static inline SimTime training_collective_ps(const Training *t, uint32_t op)
{
    return t->took_ps[op];
}

#endif
