/*
 * rank_path.h - the critical path of a run through all NPUs, by operations
 *
 * Of each operation of each iteration it is recorded when it began and ended on
 * each NPU that is simulated.  After the run the path is walked from its end
 * back to its beginning, without a gap and over all NPUs: an operation, before
 * it what ended last of what that had waited for on its NPU (a dependency, its
 * stream's predecessor, its own instance before), and so on.  A collective goes
 * back to the NPU of its set that began last, and was until then the reason for
 * the others' waiting; one of a lane to what the lane had under way, or to the
 * NPU that handed it over last.
 *
 * So a collective's part of the path begins when the last NPU is there: what
 * the others waited for it is no time of the collective's.  What it had to
 * share with other collectives is; a chain of messages, link by link, follows
 * critical_path.h on one NPU.
 *
 * Where NPUs are folded, the first of a class stands for it.
 *
 * Units    ps; over the whole run
 * Order    listens to one run: rank_path_new(), system_run(),
 *          rank_path_finish()
 * Errors   SYSTEM_ERROR_TOO_LARGE: more operations than are recorded
 * Owner    the caller owns the RankPath; the system must outlive it
 * Cost     16 bytes an operation, iteration and NPU, RANK_PATH_MOST_SPANS at
 *          most; nothing is told in more detail for it (TraceOps.ahead)
 */
#ifndef MODELS_OBSERVE_RANKS_RANK_PATH_H
#define MODELS_OBSERVE_RANKS_RANK_PATH_H

#include "models/run/system.h"

#define RANK_PATH_MOST_SPANS (UINT64_C(16) << 20)

typedef enum {
    RANK_PATH_OP,    /* it runs; of a collective, since the last NPU is there */
    RANK_PATH_CYCLE, /* it is ready, and its lane has yet to look */
    RANK_PATH_TALK,  /* its lane negotiates */
    RANK_PATH_GAP,   /* it may begin as far as anything shows, and does not */
} RankPathWhat;

typedef struct {
    RankPathWhat what;
    uint32_t npu, op;
    uint64_t iteration;
    SimTime from_ps, to_ps; /* the one before ends, and the next begins, here */
} RankPathPart;

typedef struct {
    SimTime begin_ps, end_ps; /* SIM_TIME_MAX: it did not */
} RankSpan;

typedef struct RankPath RankPath;

/* Listens to @system. */
G_GNUC_WARN_UNUSED_RESULT
RankPath *rank_path_new(System *system, GError **error);
void rank_path_free(RankPath *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RankPath, rank_path_free)

/* The run is over, with @result. */
void rank_path_finish(RankPath *path, const SystemResult *result);

/* Of RankPathPart, from the beginning of the run, which it adds up to; after
 * rank_path_finish(). */
const GArray *rank_path_parts(const RankPath *path);

/* Of @op, which the role of @npu has; @npu may be one that another stands for.
 */
RankSpan rank_path_span(const RankPath *path, uint32_t npu, uint32_t op,
                        uint64_t iteration);
/* When the last of what it waited for on @npu itself had ended; 0: it waited
 * for nothing.  A collective without a lane begins then. */
SimTime rank_path_ready_ps(const RankPath *path, uint32_t npu, uint32_t op,
                           uint64_t iteration);

#endif
