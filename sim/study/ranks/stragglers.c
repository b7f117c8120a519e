/* stragglers.c - which NPUs hold up collectives, and why */
#include "sim/study/ranks/rank_study_impl.h"

/* A span of time in which a collective waited for one NPU alone. */
typedef struct {
    uint32_t place; /* index in RankStudy.npus */
    SimTime from_ps, to_ps;
} StragglerWait;

typedef struct {
    RankStudy *study;
    const CollPlacement *placement; /* borrowed */
    GArray *waits;                  /* owned: of StragglerWait */
    uint32_t *last_set; /* owned: by place, the number of the last set that
                         * contained the NPU */
    uint32_t n_sets;
    SimTime *class_ps; /* Owned: the time that the NPU at a place spends in
                          operations of a class. */
} StragglerSearch;

/* ---- finding the last NPU of each collective ----------------------------- */

/* The last two times at which NPUs of a set began a collective. */
typedef struct {
    uint32_t n;
    uint32_t last; /* the NPU that began last */
    SimTime last_ps, second_ps;
    SimWide sum_ps;
} LastArrivals;

static void add_npu_arrival(LastArrivals *arrivals, uint32_t npu, SimTime at_ps)
{
    if (arrivals->n == 0 || at_ps > arrivals->last_ps) {
        arrivals->second_ps = arrivals->last_ps;
        arrivals->last_ps = at_ps;
        arrivals->last = npu;
    } else {
        arrivals->second_ps = MAX(arrivals->second_ps, at_ps);
    }
    arrivals->sum_ps += at_ps;
    arrivals->n++;
}

/* Returns the arrivals of the set of @npu, and marks its NPUs as seen. */
static LastArrivals last_arrivals_of_set(StragglerSearch *search, uint32_t npu,
                                         uint32_t op, uint64_t iteration)
{
    const Op *o = op_graph_op(search->placement->graph, op);
    const CollMembers *members = coll_placement_members(search->placement, o);
    LastArrivals a = { 0 };

    search->n_sets++;
    for (uint32_t r = 0; r < members->n_ranks; r++) {
        uint32_t id = coll_members_npu_in_same_group(members, npu, r);

        if (!coll_placement_npu_runs_op(search->placement, id, o))
            continue;
        search->last_set[system_representative_npu(search->study->system, id)] =
            search->n_sets;
        add_npu_arrival(
            &a, id, rank_path_ready_ps(search->study->path, id, op, iteration));
    }
    return a;
}

static void record_straggler_wait(StragglerSearch *search,
                                  const LastArrivals *arrivals)
{
    StragglerWait wait = { .place = system_representative_npu(
                               search->study->system, arrivals->last),
                           .from_ps = arrivals->second_ps,
                           .to_ps = arrivals->last_ps };
    RankNpu *npu = &g_array_index(search->study->npus, RankNpu, wait.place);

    search->study->n_collectives += arrivals->n > 1;
    if (arrivals->n < 2 || arrivals->last_ps == arrivals->second_ps)
        return;
    npu->n_begun_last++;
    npu->late_ps += arrivals->last_ps - arrivals->second_ps;
    npu->waited_ps += (SimTime)(((SimWide)arrivals->n * arrivals->last_ps -
                                 arrivals->sum_ps) /
                                (arrivals->n - 1));
    g_array_append_val(search->waits, wait);
}

static void examine_collective_arrivals(StragglerSearch *search, uint32_t op,
                                        uint64_t iteration)
{
    const Op *o = op_graph_op(search->placement->graph, op);
    uint32_t before = search->n_sets;

    for (guint i = 0; i < search->study->npus->len; i++) {
        uint32_t npu = rank_study_npu_at(search->study, i)->npu;
        LastArrivals a;

        if (!coll_placement_npu_runs_op(search->placement, npu, o) ||
            search->last_set[i] > before)
            continue;
        a = last_arrivals_of_set(search, npu, op, iteration);
        record_straggler_wait(search, &a);
    }
}

static gint compare_wait_starts(gconstpointer a, gconstpointer b)
{
    const StragglerWait *wait = a, *y = b;

    if (wait->place != y->place)
        return wait->place < y->place ? -1 : 1;
    return wait->from_ps < y->from_ps ? -1 : wait->from_ps > y->from_ps;
}

/* Sets .held_ps to the time that the waits of each NPU cover, each instant
 * counted once. */
static void join_overlapping_waits(StragglerSearch *search)
{
    uint32_t npu_index = UINT32_MAX;
    SimTime until_ps = 0;

    g_array_sort(search->waits, compare_wait_starts);
    for (guint i = 0; i < search->waits->len; i++) {
        const StragglerWait *wait =
            &g_array_index(search->waits, StragglerWait, i);
        RankNpu *npu =
            &g_array_index(search->study->npus, RankNpu, wait->place);

        if (wait->place != npu_index)
            until_ps = 0;
        npu_index = wait->place;
        if (wait->to_ps <= until_ps)
            continue;
        npu->held_ps += wait->to_ps - MAX(wait->from_ps, until_ps);
        until_ps = wait->to_ps;
    }
}

/* ---- finding the cause of a straggler's delay ---------------------------- */

static SimTime *op_class_time_at(const StragglerSearch *search,
                                 uint32_t npu_index, uint32_t class)
{
    return &search->class_ps[(gsize)npu_index *
                                 search->study->classes.classes->len +
                             class];
}

