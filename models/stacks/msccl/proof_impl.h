/*
 * proof_impl.h - for this folder only: a schedule that is being proved
 */
#ifndef MODELS_STACKS_MSCCL_PROOF_IMPL_H
#define MODELS_STACKS_MSCCL_PROOF_IMPL_H

#include "models/stacks/msccl/before_impl.h"
#include "models/stacks/msccl/sets_impl.h"

/* What is on its way. */
typedef struct {
    MscclSets *sets; /* owned */
    uint32_t *clock; /* owned: what came before it */
    uint32_t step;   /* that sent it */
} MscclMessage;

typedef struct {
    uint32_t n_done; /* of its steps */
    int64_t sender;  /* thread block that sends to it; -1: nobody does */
    GQueue sent;     /* owned: MscclMessage, that it sent and nobody took */
    GArray *waiting; /* owned: thread blocks that wait for it to move */
} MscclTbState;

typedef struct {
    const Msccl *msccl;
    MscclTbState *tbs; /* owned */
    GQueue ready;
    uint32_t *first_place; /* owned: of each GPU's buffers, from GPU * 3 */
    MscclSets *places;
    MscclBefore *before;
    uint32_t **clocks;  /* owned: of steps that others wait for; else NULL */
    guint8 *is_awaited; /* owned: by step */
    GArray *done;       /* owned: MscclDone */
} MscclProof;

/* The next step of thread block @tb, for which all that it waits for is there.
 */
G_GNUC_WARN_UNUSED_RESULT
gboolean msccl_do_step(MscclProof *proof, uint32_t tb, GError **error);

#endif
