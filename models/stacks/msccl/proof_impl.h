/* proof_impl.h - private to this folder: the state of a proof */
#ifndef MODELS_STACKS_MSCCL_PROOF_IMPL_H
#define MODELS_STACKS_MSCCL_PROOF_IMPL_H

#include "models/stacks/msccl/contribution_sets_impl.h"
#include "models/stacks/msccl/happens_before_impl.h"

/* A message in flight. */
typedef struct {
    MscclSets *sets; /* owned: its chunks */
    uint32_t *clock; /* owned: clock of the sender, see happens_before_impl.h */
    uint32_t step;   /* the step that sent it */
} MscclMessage;

typedef struct {
    uint32_t n_done; /* number of its steps that are done */
    int64_t sender;  /* thread block that sends to it; -1 if none */
    GQueue sent;     /* owned: MscclMessage, sent and not yet received */
    GArray *waiting; /* owned: thread blocks that wait for it to advance */
} MscclTbState;

typedef struct {
    const MscclSchedule *msccl;
    MscclTbState *tbs; /* owned */
    GQueue ready;
    /* owned: of each GPU's buffers, at GPU * 3 + buffer */
    uint32_t *first_place;
    MscclSets *places;
    MscclHappensBefore *before;
    uint32_t **clocks;  /* owned: by step; NULL unless a step waits for it */
    guint8 *is_awaited; /* owned: by step: another step waits for it */
    GArray *done;       /* owned: MscclDone */
} MscclProof;

/* Does the next step of thread block @tb, whose inputs must be ready.  Returns
 * FALSE and sets @error if the step is wrong. */
G_GNUC_WARN_UNUSED_RESULT
gboolean msccl_do_step(MscclProof *proof, uint32_t tb, GError **error);

#endif
