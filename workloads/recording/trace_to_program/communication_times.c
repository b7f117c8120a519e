/*
 * communication_times.c - reports the time of communication and its exposed
 * part
 *
 * Communication is exposed while a rank communicates and does not compute.  A
 * sweep over the begins and ends of its operations adds up such times.
 */
#include "workloads/recording/trace_to_program/replay_state_impl.h"

typedef struct {
    int64_t at_ps;
    int is_comm, is_begin;
} Edge;

static int compare_edges_by_time(gconstpointer a, gconstpointer b)
{
    const Edge *edge = a, *y = b;

    return (edge->at_ps > y->at_ps) - (edge->at_ps < y->at_ps);
}

static void add_op_edges(GArray *edges, const ReplayOp *op)
{
    Edge begin = { op->begin_ps, op->kind == REPLAY_SHARED, 1 };
    Edge end = { op->end_ps, op->kind == REPLAY_SHARED, 0 };

    g_array_append_val(edges, begin);
    g_array_append_val(edges, end);
}

/* Returns the time in which the rank communicates without computing. */
static uint64_t exposed_communication_ps(const ReplayRank *rank)
{
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
    uint64_t sum_ps = 0;
    int n[2] = { 0, 0 };

    for (uint32_t i = 0; i < rank->ops->len; i++) {
        const ReplayOp *op = replay_op(rank, i);

        if (op->kind != REPLAY_HOST && !op->is_empty)
            add_op_edges(edges, op);
    }
    g_array_sort(edges, compare_edges_by_time);
    for (guint i = 0; i < edges->len; i++) {
        const Edge *edge = &g_array_index(edges, Edge, i);

        if (i > 0 && n[1] > 0 && n[0] == 0)
            sum_ps += (uint64_t)(edge->at_ps -
                                 g_array_index(edges, Edge, i - 1).at_ps);
        n[edge->is_comm] += edge->is_begin ? 1 : -1;
    }
    return sum_ps;
}

/* Returns the total time of the rank's communication operations. */
static uint64_t total_communication_ps(const ReplayRank *rank)
{
    uint64_t sum_ps = 0;

    for (uint32_t i = 0; i < rank->ops->len; i++) {
        const ReplayOp *op = replay_op(rank, i);

        if (op->kind == REPLAY_SHARED)
            sum_ps += (uint64_t)(op->end_ps - op->begin_ps);
    }
    return sum_ps;
}

/* Returns whether a rank that is not in the recording takes part. */
static gboolean has_unrecorded_participant(const Replay *replay,
                                           const RecordInstance *instance)
{
    const Recording *recording = replay->recording;
    const OpGroup *group;

    if (recording->ranks->len == 1)
        return recording->n_world != 1;
    if (instance->group == RECORD_NONE)
        return instance->n < recording->n_world;
    group = &g_array_index(recording->groups, OpGroup, instance->group);
    return (group->grouped_by == GROUP_LISTS ||
            group->grouped_by == GROUP_STRIDE) &&
           instance->n < group->size;
}

static void count_instance_times(Replay *replay)
{
    for (guint i = 0; i < replay->match->instances->len; i++) {
        const RecordInstance *instance = record_instance(replay->match, i);

        replay->report.n[REPORT_NETWORK_PS] +=
            record_instance_ps(replay->recording, replay->match, instance);
        if (instance->kind != COLL_SEND &&
            has_unrecorded_participant(replay, instance) &&
            instance->first_begin_ps != RECORD_NO_TIME)
            replay->report.n[REPORT_UPPER_BOUNDS]++;
    }
}

void replay_count_communication(Replay *replay)
{
    uint64_t *n = replay->report.n, sum_ps = 0, sum_exposed_ps = 0;

    count_instance_times(replay);
    for (guint r = 0; r < replay->ranks->len && !replay->is_plan; r++) {
        uint64_t busy_ps = total_communication_ps(replay_rank(replay, r));

        n[REPORT_COMM_LONGEST_PS] = MAX(n[REPORT_COMM_LONGEST_PS], busy_ps);
        sum_ps += busy_ps;
        sum_exposed_ps += exposed_communication_ps(replay_rank(replay, r));
    }
    n[REPORT_COMM_PS] = sum_ps / MAX(replay->ranks->len, 1);
    n[REPORT_EXPOSED_PS] = sum_exposed_ps / MAX(replay->ranks->len, 1);
}
