/* wait_causes_impl.h - collects the causes of waits; see wait_causes.h */
#ifndef MODELS_RUN_WAIT_CAUSES_IMPL_H
#define MODELS_RUN_WAIT_CAUSES_IMPL_H

#include "models/run/collective_instance_impl.h"
#include "models/run/wait_causes.h"

/* When the NPU issued an instance of a collective, when the last rank had
 * issued it, and when it ended. */
typedef struct {
    SimTime begin_ps, late_ps, end_ps;
} WaitInstance;

/* All waits of a main stream, and the last of them. */
typedef struct {
    SimTime all_ps[WAIT_N_CAUSES], last_ps[WAIT_N_CAUSES];
} WaitTimes;

/* The waits of an NPU, and the collectives that they depend on. */
typedef struct {
    const Npu *npu; /* borrowed */
    /* Owned: by slot of the collective: the instance that ended last. */
    WaitInstance *lasts;
    /* The collective that ended last, the first of several that did, or
     * UINT32_MAX; and when. */
    uint32_t last_op;
    SimTime last_end_ps;
    WaitCause *cause_of; /* owned: by group */
    /* Positions in the main stream: the first backward kernel, and the kernel
     * behind the last forward kernel. */
    guint first_backward, forward_end;
    WaitTimes times;
    /* Time of the kernels of the main stream, with the time without SMs. */
    SimTime kernels_ps;
} WaitState;

/* Returns whether the waits of @graph have causes. */
gboolean graph_has_wait_causes(const OpGraph *graph);

/* Returns the state of @npu, or NULL if its graph has no causes. */
WaitState *wait_state_new(const Npu *npu);
void wait_state_free(WaitState *state);
/* The NPU issues its part of @coll. */
void wait_state_note_issue(const WaitState *state, CollInstance *coll);
/* The NPU has finished its part of @coll, which it issued at @issued_ps. */
void wait_state_note_end(WaitState *state, const CollInstance *coll,
                         SimTime issued_ps);
/* Kernel @op, at @position of the main stream, ends a wait since @from_ps. */
void wait_state_add(WaitState *state, uint32_t op, guint position,
                    SimTime from_ps);
/* Adds to @ret the wait from the last kernel, which ended at @from_ps, to the
 * end of the run. */
void wait_state_add_last(const WaitState *state, SimTime from_ps,
                         SimTime total_ps, SimTime *ret);
/* Removes the last wait that was added. */
void wait_state_undo_last(WaitState *state);

#endif
