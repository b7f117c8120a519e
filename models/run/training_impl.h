/* training_impl.h - executes the operation graph on an NPU */
#ifndef MODELS_RUN_TRAINING_IMPL_H
#define MODELS_RUN_TRAINING_IMPL_H

#include "models/run/op_slots_impl.h"
#include "models/run/wait_causes_impl.h"

typedef struct {
    guint position; /* position of the next kernel in RoleOps.by_stream */
    uint64_t iteration;
    gboolean running;
    SimTime since_ps;  /* start time of the kernel, or of the wait for it */
    SimTime beside_ps; /* npu_communication_time_ps() when its kernel began */
} TrainingStream;

/* Times of a collective on an NPU.  All but the first are sums over its
 * instances. */
typedef struct {
    SimTime issued_ps; /* when the NPU issued the last instance */
    SimTime took_ps;
    SimTime waited_ps; /* the part of .took_ps until the first chunk was taken
                          in, without the launch */
} TrainingCollective;

struct Training {
    Npu *npu; /* borrowed */
    /* By slot of the operation: instances that are done, and issued.  Owned:
     * one array, of which .n_issued is the second half. */
    uint32_t *n_done, *n_issued;
    TrainingStream streams[OP_N_STREAMS];
    /* End times of the main stream's last kernel and of the last collective. */
    SimTime compute_end_ps, collective_end_ps;
    SimTime end_ps;                  /* end of the last operation of any kind */
    SimTime *busy_ps, *wait_ps;      /* owned: by layer and pass; NPU 0 only */
    TrainingCollective *collectives; /* owned: by slot of the collective */
    WaitState *waits;                /* owned; NULL: waits have no causes */
};

static inline uint64_t training_n_iterations(const Training *training)
{
    return training->npu->system->plan.config->training.n_iterations;
}

/* See op_slots_impl.h. */
static inline uint32_t training_slot(const Training *training, uint32_t op)
{
    return npu_op_slot(training->npu, op);
}

static inline uint32_t training_n_slots(const Training *training)
{
    return npu_n_op_slots(training->npu);
}

/* Returns the length of .collectives. */
static inline uint32_t training_n_collectives(const Training *training)
{
    return npu_n_collective_slots(training->npu);
}

/* Returns the times of collective @op of the NPU's role. */
static inline TrainingCollective *training_collective(const Training *training,
                                                      uint32_t op)
{
    return &training->collectives[training_slot(training, op)];
}

static inline gboolean training_has_op(const Training *training, uint32_t op)
{
    return npu_has_op(training->npu, op);
}

/* Returns whether @dep is met for @iteration.  A dependency of other roles
 * always is. */
static inline gboolean training_dependency_is_met(const Training *training,
                                                  const OpDep *dep,
                                                  uint64_t iteration)
{
    return !role_set_has(dep->roles, training->npu->role) ||
           training->n_done[training_slot(training, dep->op)] +
                   (uint64_t)dep->n_iterations_back >=
               iteration + 1;
}

static inline const GArray *training_stream(const Training *training,
                                            OpStream stream)
{
    return npu_stream_ops(training->npu, stream);
}

/* Creates the program of @npu, which it borrows, and sets the callbacks of
 * @npu. */
Training *training_new(Npu *npu);
void training_free(Training *training);
/* Starts the program, once, at the present time. */
void training_begin(Training *training);
/* Continues the program at the point where it was held: see PeriodListener. */
void training_continue(Training *training, uint32_t arg);
gboolean training_is_done(const Training *training);
/* Returns the number of iterations of which all operations are done. */
uint64_t training_n_iterations_done(const Training *training);

/* Return the end time of the last kernel of the main stream, and of the last
 * operation. */
static inline SimTime training_compute_end_ps(const Training *training)
{
    return training->compute_end_ps;
}

static inline SimTime training_end_ps(const Training *training)
{
    return training->end_ps;
}

/* Return the time in which the main stream ran, and waited, for one layer and
 * pass. */
static inline SimTime training_layer_ps(const Training *training,
                                        uint32_t layer, OpPass pass)
{
    return training->busy_ps[layer * OP_N_PASSES + pass];
}

static inline SimTime training_wait_ps(const Training *training, uint32_t layer,
                                       OpPass pass)
{
    return training->wait_ps[layer * OP_N_PASSES + pass];
}

#endif
