/* rank_path_recorder.c - records when each operation began and ended on each
 * NPU */
#include "models/observe/ranks/rank_path_impl.h"

/* ---- storage ------------------------------------------------------------- */

/* Returns a number for the stream or queue of @op.  Operations with the same
 * number run one after another. */
static uint32_t number_of_op_queue(const Op *op)
{
    return op->type == OP_COMPUTE ? op->stream : OP_N_STREAMS + op->queue;
}

/* Finds the predecessor of each operation in its queue.  The first follows the
 * last of the previous iteration. */
static void find_stream_predecessors(RankOps *ops, const OpGraph *graph)
{
    g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);

    for (guint round = 0; round < 2; round++)
        for (uint32_t i = 0; i < ops->n; i++) {
            const Op *op = op_graph_op(graph, ops->ops[i]);
            gpointer queue = GUINT_TO_POINTER(number_of_op_queue(op)), found;

            ops->before[i] = RANK_NONE;
            if (op->type == OP_COLLECTIVE)
                continue;
            if (g_hash_table_lookup_extended(last, queue, NULL, &found))
                ops->before[i] = GPOINTER_TO_UINT(found);
            g_hash_table_insert(last, queue, GUINT_TO_POINTER(i));
        }
}

static void list_ops_of_role(RankOps *ops, const OpGraph *graph, uint32_t role)
{
    ops->ops = g_new(uint32_t, graph->ops->len);
    ops->places = g_new(uint32_t, graph->ops->len);
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        ops->places[i] = RANK_NONE;
        if (!op_has_role(op, role) || op->is_buffer)
            continue;
        ops->places[i] = ops->n;
        ops->ops[ops->n++] = i;
    }
    ops->before = g_new(uint32_t, ops->n);
    find_stream_predecessors(ops, graph);
}

/* Assigns to each NPU a range of spans, and returns the number of all spans. */
static gsize assign_span_ranges_to_npus(RankPath *path)
{
    uint32_t n_npus = topology_n_npus(system_topology(path->system));
    gsize n = 0;

    path->first = g_new0(gsize, system_n_simulated_npus(path->system));
    for (uint32_t npu = 0; npu < n_npus; npu++) {
        uint32_t role = coll_placement_role(path->placement, npu);

        if (!system_simulates_npu(path->system, npu))
            continue;
        path->first[system_representative_npu(path->system, npu)] = n;
        n += path->roles[role].n * path->n_iterations;
    }
    return n;
}

/* Allocates the records of collective lanes for the largest possible number of
 * loads of collectives. */
static void allocate_rank_path_loads(RankPath *path)
{
    guint n_members = 0;
    gsize n = path->graph->ops->len * path->n_iterations;

    path->loads = g_array_new(FALSE, FALSE, sizeof(RankPathLoad));
    path->members = g_array_new(FALSE, FALSE, sizeof(TraceMember));
    path->parts = g_array_new(FALSE, FALSE, sizeof(RankPathPart));
    if (path->graph->lanes->len == 0)
        return;
    for (guint i = 0; i < path->graph->ops->len; i++)
        n_members += op_graph_op(path->graph, i)->lane != OP_NO_LANE;
    n_members *= (guint)path->n_iterations;
    g_array_set_size(path->loads, n_members);
    g_array_set_size(path->members, n_members);
    g_array_set_size(path->loads, 0);
    g_array_set_size(path->members, 0);
    path->load_of = g_new(uint32_t, n);
    memset(path->load_of, 0xff, n * sizeof path->load_of[0]);
}

/* ---- events ------------------------------------------------------------- */

static RankSpan *span_of_op_on_npu(gpointer self, uint32_t npu, uint32_t op,
                                   uint64_t iteration)
{
    const RankPath *path = self;
    RankOpInstance instance = { npu, op, iteration };

    return op_graph_op(path->graph, op)->is_buffer
               ? NULL
               : rank_path_span_of_instance(path, &instance);
}

static void on_operation_begins(gpointer self, uint32_t npu, uint32_t op,
                                uint64_t iteration, SimTime now_ps)
{
    RankSpan *span = span_of_op_on_npu(self, npu, op, iteration);

    if (span)
        span->begin_ps = now_ps;
}

