/*
 * npu_impl.h - what the parts of an NPU's model share; for models/ only
 *
 *   training.c   runs the op graph of an NPU: computes, issues, waits
 *   scheduler.c  chooses the next chunk among pending collectives
 *   pipeline.c   takes a chunk through its phases, steps and messages
 *   endpoints/   do the work of each
 */
#ifndef MODELS_RUN_NPU_IMPL_H
#define MODELS_RUN_NPU_IMPL_H

#include "models/collectives/message.h"
#include "models/npu/compute_stream.h"
#include "models/run/system_impl.h"

#define NPU_IDLE UINT32_MAX

typedef struct Training Training;
struct Endpoint;

struct Npu {
    System *system; /* borrowed */
    uint32_t id;
    struct Endpoint *endpoint;            /* owned */
    Hbm *hbm;                             /* owned */
    ComputeStream *streams[OP_N_STREAMS]; /* owned */
    gboolean stream_used[OP_N_STREAMS];
    uint32_t kernels[OP_N_STREAMS]; /* op on the stream; NPU_IDLE: none */
    Training *training;             /* owned */
    GPtrArray *pending;             /* of CollInstance, with chunks to start */
    CollInstance *favoured;         /* without preemption: the one begun */
    uint32_t n_in_flight;           /* chunks, */
    uint32_t n_reducing;            /* and those whose plan reduces here */
    uint64_t n_admitted; /* chunks ever, where several NPUs are simulated */
    SimTime window_full_since_ps, window_full_ps; /* chunks had to wait */
    gboolean window_is_full;
    uint32_t n_collectives; /* issued and not complete */
    gboolean is_busy; /* has chunks in flight, and the endpoint its claim */
    gboolean is_reducing;
    SimTime communicates_since_ps, communicated_ps;
    SimTime reduces_since_ps, reduced_ps;
    uint32_t *inbox; /* owned: messages that arrived just now */
    uint32_t n_inbox, inbox_allocated;
    uint64_t sent_bytes, received_bytes;
};

/* ---- npu.c ------------------------------------------------------------ */

gboolean npu_init(Npu *npu, System *system, uint32_t id, GError **error);
void npu_clear(Npu *npu);
/* Shares of SMs and HBM follow from what the NPU is doing. */
void npu_update_shares(Npu *npu);
/* After chunks came or went. */
void npu_update_traffic(Npu *npu);
void npu_collective_begins(Npu *npu);
void npu_collective_ends(Npu *npu);
void npu_start_kernel(Npu *npu, uint32_t op, uint64_t iteration);
EndpointClaim npu_claim(const Npu *npu);

/* ---- scheduler.c ------------------------------------------------------ */

/* Starts chunks as long as the endpoint takes any. */
void scheduler_pump(Npu *npu);
/* A number less than that of any chunk that is to be served later, wherever
 * both wait; the same at every NPU, and no other chunk's under way. */
uint64_t scheduler_order(const System *system, const Chunk *chunk);
void scheduler_add(Npu *npu, CollInstance *coll);

/* ---- chunk.c ---------------------------------------------------------- */

/* The @index-th of @coll, in flight from now on. */
Chunk *chunk_new(System *system, CollInstance *coll, uint32_t index);
/* Says in @m, of a phase that goes via a switch, what comes down for it. */
void chunk_fill_meeting(const Chunk *chunk, uint32_t phase, NetMessage *m);
/* All NPUs are done with it. */
void chunk_free(System *system, Chunk *chunk);

/* ---- pipeline.c ------------------------------------------------------- */

void pipeline_start(Npu *npu, CollInstance *coll);
/* The chunk enters the phase it waits for, or is done with the last. */
void pipeline_enter(Npu *npu, Chunk *chunk);
/* @message is ready to go at @ready_ps. */
void pipeline_transmit(Npu *npu, uint32_t message, SimTime ready_ps);
/* The endpoint has taken @message in: @added to what was there, or stored. */
void pipeline_handled(Npu *npu, uint32_t message, gboolean added);
/* For endpoints that need not see every message. */
gboolean pipeline_foresee(gpointer system, uint32_t npu, uint32_t message,
                          SimTime at_ps);
void pipeline_on_deliver(gpointer system, uint32_t npu, uint32_t message,
                         SimTime now_ps);

/* ---- training.c ------------------------------------------------------- */

Training *training_new(Npu *npu);
void training_free(Training *training);
void training_begin(Training *training);
void training_on_kernel(Training *training, uint32_t op);
void training_on_collective(Training *training, CollInstance *coll);
gboolean training_is_done(const Training *training);
/* End of the last iteration: of its compute, and of everything. */
SimTime training_compute_end_ps(const Training *training);
SimTime training_end_ps(const Training *training);
/* Time the main stream's kernels ran and waited, by layer and pass. */
SimTime training_layer_ps(const Training *training, uint32_t layer,
                          OpPass pass);
SimTime training_wait_ps(const Training *training, uint32_t layer, OpPass pass);
void training_explain(const Training *training, GString *text);

#endif
