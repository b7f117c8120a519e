/*
 * wait_causes.h - divides the waits of an NPU's main stream among their causes
 *
 * The main stream of an NPU runs kernels and waits between them.  Each wait
 * ends with the end of an operation that the next kernel depends on.  If that
 * is a collective, or a message that the NPU receives, the wait has two parts.
 * Until the last rank has issued it, the NPU waits for work of other ranks:
 * this is the bubble of a pipeline for a message, and an imbalance for a
 * collective.  From then on it is exposed communication of the axis of
 * parallelism that its group is called after.  The time before the NPU itself
 * issued it is divided in the same way, by the operation that it waited for.
 *
 * The bubble of a message counts as warm-up before the first backward kernel of
 * an iteration, as cool-down after the last forward kernel, and as imbalance
 * between them.  The time from the last operation of an NPU to the end of the
 * run is cool-down.
 *
 * Only graphs with groups on axes of a mesh (mesh.h) have these times: groups
 * that are called tp, cp, ep, pp or dp.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_WAIT_CAUSES_H
#define MODELS_RUN_WAIT_CAUSES_H

typedef enum {
    WAIT_WARM_UP,
    WAIT_COOL_DOWN,
    WAIT_IMBALANCE,
    WAIT_TP,
    WAIT_CP,
    WAIT_EP,
    WAIT_PP,
    WAIT_DP,
    WAIT_OTHER, /* other groups; kernels without an SM or without bandwidth */
    WAIT_N_CAUSES,
} WaitCause;

/* Names in reports: "warm_up", "tp". */
extern const char *const wait_cause_names[WAIT_N_CAUSES + 1];

#endif
