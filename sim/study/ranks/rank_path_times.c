/* rank_path_times.c - the critical path by class, NPU and role */
#include "sim/study/ranks/rank_study_impl.h"

uint32_t rank_study_class_of_part(const RankStudy *study,
                                  const RankPathPart *part)
{
    const OpClasses *classes = &study->classes;

    if (part->kind == RANK_PATH_OP)
        return classes->class_of_op[part->op];
    if (part->kind == RANK_PATH_GAP)
        return classes->classes->len - 1;
    return classes->first_lane +
           op_graph_op(system_graph(study->system), part->op)->lane;
}

/* Fills .npus, one for each simulated NPU, by place. */
static void list_simulated_npus(RankStudy *study)
{
    const System *system = study->system;
    uint32_t n_npus = topology_n_npus(system_topology(system));

    g_array_set_size(study->npus, system_n_simulated_npus(system));
    for (uint32_t npu = 0; npu < n_npus; npu++) {
        RankNpu *represented = &g_array_index(
            study->npus, RankNpu, system_representative_npu(system, npu));

        if (system_simulates_npu(system, npu))
            represented->npu = npu;
        represented->n_represented++;
        represented->role = coll_placement_role(system_placement(system), npu);
    }
}

static gint compare_class_times(gconstpointer a, gconstpointer b)
{
    const RankClassTime *time = a, *y = b;

    if (time->path_ps != y->path_ps)
        return time->path_ps > y->path_ps ? -1 : 1;
    return time->class < y->class ? -1 : time->class > y->class;
}

/* Adds each part of the critical path to its class, its NPU and its role. */
static void add_path_parts(RankStudy *study)
{
    const GArray *parts = rank_path_parts(study->path);
    SimTime sum_ps = 0;

    g_array_set_size(study->times, study->classes.classes->len);
    for (uint32_t c = 0; c < study->times->len; c++)
        g_array_index(study->times, RankClassTime, c).class = c;
    for (guint i = 0; i < parts->len; i++) {
        const RankPathPart *part = &g_array_index(parts, RankPathPart, i);
        RankClassTime *time = &g_array_index(
            study->times, RankClassTime, rank_study_class_of_part(study, part));
        RankNpu *npu =
            &g_array_index(study->npus, RankNpu,
                           system_representative_npu(study->system, part->npu));
        SimTime ps = part->to_ps - part->from_ps;

        time->path_ps += ps;
        time->n_parts++;
        npu->path_ps += ps;
        study->roles_ps[npu->role] += ps;
        sum_ps += ps;
    }
    g_assert(sum_ps == study->r.total_ps);
    g_array_sort(study->times, compare_class_times);
}

RankStudy *rank_study_new(const System *system, const RankPath *path)
{
    RankStudy *study = g_new0(RankStudy, 1);
    const OpGraph *graph = system_graph(system);

    study->system = system;
    study->path = path;
    study->r = system_result(system);
    op_classes_init(&study->classes, graph);
    study->times = g_array_new(FALSE, TRUE, sizeof(RankClassTime));
    study->npus = g_array_new(FALSE, TRUE, sizeof(RankNpu));
    study->roles_ps = g_new0(SimTime, graph->roles->len);
    list_simulated_npus(study);
    add_path_parts(study);
    stragglers_find(study);
    return study;
}

void rank_study_free(RankStudy *study)
{
    if (!study)
        return;
    op_classes_clear(&study->classes);
    g_array_unref(study->times);
    g_array_unref(study->npus);
    g_free(study->roles_ps);
    g_free(study);
}

const RankNpu *rank_study_find_straggler(const RankStudy *study)
{
    const RankNpu *worst = NULL;

    for (guint i = 0; i < study->npus->len; i++) {
        const RankNpu *npu = rank_study_npu_at(study, i);

        if (npu->held_ps > (worst ? worst->held_ps : 0))
            worst = npu;
    }
    return worst;
}

/* A selection of parts of the critical path. */
typedef struct {
    ClassKind kind;      /* CLASS_N_KINDS: any */
    const char *pattern; /* pattern of names; NULL: any */
    uint32_t npu;        /* UINT32_MAX: any */
} PathSelection;

static SimTime path_time_of_selection_ps(const RankStudy *study,
                                         const PathSelection *selection)
{
    const OpGraph *graph = system_graph(study->system);
    const GArray *parts = rank_path_parts(study->path);
    SimTime sum_ps = 0;

    for (guint i = 0; i < parts->len; i++) {
        const RankPathPart *part = &g_array_index(parts, RankPathPart, i);
        const Op *op = op_graph_op(graph, part->op);
        const char *name = g_ptr_array_index(graph->layers, op->layer);

        if (part->kind != RANK_PATH_OP ||
            (selection->kind != CLASS_N_KINDS &&
             op_class_kind_of_op(op) != selection->kind) ||
            (selection->npu != UINT32_MAX && part->npu != selection->npu))
            continue;
        if (!selection->pattern ||
            g_pattern_match_simple(selection->pattern, name))
            sum_ps += part->to_ps - part->from_ps;
    }
    return sum_ps;
}

SimTime rank_study_path_time_of_pattern_ps(const RankStudy *study,
                                           ClassKind kind, const char *pattern)
{
    return path_time_of_selection_ps(
        study, &(PathSelection){ kind, pattern, UINT32_MAX });
}

SimTime rank_study_path_time_of_npu_ps(const RankStudy *study, uint32_t npu,
                                       ClassKind kind)
{
    return path_time_of_selection_ps(study,
                                     &(PathSelection){ kind, NULL, npu });
}
