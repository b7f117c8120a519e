/* rank_predecessors.c - finds what an operation waited for last */
#include "models/observe/ranks/rank_path_impl.h"

/* The operation that ended last among those considered so far. */
typedef struct {
    const RankPath *path;
    RankOpInstance instance;
    SimTime end_ps;
    gboolean is_found;
} LatestCandidate;

static void keep_candidate_that_ended_last(LatestCandidate *last,
                                           const RankOpInstance *instance)
{
    SimTime end_ps = rank_path_span_of_instance(last->path, instance)->end_ps;

    if (last->is_found && end_ps <= last->end_ps)
        return;
    *last = (LatestCandidate){ last->path, *instance, end_ps, TRUE };
}

/* Finds the operation that ended last among those that @instance waited for.
 * Dependencies are considered first, so that they win among operations that
 * ended at the same time. */
gboolean rank_path_find_predecessor(const RankPath *path,
                                    const RankOpInstance *instance,
                                    RankOpInstance *ret)
{
    const Op *op = op_graph_op(path->graph, instance->op);
    uint32_t role = coll_placement_role(path->placement, instance->npu);
    const RankOps *ops = &path->roles[role];
    uint32_t place = ops->places[instance->op], before = ops->before[place];
    LatestCandidate last = { .path = path };

    for (uint32_t d = 0; d < op->n_deps; d++) {
        const OpDep *dep = &op->deps[d];

        if (role_set_has(dep->roles, role) &&
            dep->n_iterations_back <= instance->iteration)
            keep_candidate_that_ended_last(
                &last, &(RankOpInstance){ instance->npu, dep->op,
                                          instance->iteration -
                                              dep->n_iterations_back });
    }
    if (before != RANK_NONE && before < place)
        keep_candidate_that_ended_last(
            &last, &(RankOpInstance){ instance->npu, ops->ops[before],
                                      instance->iteration });
    else if (before != RANK_NONE && instance->iteration > 0)
        keep_candidate_that_ended_last(
            &last, &(RankOpInstance){ instance->npu, ops->ops[before],
                                      instance->iteration - 1 });
    if (instance->iteration > 0)
        keep_candidate_that_ended_last(
            &last, &(RankOpInstance){ instance->npu, instance->op,
                                      instance->iteration - 1 });
    *ret = last.instance;
    return last.is_found;
}

SimTime rank_path_instance_ready_ps(const RankPath *path,
                                    const RankOpInstance *instance)
{
    RankOpInstance before;

    return rank_path_find_predecessor(path, instance, &before)
               ? rank_path_span_of_instance(path, &before)->end_ps
               : 0;
}

RankOpInstance rank_path_find_last_begin(const RankPath *path,
                                         const RankOpInstance *instance,
                                         SimTime by_ps)
{
    const Op *op = op_graph_op(path->graph, instance->op);
    const CollMembers *members = coll_placement_members(path->placement, op);
    SimTime last_ps = rank_path_span_of_instance(path, instance)->begin_ps;
    RankOpInstance last = *instance;

    for (uint32_t r = 0; r < members->n_ranks; r++) {
        RankOpInstance other = *instance;
        SimTime begin_ps;

        other.npu = coll_members_npu_in_same_group(members, instance->npu, r);
        if (!coll_placement_npu_runs_op(path->placement, other.npu, op))
            continue;
        begin_ps = rank_path_span_of_instance(path, &other)->begin_ps;
        if (begin_ps <= last_ps || begin_ps > by_ps)
            continue;
        last_ps = begin_ps;
        last = other;
    }
    return last;
}

/* ---- lanes ------------------------------------------------------------- */

RankOpInstance rank_path_find_last_ready_member(const RankPath *path,
                                                const RankPathLoad *load)
{
    uint32_t n_npus = path->placement->n_npus;
    RankOpInstance last = { 0 };
    gboolean is_found = FALSE;
    SimTime last_ps = 0;

    for (uint32_t m = 0; m < load->n_members; m++) {
        const TraceMember *member =
            &g_array_index(path->members, TraceMember, load->first_member + m);
        const Op *op = op_graph_op(path->graph, member->op);

        for (uint32_t npu = 0; npu < n_npus; npu++) {
            RankOpInstance instance = { npu, member->op, member->iteration };
            SimTime ready_ps;

            if (!system_simulates_npu(path->system, npu) ||
                !coll_placement_npu_runs_op(path->placement, npu, op))
                continue;
            ready_ps = rank_path_instance_ready_ps(path, &instance);
            if (is_found && ready_ps <= last_ps)
                continue;
            last = instance;
            last_ps = ready_ps;
            is_found = TRUE;
        }
    }
    g_assert(is_found && last_ps == load->ready_ps);
    return last;
}

/* Returns the load of the same collective lane that freed the lane for @load.
 * Searches backwards until no earlier load of collectives can have
 * ended later. */
const RankPathLoad *rank_path_find_load_predecessor(const RankPath *path,
                                                    const RankPathLoad *load)
{
    const RankPathLoad *first =
        (const RankPathLoad *)(gpointer)path->loads->data;
    const RankPathLoad *last = NULL;

    for (const RankPathLoad *other = load; other > first;) {
        other--;
        if (other->lane != load->lane)
            continue;
        if (other->most_end_ps <= (last ? last->end_ps : load->ready_ps))
            break;
        if (other->end_ps > (last ? last->end_ps : load->ready_ps) &&
            other->end_ps <= load->go_ps)
            last = other;
    }
    return last;
}
