/* critical_path_impl.h - what is known of why anything happened, for
 * critical_path*.c */
#ifndef MODELS_OBSERVE_CRITICAL_PATH_IMPL_H
#define MODELS_OBSERVE_CRITICAL_PATH_IMPL_H

#include "models/endpoints/accord.h"
#include "models/observe/critical_path.h"
#include "models/observe/path/chain_repeats.h"

/* A chunk on an NPU. */
typedef struct {
    Chain chain; /* while a DMA engine has it, or since it asked to go on */
    gboolean waits;
    gboolean is_issue; /* since its collective was issued */
    uint32_t room;     /* for that, a PathRow, */
    SimTime since_ps;
} PathPlace;

/* Of a look, in its order: a chain that is told of as number .at of the run. */
typedef struct {
    gboolean is_message; /* else it is that of a place */
    gboolean has_chain;  /* number .chain of the look */
    uint32_t at;
    guint chain;
} PathSeen;

/* The end of a run as it would be if an iteration were the last.  The next may
 * have begun meanwhile: so what is needed is kept apart, from the end of the
 * last kernel of .npu until a collective of the next begins. */
typedef struct {
    gboolean is_kept, has_been;
    uint32_t after; /* that kernel */
    uint64_t iteration;
    SimTime since_ps;        /* that kernel had ended */
    Chain chain;             /* of the last operation of .npu since then */
    SimTime rows_ps[PATH_N]; /* when that kernel ended */
} PathTail;

struct CriticalPath {
    System *system; /* borrowed */
    uint32_t npu;
    SimTime rows_ps[PATH_N];
    gboolean runs;    /* a kernel is on the main stream of .npu; else */
    SimTime since_ps; /* it has been waiting */
    ChainPool pool;
    Chain base; /* of the end that was told last */
    Chain now;  /* that, and what was waited for */
    Chain last; /* of the last operation of .npu that ended */
    PathTail tail;
    SimTime skipped_ps; /* of iterations that were not told of, at the end */
    Chain *kernels;     /* owned: one a stream of each simulated NPU */
    Chain *asked;       /* owned: by NPU and stage: when it asked last */
    uint32_t *rooms;    /* owned: what its next chunk waits for, by NPU */
    SimTime *issued_ps; /* owned: by NPU and operation: when it could start */
    Chain *launches;    /* owned: likewise, while it is launched */
    Chain *stages;      /* owned: one a queue of each simulated NPU */
    Chain *handed;      /* owned: by operation: to its lane, by the last NPU */
    Chain *freed;       /* owned: by lane: something of it has ended */
    GArray *loads;      /* owned, of Chain, by slot: let go */
    GArray *copies;     /* owned, of Chain, by slot and NPU: being copied */
    GArray *messages;   /* owned, of Chain, by message */
    GArray *places;     /* owned, of PathPlace, by slot and NPU */
    GArray *seen;       /* owned, of PathSeen: of the last look, */
    ChainLook *look;    /* owned, which may be none */
    uint64_t n_skipped_links; /* at most: that were not made in this wait */
    SimTime wait_ps;          /* since when it is that wait */
};

/* Only what is later than this can be part of a wait. */
static inline void path_forget(CriticalPath *path, SimTime now_ps)
{
    if (!path->tail.is_kept)
        path->pool.keep_from_ps = path->runs ? now_ps : path->since_ps;
}

/* See chain_extend(). */
static inline void path_extend(CriticalPath *path, Chain *chain, uint32_t what,
                               SimTime served_ps, SimTime to_ps, SimTime now_ps)
{
    path_forget(path, now_ps);
    chain_extend(&path->pool, chain, what, served_ps, to_ps);
}

/* @chain has brought about what happens now. */
static inline void path_go_on(CriticalPath *path, const Chain *chain)
{
    chain_copy(&path->pool, &path->base, chain);
    chain_copy(&path->pool, &path->now, chain);
}

static inline gsize path_place(const CriticalPath *path, uint32_t npu)
{
    return system_place(path->system, npu);
}

static inline gsize path_op_place(const CriticalPath *path, uint32_t npu,
                                  uint32_t op)
{
    return path_place(path, npu) * system_graph(path->system)->ops->len + op;
}

static inline SimTime *path_issue_at(const CriticalPath *path, uint32_t npu,
                                     uint32_t op)
{
    return &path->issued_ps[path_op_place(path, npu, op)];
}

static inline Chain *path_launch_at(const CriticalPath *path, uint32_t npu,
                                    uint32_t op)
{
    return &path->launches[path_op_place(path, npu, op)];
}

/* Of those who listen for one path the first visits it. */
static inline void path_steady(gpointer self, SteadyWalk *walk)
{
    (void)self;
    (void)walk;
}

/* Chunks and messages, lanes, and stages; @self is a CriticalPath. */
extern const TraceRepeats path_repeats;
extern const TraceOps critical_path_comm, critical_path_lanes;
extern const TraceOps critical_path_stages;

#endif