static void on_operation_ends(gpointer self, uint32_t npu, uint32_t op,
                              uint64_t iteration, SimTime now_ps)
{
    RankSpan *span = span_of_op_on_npu(self, npu, op, iteration);

    if (span)
        span->end_ps = now_ps;
}

static void on_load_released_by_lane(gpointer self, const TraceLoad *reported,
                                     SimTime now_ps)
{
    RankPath *path = self;
    RankPathLoad load = { .lane = reported->lane,
                          .first_member = path->members->len,
                          .n_members = reported->n_members,
                          .ready_ps = reported->ready_ps,
                          .taken_ps = reported->taken_ps,
                          .go_ps = now_ps,
                          .begin_ps = reported->begin_ps,
                          .end_ps = SIM_TIME_MAX };

    for (uint32_t i = 0; i < reported->n_members; i++) {
        const TraceMember *member = &reported->members[i];

        path->load_of[member->iteration * path->graph->ops->len + member->op] =
            path->loads->len;
        g_array_append_val(path->members, *member);
    }
    g_array_append_val(path->loads, load);
}

static void on_load_ends(gpointer self, uint32_t npu, const TraceLoad *reported,
                         SimTime now_ps)
{
    RankPathLoad *load = rank_path_load_of_op(self, reported->members[0].op,
                                              reported->members[0].iteration);

    load->end_ps = now_ps;
    load->end_npu = npu;
}

static const TraceOps rank_path_ops = {
    .ahead = TRUE,
    .kernel_begins = on_operation_begins,
    .kernel_ends = on_operation_ends,
    .stage_begins = on_operation_begins,
    .stage_ends = on_operation_ends,
    .collective_begins = on_operation_begins,
    .collective_ends = on_operation_ends,
    .load_released = on_load_released_by_lane,
    .load_ends = on_load_ends,
};

RankPath *rank_path_new(System *system, GError **error)
{
    g_autoptr(RankPath) path = g_new0(RankPath, 1);
    gsize n;

    path->system = system;
    path->graph = system_graph(system);
    path->placement = system_placement(system);
    path->n_iterations = system_config(system)->training.n_iterations;
    path->roles = g_new0(RankOps, path->graph->roles->len);
    for (uint32_t r = 0; r < path->graph->roles->len; r++)
        list_ops_of_role(&path->roles[r], path->graph, r);
    n = assign_span_ranges_to_npus(path);
    if (n > RANK_PATH_MOST_SPANS) {
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                    "the critical path through all NPUs is followed through "
                    "%" G_GUINT64_FORMAT " operations at most, and these are "
                    "%" G_GSIZE_FORMAT ": fewer iterations would do",
                    RANK_PATH_MOST_SPANS, n);
        return NULL;
    }
    allocate_rank_path_loads(path);
    path->spans = g_new(RankSpan, n);
    memset(path->spans, 0xff, n * sizeof path->spans[0]);
    system_add_listener(system, &rank_path_ops, path);
    return g_steal_pointer(&path);
}

void rank_path_free(RankPath *path)
{
    if (!path)
        return;
    for (uint32_t r = 0; r < path->graph->roles->len; r++) {
        g_free(path->roles[r].ops);
        g_free(path->roles[r].places);
        g_free(path->roles[r].before);
    }
    g_free(path->roles);
    g_free(path->first);
    g_free(path->spans);
    g_free(path->load_of);
    g_clear_pointer(&path->loads, g_array_unref);
    g_clear_pointer(&path->members, g_array_unref);
    g_clear_pointer(&path->parts, g_array_unref);
    g_free(path);
}

const GArray *rank_path_parts(const RankPath *path)
{
    return path->parts;
}

RankSpan rank_path_span(const RankPath *path, uint32_t npu, uint32_t op,
                        uint64_t iteration)
{
    return *rank_path_span_of_instance(path,
                                       &(RankOpInstance){ npu, op, iteration });
}

SimTime rank_path_ready_ps(const RankPath *path, uint32_t npu, uint32_t op,
                           uint64_t iteration)
{
    return rank_path_instance_ready_ps(path,
                                       &(RankOpInstance){ npu, op, iteration });
}
