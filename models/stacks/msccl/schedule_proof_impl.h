/* schedule_proof_impl.h - private to this folder: the state of a proof */
#ifndef MODELS_STACKS_MSCCL_SCHEDULE_PROOF_IMPL_H
#define MODELS_STACKS_MSCCL_SCHEDULE_PROOF_IMPL_H

#include "models/stacks/msccl/contribution_sets_impl.h"
#include "models/stacks/msccl/happens_before_impl.h"

/* A message in flight during symbolic execution. */
typedef struct {
    MscclContributionSets *sets; /* owned: the contributions in each chunk */
    /* Owned: the vector clock of the sender, see happens_before_impl.h. */
    uint32_t *clock;
    uint32_t step; /* the step that sent the message */
} MscclMessage;

typedef struct {
    uint32_t n_done; /* number of steps that are done */
    int64_t sender;  /* thread block that sends to this one; -1: none */
    GQueue sent;     /* owned: its messages in flight (MscclMessage) */
    GArray *waiting; /* owned: thread blocks that wait for this one */
} MscclTbState;

typedef struct {
    const MscclSchedule *msccl;
    MscclTbState *tbs; /* owned: the state of each thread block */
    GQueue ready;
    /* Owned: the first place of each buffer of each GPU, at index GPU * 3 +
     * buffer. */
    uint32_t *first_place;
    MscclContributionSets *places;
    MscclHappensBefore *before;
    /* Owned: the vector clock after each step that is done; NULL if no other
     * step waits for it. */
    uint32_t **clocks;
    guint8 *is_awaited; /* owned: for each step, whether another waits for it */
    GArray *done;       /* owned: executed steps in order (MscclDone) */
} MscclProof;

/* Executes the next step of thread block @tb, whose inputs must be ready.
 * Returns FALSE and sets @error if the step is wrong. */
G_GNUC_WARN_UNUSED_RESULT
gboolean msccl_prove_next_step(MscclProof *proof, uint32_t tb, GError **error);

#endif
