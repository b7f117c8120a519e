/*
 * replay_state_impl.h - the operations of one rank under construction
 *
 * The header is private to this folder.  While operations are added, each has a
 * sort key, and dependencies are a list of pairs.  At the end, both are sorted,
 * and dependencies that others imply are removed (op_order.c).
 */
#ifndef WORKLOADS_RECORDING_TRACE_TO_PROGRAM_REPLAY_STATE_IMPL_H
#define WORKLOADS_RECORDING_TRACE_TO_PROGRAM_REPLAY_STATE_IMPL_H

#include "workloads/recording/trace_to_program/replay.h"

/* Tolerance when times are compared: clocks of recordings have a resolution of
 * 1 us. */
#define REPLAY_TOLERANCE_PS 1000000
/* The number of the chain of host operations.  The chain of a stream has the
 * number of the stream. */
#define REPLAY_HOST_CHAIN (UINT32_MAX - 1)

typedef struct {
    uint32_t op, on;
    gboolean is_before;
} ReplayPair;

typedef struct {
    Replay *replay;
    guint r; /* index of the rank in the recording */
    const RecordRank *from;
    const RecordSpan *span;
    int64_t first_ns;
    GArray *ops; /* owned: operations; the elements are ReplayOp */
    /* Owned: the sort key of each operation; the elements are int64_t. */
    GArray *keys;
    /* Owned: dependencies between operations; the elements are ReplayPair. */
    GArray *pairs;
    uint32_t *op_of; /* owned: for each node, its operation, or RECORD_NONE */
    /* Owned: for each node, the host node that launches it, or RECORD_NONE. */
    uint32_t *launch;
    /* Owned: for each host node, the first operation that it launches. */
    uint32_t *first_launched;
    /* Owned: for each operation, the next one of the same launch. */
    uint32_t *next_launched;
    /* Owned: for each operation, the one before it on its stream. */
    uint32_t *previous;
    /* Owned: device operations sorted by end; the elements are uint32_t. */
    GArray *by_end;
    uint32_t main_stream; /* the stream with the most computation */
    gboolean has_stale;   /* the control dependencies have outdated ids */
    /* Owned: maps an id to node + 1; NULL: the recording has no
     * dependencies. */
    GHashTable *by_id;
} ReplayBuilder;

static inline RecordReport *replay_report(const ReplayBuilder *builder)
{
    return &builder->replay->report;
}

static inline ReplayOp *replay_built_op(const ReplayBuilder *builder,
                                        uint32_t op)
{
    return &g_array_index(builder->ops, ReplayOp, op);
}

static inline int64_t replay_node_begin(const ReplayBuilder *builder,
                                        uint32_t node)
{
    const RecordNode *n = record_node(builder->from, node);

    return n->begin_ps == RECORD_NO_TIME
               ? RECORD_NO_TIME
               : record_begin_ps(builder->from, n, builder->first_ns);
}

static inline int64_t replay_node_end(const ReplayBuilder *builder,
                                      uint32_t node)
{
    return record_end_ps(builder->from, record_node(builder->from, node),
                         builder->first_ns);
}

/* Returns whether host node @call counts as a call of the next iteration. */
static inline gboolean
replay_host_runs_ahead_of_device(const ReplayBuilder *builder, uint32_t call)
{
    return builder->span->shift_ps > 0 &&
           replay_node_begin(builder, call) < builder->span->begin_ps;
}

/* Return begin and end of host node @call, shifted if it counts for the next
 * iteration. */
static inline int64_t replay_call_begin(const ReplayBuilder *builder,
                                        uint32_t call)
{
    return replay_node_begin(builder, call) +
           (replay_host_runs_ahead_of_device(builder, call)
                ? builder->span->shift_ps
                : 0);
}

static inline int64_t replay_call_end(const ReplayBuilder *builder,
                                      uint32_t call)
{
    return replay_node_end(builder, call) +
           (replay_host_runs_ahead_of_device(builder, call)
                ? builder->span->shift_ps
                : 0);
}

/* Adds an operation and returns its index; or makes @op depend on @on.  In
 * replay_ops.c. */
uint32_t replay_add_op(ReplayBuilder *builder, const ReplayOp *op, int64_t key);
void replay_add_pair(ReplayBuilder *builder, uint32_t op, uint32_t dependency);

/* Adds the device operations in the order of their streams; in device_ops.c. */
void replay_find_device_ops(ReplayBuilder *builder);
/* Links the operations of each launch; .launch must be set before. */
void replay_link_launches(ReplayBuilder *builder);

/* Completes kernels that send several messages, after all pairs are known:
 * gives each message the dependencies of its kernel, and makes the dependents
 * of the kernel depend on all its messages. */
void replay_join_kernel_messages(ReplayBuilder *builder);

/* Adds the dependencies that the recording has, for device operations and
 * plans; in recorded_deps.c. */
void replay_find_recorded_deps(ReplayBuilder *builder);
/* Returns the node on which dependency @i of @node is, or RECORD_NONE if that
 * node is absent. */
uint32_t replay_resolve_dep(const ReplayBuilder *builder,
                            const RecordNode *node, uint32_t i);

/* Returns the number of valid dependencies of @node. */
uint32_t replay_count_valid_deps(const ReplayBuilder *builder,
                                 const RecordNode *node);

/* Adds the host's sequence of operations; in host_ops.c. */
void replay_find_host_ops(ReplayBuilder *builder, const GArray *calls);
/* Returns the host nodes of the rank by time.  The caller owns the array. */
GArray *replay_host_calls(const ReplayBuilder *builder);

/* Adds dependencies between streams of the device; in stream_waits.c. */
void replay_find_stream_waits(ReplayBuilder *builder, const GArray *calls);
/* Returns the last device operation that ends until @end_ps, among those
 * launched before @launched_ps and not on stream @but, or RECORD_NONE. */
uint32_t replay_last_ended_op(const ReplayBuilder *builder, int64_t end_ps,
                              int64_t launched_ps, uint32_t but);

/* Reports the time of communication and its exposed part; in
 * communication_times.c. */
void replay_count_communication(Replay *replay);

/* Moves the operations into @rank, sorted, without implied dependencies; in
 * op_order.c. */
void replay_sort_ops(ReplayBuilder *builder, ReplayRank *rank);

#endif
