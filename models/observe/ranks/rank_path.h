/*
 * rank_path.h - the critical path of a run over all NPUs, as a sequence of
 * operations
 *
 * The listener records when each operation of each iteration began and ended on
 * each simulated NPU. After the run the path is followed from the end of the
 * run back to its start, over all NPUs and without a gap. Before an operation
 * comes the one that ended last among those it waited for on its NPU: a
 * dependency, the predecessor on its stream, or its own previous instance. A
 * collective leads to the NPU of its group that began last, for which the
 * others waited. A collective of a collective lane leads to what the lane had
 * in flight, or to the NPU that submitted it last.
 *
 * So a collective is on the path from when its last NPU has begun.  The time
 * that other NPUs waited before is not charged to the collective.  The time
 * that it shared resources with other collectives is.  critical_path.h follows
 * single messages and links for one NPU.
 *
 * If NPUs are folded by symmetry, the first NPU of a class represents all of
 * them.
 *
 * Units    ps, over the whole run
 * Order    listens to one run: rank_path_new(), system_run(),
 *          rank_path_finish()
 * Errors   SYSTEM_ERROR_TOO_LARGE: more operations than can be recorded
 * Owner    the caller owns the RankPath; the system must outlive it
 * Cost     16 bytes for each operation, iteration and NPU, at most
 *          RANK_PATH_MOST_SPANS; the run is not simulated in more detail
 *          (TraceOps.ahead)
 */
#ifndef MODELS_OBSERVE_RANKS_RANK_PATH_H
#define MODELS_OBSERVE_RANKS_RANK_PATH_H

#include "models/run/system.h"

#define RANK_PATH_MOST_SPANS (UINT64_C(16) << 20)

typedef enum {
    /* The operation runs; a collective runs from when its last NPU has
     * begun. */
    RANK_PATH_OP,
    RANK_PATH_CYCLE,       /* the operation is ready until its lane polls */
    RANK_PATH_NEGOTIATION, /* the collective lane of the operation negotiates */
    RANK_PATH_GAP,         /* no recorded event explains the delay */
} RankPathKind;

typedef struct {
    RankPathKind kind;
    uint32_t npu, op;
    uint64_t iteration;
    SimTime from_ps, to_ps; /* the parts of a critical path adjoin each other */
} RankPathPart;

typedef struct {
    SimTime begin_ps, end_ps; /* .end_ps is SIM_TIME_MAX until it ends */
} RankSpan;

typedef struct RankPath RankPath;

/* Returns a listener of @system, or NULL and sets @error. */
G_GNUC_WARN_UNUSED_RESULT
RankPath *rank_path_new(System *system, GError **error);
void rank_path_free(RankPath *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RankPath, rank_path_free)

/* Follows the path after the run, which ended with @result. */
void rank_path_finish(RankPath *path, const SystemResult *result);

/* Returns the path as RankPathPart from the start of the run, whose time the
 * parts add up to.  Call after rank_path_finish(). */
const GArray *rank_path_parts(const RankPath *path);

/* Returns when @op began and ended on @npu, whose role must have it.  @npu may
 * be represented by another. */
RankSpan rank_path_span(const RankPath *path, uint32_t npu, uint32_t op,
                        uint64_t iteration);
/* Returns the time when the last operation that @op waited for on @npu had
 * ended, or 0 if it waited for none. A collective without a collective lane
 * begins at that time. */
SimTime rank_path_ready_ps(const RankPath *path, uint32_t npu, uint32_t op,
                           uint64_t iteration);

#endif
