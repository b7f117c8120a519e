/* critical_path_impl.h - what is known of why anything happened, for
 * critical_path*.c */
#ifndef MODELS_OBSERVE_CRITICAL_PATH_IMPL_H
#define MODELS_OBSERVE_CRITICAL_PATH_IMPL_H

#include "models/collectives/message.h"
#include "models/endpoints/accord.h"
#include "models/observe/critical_path.h"
#include "models/observe/path/chain_repeats.h"
#include "models/observe/path/served.h"

/* A chunk on an NPU. */
typedef struct {
    Chain chain; /* while a DMA engine has it, or since it asked to go on */
    gboolean waits;
    gboolean is_issue;   /* since its collective was issued */
    gboolean has_phases; /* one has begun since the chunk did */
    uint32_t room;       /* for that, a PathRow, */
    SimTime since_ps;
} PathPlace;

/* Where a message is, as far as its end at an endpoint goes. */
typedef enum {
    PATH_IS_SENT,
    PATH_HAS_COME,
    PATH_IS_TAKEN_IN,
} PathWhere;

/* Of a look, in its order: a chain that is told of as number .at of the run. */
typedef struct {
    gboolean is_message; /* else it is that of a place */
    gboolean has_chain;  /* number .chain of the look */
    uint32_t at;
    guint chain;
} PathSeen;

/* What the time went to.  Of a row part was spent in a queue. */
typedef struct {
    SimTime rows_ps[PATH_N];
    SimTime own_ps[PATH_N];   /* behind the same collective, */
    SimTime other_ps[PATH_N]; /* and behind others: in all as much as */
    SimTime *behind_ps;       /* owned: by operation, that was in front */
} PathBook;

/* The end of a run as it would be if an iteration were the last.  The next may
 * have begun meanwhile: so what is needed is kept apart, from the end of the
 * last kernel of .npu until a collective of the next begins. */
typedef struct {
    gboolean is_kept, has_been;
    uint32_t after; /* that kernel */
    uint64_t iteration;
    SimTime since_ps; /* that kernel had ended */
    Chain chain;      /* of the last operation of .npu since then */
    PathBook book;    /* when that kernel ended */
} PathTail;

struct CriticalPath {
    System *system; /* borrowed */
    uint32_t npu;
    PathBook book;
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
    GArray *where;      /* owned, of guint8, a PathWhere, by message */
    GArray *slot_ops;   /* owned, of uint32_t: of chunks, by slot */
    Served *served;     /* owned */
    uint32_t
        others_of; /* in a look: until .others_ps servers worked for others */
    SimTime others_ps;
    GArray *places;           /* owned, of PathPlace, by slot and NPU */
    GArray *seen;             /* owned, of PathSeen: of the last look, */
    ChainLook *look;          /* owned, which may be none */
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

/* Nothing else can use the time: it is waited out by collective @op. */
static inline void path_wait_out(CriticalPath *path, Chain *chain,
                                 uint32_t what, uint32_t op, SimTime to_ps,
                                 SimTime now_ps)
{
    path_forget(path, now_ps);
    chain_extend_behind(&path->pool, chain, what, op, NULL, 0, 0, 0, to_ps);
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

static inline uint32_t *path_slot_op_at(CriticalPath *path, uint32_t slot)
{
    if (slot >= path->slot_ops->len)
        g_array_set_size(path->slot_ops, 2 * slot + 64);
    return &g_array_index(path->slot_ops, uint32_t, slot);
}

/* The collective of @message, which is under way. */
static inline uint32_t path_op_of(CriticalPath *path, uint32_t message)
{
    return *path_slot_op_at(
        path, message_chunk(system_message(path->system, message)));
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
