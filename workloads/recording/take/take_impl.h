/*
 * take_impl.h - the operations of one rank under construction, for take/ only
 *
 * Operations have sort keys, and dependencies are a list of pairs.  Finally,
 * both are sorted and implied dependencies are removed (order.c).
 */
#ifndef WORKLOADS_RECORDING_TAKE_TAKE_IMPL_H
#define WORKLOADS_RECORDING_TAKE_TAKE_IMPL_H

#include "workloads/recording/take/take.h"

/* Clocks of recordings have a resolution of 1 us. */
#define TAKE_TOLERANCE_PS 1000000
/* The chain of the host.  A stream is the chain of its number. */
#define TAKE_HOST_CHAIN (UINT32_MAX - 1)

typedef struct {
    uint32_t op, on;
    gboolean is_before;
} TakePair;

typedef struct {
    Take *replay;
    guint r; /* index of the rank in the recording */
    const RecordRank *from;
    const RecordSpan *span;
    int64_t first_ns;
    GArray *ops;     /* owned: TakeOp */
    GArray *keys;    /* owned: int64_t: sort keys of .ops */
    GArray *pairs;   /* owned: TakePair */
    uint32_t *op_of; /* owned: per node, its operation, or RECORD_NONE */
    /* Owned: per node, the host node that launches it, or RECORD_NONE. */
    uint32_t *launch;
    /* Owned: per host node, the first operation that it launches. */
    uint32_t *first_launched;
    /* Owned: per operation, the next one of the same launch. */
    uint32_t *next_launched;
    /* Owned: per operation, the one before it on its stream. */
    uint32_t *previous;
    GArray *by_end;       /* owned: uint32_t: device operations by end */
    uint32_t main_stream; /* the main stream */
    gboolean has_stale;   /* control dependencies have outdated ids */
    /* Owned: id -> node + 1; NULL: the recording has no dependencies. */
    GHashTable *by_id;
} TakeMaker;

static inline RecordReport *take_report(const TakeMaker *m)
{
    return &m->replay->report;
}

static inline TakeOp *take_made(const TakeMaker *m, uint32_t op)
{
    return &g_array_index(m->ops, TakeOp, op);
}

static inline int64_t take_begin_of(const TakeMaker *m, uint32_t node)
{
    const RecordNode *n = record_node(m->from, node);

    return n->begin_ps == RECORD_NO_TIME
               ? RECORD_NO_TIME
               : record_begin_ps(m->from, n, m->first_ns);
}

static inline int64_t take_end_of(const TakeMaker *m, uint32_t node)
{
    return record_end_ps(m->from, record_node(m->from, node), m->first_ns);
}

/* Returns whether host node @call counts as a call of the next iteration. */
static inline gboolean take_is_ahead(const TakeMaker *m, uint32_t call)
{
    return m->span->shift_ps > 0 && take_begin_of(m, call) < m->span->begin_ps;
}

/* Begin and end of host node @call, shifted if it counts for the next
 * iteration. */
static inline int64_t take_call_begin(const TakeMaker *m, uint32_t call)
{
    return take_begin_of(m, call) +
           (take_is_ahead(m, call) ? m->span->shift_ps : 0);
}

static inline int64_t take_call_end(const TakeMaker *m, uint32_t call)
{
    return take_end_of(m, call) +
           (take_is_ahead(m, call) ? m->span->shift_ps : 0);
}

/* take.c: adds an operation and returns its index, or makes @op depend on
 * @on. */
uint32_t take_add_op(TakeMaker *m, const TakeOp *op, int64_t key);
void take_add_pair(TakeMaker *m, uint32_t op, uint32_t on);

/* device.c: adds device operations in the order of their streams. */
void take_find_device(TakeMaker *m);
/* Links the operations of each launch; .launch must be set. */
void take_link_launches(TakeMaker *m);

/* Completes kernels that send several messages, after all pairs are known.
 * Each message gets the dependencies of its kernel, and dependents of the
 * kernel depend on all its messages. */
void take_join_parts(TakeMaker *m);

/* given.c: adds the dependencies in the recording, for device operations and
 * plans. */
void take_find_given(TakeMaker *m);
/* Returns the node that is dependency @i of @node, or RECORD_NONE if it is
 * absent. */
uint32_t take_resolve(const TakeMaker *m, const RecordNode *node, uint32_t i);

/* Returns the number of valid dependencies of @node. */
uint32_t take_n_deps(const TakeMaker *m, const RecordNode *node);

/* host.c: adds the host's sequence of operations. */
void take_find_host(TakeMaker *m, const GArray *calls);
/* Returns the host nodes by time.  The caller owns the array. */
GArray *take_calls(const TakeMaker *m);

/* events.c: adds dependencies between streams of the device. */
void take_find_events(TakeMaker *m, const GArray *calls);
/* Returns the last device operation to end until @end_ps, among those launched
 * before @launched_ps and not on stream @but, or RECORD_NONE. */
uint32_t take_last_to_end(const TakeMaker *m, int64_t end_ps,
                          int64_t launched_ps, uint32_t but);

/* communication.c: reports the time of communication and its exposed part. */
void take_count_communication(Take *replay);

/* order.c: moves the operations into @rank, sorted, without implied
 * dependencies. */
void take_put_in_order(TakeMaker *m, TakeRank *rank);

#endif
