/*
 * rank_walk.c - follows the critical path from the end of a run to its start
 *
 * Each step goes to an operation that ended no later: it comes earlier in the
 * graph, in an earlier iteration, or in an earlier load of a lane.  So the walk
 * ends.
 */
#include "models/observe/ranks/rank_path_impl.h"

typedef struct {
    RankPath *path;
    SimTime at_ps; /* the path is complete from this time to the end */
    /* The operation that ends at .at_ps, or that is awaited until then. */
    RankOpInstance instance;
    gboolean is_over;
} RankPathWalk;

/* Adds a part of kind @part_kind from @from_ps to .at_ps to the critical
 * path. */
static void add_path_part(RankPathWalk *walk, RankPathKind part_kind,
                          SimTime from_ps)
{
    RankPathPart part = { .kind = part_kind,
                          .npu = walk->instance.npu,
                          .op = walk->instance.op,
                          .iteration = walk->instance.iteration,
                          .from_ps = from_ps,
                          .to_ps = walk->at_ps };

    g_assert(from_ps <= walk->at_ps);
    if (from_ps < walk->at_ps)
        g_array_append_val(walk->path->parts, part);
    walk->at_ps = from_ps;
}

/* Goes to the operation that .instance waited for last on its NPU, which ended
 * at .at_ps or before. */
static void walk_to_predecessor_on_npu(RankPathWalk *walk)
{
    RankOpInstance before;

    if (!rank_path_find_predecessor(walk->path, &walk->instance, &before)) {
        add_path_part(walk, RANK_PATH_GAP, 0);
        walk->is_over = TRUE;
        return;
    }
    add_path_part(walk, RANK_PATH_GAP,
                  rank_path_span_of_instance(walk->path, &before)->end_ps);
    walk->instance = before;
}

/* Goes to the cause of the start of @load, of which .instance is a part. The
 * load of collectives became ready, then its collective lane had room, then the
 * lane polled, then the ranks negotiated. */
static void walk_to_cause_of_load_start(RankPathWalk *walk,
                                        const RankPathLoad *load)
{
    const RankPathLoad *freed =
        rank_path_find_load_predecessor(walk->path, load);
    const TraceMember *member;

    add_path_part(walk, RANK_PATH_NEGOTIATION, load->go_ps);
    if (!freed) {
        add_path_part(walk, RANK_PATH_CYCLE, load->ready_ps);
        walk->instance = rank_path_find_last_ready_member(walk->path, load);
        walk_to_predecessor_on_npu(walk);
        return;
    }
    add_path_part(walk, RANK_PATH_CYCLE, freed->end_ps);
    member =
        &g_array_index(walk->path->members, TraceMember, freed->first_member);
    walk->instance =
        (RankOpInstance){ freed->end_npu, member->op, member->iteration };
}

static void walk_to_previous_operation(RankPathWalk *walk)
{
    const Op *op = op_graph_op(walk->path->graph, walk->instance.op);
    const RankPathLoad *load;
    RankOpInstance last;

    if (op->type != OP_COLLECTIVE) {
        add_path_part(
            walk, RANK_PATH_OP,
            rank_path_span_of_instance(walk->path, &walk->instance)->begin_ps);
        walk_to_predecessor_on_npu(walk);
        return;
    }
    load = rank_path_load_of_op(walk->path, walk->instance.op,
                                walk->instance.iteration);
    if (load) {
        add_path_part(walk, RANK_PATH_OP, load->begin_ps);
        walk_to_cause_of_load_start(walk, load);
        return;
    }
    last = rank_path_find_last_begin(walk->path, &walk->instance, walk->at_ps);
    add_path_part(walk, RANK_PATH_OP,
                  rank_path_span_of_instance(walk->path, &last)->begin_ps);
    walk->instance = last;
    walk_to_predecessor_on_npu(walk);
}

/* Returns the operation of @npu that ended at @end_ps, or the last of them in
 * the graph if there are several. */
static RankOpInstance find_last_op_of_npu(const RankPath *path, uint32_t npu,
                                          SimTime end_ps)
{
    const RankOps *ops =
        &path->roles[coll_placement_role(path->placement, npu)];
    RankOpInstance last = { 0 };
    gboolean is_found = FALSE;

    for (uint32_t i = 0; i < ops->n; i++) {
        RankOpInstance instance = { npu, ops->ops[i], path->n_iterations - 1 };

        if (rank_path_span_of_instance(path, &instance)->end_ps != end_ps)
            continue;
        last = instance;
        is_found = TRUE;
    }
    g_assert(is_found);
    return last;
}

static void reverse_path_parts(GArray *parts)
{
    for (guint i = 0; i < parts->len / 2; i++) {
        RankPathPart *a = &g_array_index(parts, RankPathPart, i);
        RankPathPart *b =
            &g_array_index(parts, RankPathPart, parts->len - 1 - i);
        RankPathPart kept = *a;

        *a = *b;
        *b = kept;
    }
}

static void compute_latest_lane_ends(RankPath *path)
{
    g_autofree SimTime *most_ps = g_new0(SimTime, path->graph->lanes->len);

    for (guint i = 0; i < path->loads->len; i++) {
        RankPathLoad *load = &g_array_index(path->loads, RankPathLoad, i);

        most_ps[load->lane] = MAX(most_ps[load->lane], load->end_ps);
        load->most_end_ps = most_ps[load->lane];
    }
}

void rank_path_finish(RankPath *path, const SystemResult *result)
{
    RankPathWalk walk = { .path = path, .at_ps = result->total_ps };

    g_assert(path->parts->len == 0);
    if (result->total_ps == 0)
        return;
    compute_latest_lane_ends(path);
    walk.instance =
        find_last_op_of_npu(path, result->last_npu, result->total_ps);
    while (!walk.is_over)
        walk_to_previous_operation(&walk);
    reverse_path_parts(path->parts);
}