/* Adds the time of @op on an NPU to its class, and to the gap the time for
 * which @op could have begun and did not. */
static void add_operation_time(StragglerSearch *search, uint32_t npu_index,
                               uint32_t op, uint64_t iteration)
{
    RankNpu *npu = &g_array_index(search->study->npus, RankNpu, npu_index);
    const RankPath *path = search->study->path;
    uint32_t class = search->study->classes.class_of_op[op];
    RankSpan span = rank_path_span(path, npu->npu, op, iteration);
    SimTime ready_ps = rank_path_ready_ps(path, npu->npu, op, iteration);
    SimTime took_ps = span.end_ps - span.begin_ps;

    *op_class_time_at(search, npu_index, class) += took_ps;
    npu->busy_ps[op_class_at(&search->study->classes, class)->kind] += took_ps;
    npu->busy_ps[CLASS_GAP] += span.begin_ps - ready_ps;
}

static void add_operation_times(StragglerSearch *search, uint32_t npu_index)
{
    uint32_t npu = rank_study_npu_at(search->study, npu_index)->npu;
    uint64_t n = search->study->r.n_iterations;

    for (guint op = 0; op < search->placement->graph->ops->len; op++) {
        const Op *o = op_graph_op(search->placement->graph, op);

        if (o->type == OP_COLLECTIVE ||
            !coll_placement_npu_runs_op(search->placement, npu, o))
            continue;
        for (uint64_t i = 0; i < n; i++)
            add_operation_time(search, npu_index, op, i);
    }
}

/* Returns how much @own_ps exceeds the mean of the others; 0 if it does not.
 * @sum_ps includes @own_ps. */
static SimTime excess_over_mean_of_others(SimTime own_ps, SimWide sum_ps,
                                          uint64_t n_others)
{
    SimWide others_ps = sum_ps - own_ps;

    if (n_others == 0 || (SimWide)own_ps * n_others <= others_ps)
        return 0;
    return own_ps - (SimTime)(others_ps / n_others);
}

typedef SimTime (*NpuTimeFn)(const StragglerSearch *s, uint32_t place,
                             uint32_t what);

static SimTime time_of_kind_ps(const StragglerSearch *search,
                               uint32_t npu_index, uint32_t kind)
{
    return rank_study_npu_at(search->study, npu_index)->busy_ps[kind];
}

static SimTime time_of_class_ps(const StragglerSearch *search,
                                uint32_t npu_index, uint32_t class)
{
    return *op_class_time_at(search, npu_index, class);
}

/* Returns the excess of NPU @npu_index in @kind_or_class, compared with all
 * others. */
static SimTime excess_time_of_npu(const StragglerSearch *search, NpuTimeFn of,
                                  uint32_t npu_index, uint32_t kind_or_class)
{
    SimWide sum_ps = 0;
    uint64_t n = 0;

    for (guint i = 0; i < search->study->npus->len; i++) {
        const RankNpu *npu = rank_study_npu_at(search->study, i);

        sum_ps += (SimWide)npu->n_represented * of(search, i, kind_or_class);
        n += npu->n_represented;
    }
    return excess_over_mean_of_others(of(search, npu_index, kind_or_class),
                                      sum_ps, n - 1);
}

static void find_largest_excess(const StragglerSearch *search,
                                uint32_t npu_index)
{
    RankNpu *npu = &g_array_index(search->study->npus, RankNpu, npu_index);
    const OpClasses *classes = &search->study->classes;

    for (ClassKind kind = 0; kind < CLASS_N_KINDS; kind++) {
        SimTime ps =
            excess_time_of_npu(search, time_of_kind_ps, npu_index, kind);

        if (ps <= npu->excess_ps)
            continue;
        npu->excess_kind = kind;
        npu->excess_ps = ps;
    }
    for (uint32_t c = 0; c < classes->classes->len; c++) {
        SimTime ps =
            op_class_at(classes, c)->kind == npu->excess_kind
                ? excess_time_of_npu(search, time_of_class_ps, npu_index, c)
                : 0;

        if (ps <= npu->excess_class_ps)
            continue;
        npu->excess_class = c;
        npu->excess_class_ps = ps;
    }
}

/* NPUs that are represented by one simulated NPU are never late. */
void stragglers_find(RankStudy *study)
{
    StragglerSearch s = { .study = study,
                          .placement = system_placement(study->system) };
    const OpGraph *graph = system_graph(study->system);
    gsize n = study->npus->len;

    if (n < 2)
        return;
    s.waits = g_array_new(FALSE, FALSE, sizeof(StragglerWait));
    s.last_set = g_new0(uint32_t, n);
    s.class_ps = g_new0(SimTime, n * study->classes.classes->len);
    for (uint64_t i = 0; i < study->r.n_iterations; i++)
        for (guint op = 0; op < graph->ops->len; op++) {
            const Op *o = op_graph_op(graph, op);

            if (op_class_kind_of_op(o) == CLASS_COLLECTIVE && !o->is_buffer)
                examine_collective_arrivals(&s, op, i);
        }
    join_overlapping_waits(&s);
    for (uint32_t npu_index = 0; npu_index < n; npu_index++)
        add_operation_times(&s, npu_index);
    for (uint32_t npu_index = 0; npu_index < n; npu_index++)
        if (rank_study_npu_at(study, npu_index)->held_ps > 0)
            find_largest_excess(&s, npu_index);
    g_array_unref(s.waits);
    g_free(s.last_set);
    g_free(s.class_ps);
}
