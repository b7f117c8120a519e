/* collective_lane_state.c - order, fusion and cycles of a lane; see
 * collective_lane_state.h */
#include "models/run/admit/collective_lane_state.h"

/* ---- order ------------------------------------------------------------- */

typedef struct {
    const OpGraph *graph;
    const LaneWait *waits;
    OpLaneOrder order;
} Sorting;

static int compare_op_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static gint compare_ready_ops(gconstpointer a, gconstpointer b, gpointer self)
{
    const Sorting *by = self;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const LaneWait *wait = &by->waits[x], *q = &by->waits[y];
    int first = by->order == LANE_BY_PRIORITY
                    ? compare_op_numbers(op_graph_op(by->graph, y)->priority,
                                         op_graph_op(by->graph, x)->priority)
                    : compare_op_numbers(wait->ready_ps, q->ready_ps);

    if (first != 0)
        return first;
    if (wait->iteration != q->iteration)
        return compare_op_numbers(wait->iteration, q->iteration);
    return compare_op_numbers(x, y);
}

void lane_sort_waiting_ops(LaneState *lane, const OpGraph *graph,
                           const LaneWait *waits)
{
    Sorting by = { graph, waits, lane->rules->order };

    g_array_sort_with_data(lane->ready, compare_ready_ops, &by);
}

/* ---- fusion ------------------------------------------------------------ */

/* Returns the smallest buffer for @bytes of operations like @like, or
 * OP_NO_LANE if none is large enough. */
static uint32_t find_fusion_buffer(const OpLane *rules, const OpGraph *graph,
                                   const Op *like, uint64_t bytes)
{
    for (uint32_t i = 0; i < rules->n_buffers; i++) {
        uint32_t op = rules->first_buffer + i;
        const Op *buffer = op_graph_op(graph, op);

        if (buffer->payload_bytes >= bytes && op_may_share_buffer(buffer, like))
            return op;
    }
    return OP_NO_LANE;
}

NextLoad lane_next_load(const LaneState *lane, const OpGraph *graph, guint from)
{
    uint32_t first = g_array_index(lane->ready, uint32_t, from);
    const Op *like = op_graph_op(graph, first);
    NextLoad pick = { 1, first, like->payload_bytes };

    for (guint i = from + 1; i < lane->ready->len; i++) {
        const Op *op =
            op_graph_op(graph, g_array_index(lane->ready, uint32_t, i));
        uint64_t bytes = pick.bytes + op->payload_bytes;
        uint32_t buffer;

        if (bytes > lane->rules->fusion_bytes || !op_may_share_buffer(op, like))
            break;
        buffer = find_fusion_buffer(lane->rules, graph, like, bytes);
        if (buffer == OP_NO_LANE)
            break;
        pick = (NextLoad){ pick.n + 1, buffer, bytes };
    }
    return pick;
}

/* ---- capacity and cycles -------------------------------------------- */

gboolean lane_limits_allow_load(const LaneState *lane, uint64_t bytes)
{
    const OpLane *rules = lane->rules;

    if (lane->n_in_flight == 0)
        return TRUE;
    if (rules->at_a_time > 0 && lane->n_in_flight >= rules->at_a_time)
        return FALSE;
    return rules->credit_bytes == 0 ||
           lane->in_flight_bytes + bytes <= rules->credit_bytes;
}

gboolean lane_concurrency_is_used_up(const LaneState *lane)
{
    return lane->taken.length > 0 || !lane_limits_allow_load(lane, 1);
}

/* Moves the next tick to @now_ps or after it: at the ticks in between there was
 * room and no operation was ready. */
static void skip_idle_lane_cycles(LaneState *lane, SimTime now_ps)
{
    SimTime cycle_ps = lane->rules->cycle_ps;
    SimTime late_ps = now_ps - lane->next_ps;

    lane->next_ps = sim_time_add(lane->next_ps, (late_ps + cycle_ps - 1) /
                                                    cycle_ps * cycle_ps);
}

gboolean lane_may_form_loads(LaneState *lane, SimTime now_ps)
{
    if (lane->rules->cycle_ps == 0 || now_ps == lane->last_tick_ps)
        return TRUE;
    if (now_ps < lane->next_ps)
        return FALSE;
    /* A cycle that ended while the lane was full ends now. */
    if (lane->was_full)
        lane->next_ps = now_ps;
    else
        skip_idle_lane_cycles(lane, now_ps);
    if (now_ps < lane->next_ps)
        return FALSE;
    lane->last_tick_ps = now_ps;
    lane->next_ps = sim_time_add(now_ps, lane->rules->cycle_ps);
    return TRUE;
}
