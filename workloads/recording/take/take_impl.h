/*
 * take_impl.h - for take/ only: operations of one rank while they are found
 *
 * Operations get keys, dependencies are a list of pairs; in the end both are
 * put in order and what others imply is left out (order.c).
 */
#ifndef WORKLOADS_RECORDING_TAKE_TAKE_IMPL_H
#define WORKLOADS_RECORDING_TAKE_TAKE_IMPL_H

#include "workloads/recording/take/take.h"

/* Clocks of recordings have steps of 1 us. */
#define TAKE_TOLERANCE_PS 1000000
/* A chain, of the host; streams are chains of their own number. */
#define TAKE_HOST_CHAIN (UINT32_MAX - 1)

typedef struct {
    uint32_t op, on;
    gboolean is_before;
} TakePair;

typedef struct {
    Take *take;
    guint r; /* rank of the recording */
    const RecordRank *from;
    const RecordSpan *span;
    int64_t first_ns;
    GArray *ops;      /* of TakeOp */
    GArray *keys;     /* of int64_t: by which operations are put in order */
    GArray *pairs;    /* of TakePair */
    uint32_t *op_of;  /* by node: operation, or RECORD_NONE */
    uint32_t *launch; /* by node: the host's, or RECORD_NONE */
    uint32_t *first_launched; /* by node of the host: operation */
    uint32_t *next_launched;  /* by operation: of the same node */
    uint32_t *behind;         /* by operation: before it on its stream */
    GArray *by_end;     /* of uint32_t: operations of the device, by end */
    uint32_t main;      /* stream */
    gboolean has_stale; /* control dependencies are of another file */
    GHashTable *by_id;  /* id -> node + 1; NULL: no dependencies are given */
} TakeMaker;

static inline RecordReport *take_report(const TakeMaker *m)
{
    return &m->take->report;
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

/* TRUE: @call of the host is taken to be of the next iteration. */
static inline gboolean take_is_ahead(const TakeMaker *m, uint32_t call)
{
    return m->span->shift_ps > 0 && take_begin_of(m, call) < m->span->begin_ps;
}

/* When the host makes @call, in the iteration that the take is of. */
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

/* pairs.c.  Its number. */
uint32_t take_add_op(TakeMaker *m, const TakeOp *op, int64_t key);
void take_add_pair(TakeMaker *m, uint32_t op, uint32_t on);

/* device.c: operations of the device and the order of streams. */
void take_find_device(TakeMaker *m);
/* Once .launch is known. */
void take_link_launches(TakeMaker *m);

/* Once all pairs are known: each message of a kernel waits for what the kernel
 * waits for, and what waits for the kernel waits for all of its messages. */
void take_join_parts(TakeMaker *m);

/* given.c: dependencies that the recording has, of operations of the device
 * and of plans. */
void take_find_given(TakeMaker *m);
/* The node of dependency @i of @node; RECORD_NONE: it is not there. */
uint32_t take_resolve(const TakeMaker *m, const RecordNode *node, uint32_t i);

/* How many of its dependencies count. */
uint32_t take_n_deps(const TakeMaker *m, const RecordNode *node);

/* host.c: the host's sequence, of @calls. */
void take_find_host(TakeMaker *m, const GArray *calls);
/* Nodes of the host in the order of time.  Owner: the caller. */
GArray *take_calls(const TakeMaker *m);

/* events.c: what one stream of the device waits for on another. */
void take_find_events(TakeMaker *m, const GArray *calls);
/* The last operation on the device to end until @end_ps of those launched
 * before @launched_ps, and not on stream @but; RECORD_NONE. */
uint32_t take_last_to_end(const TakeMaker *m, int64_t end_ps,
                          int64_t launched_ps, uint32_t but);

/* communication.c: how much of it there was, and not hidden. */
void take_count_communication(Take *take);

/* order.c: into @rank, in order, without what others imply. */
void take_put_in_order(TakeMaker *m, TakeRank *rank);

#endif
