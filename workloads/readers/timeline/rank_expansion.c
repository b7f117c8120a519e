/* rank_expansion.c - expands the slices of the simulated NPUs to nodes of all
 * NPUs */
#include "workloads/readers/timeline/timeline_state_impl.h"

/* Number of the stream of kernels; other threads are streams with their own
 * number. */
#define STREAM_MAIN 1

typedef struct {
    TimelineRead *read;
    /* Indices of slices, sorted by place and operation; the elements are
     * guint. */
    GArray *order;
    /* For each place the first index into .order; one extra entry. */
    guint *firsts;
    /* For each group of the file its index in the recording's groups. */
    uint32_t *groups;
    GHashTable *begins; /* maps (operation, set) to the latest begin */
} Expansion;

/* ---- sorting -------------------------------------------------------- */

static gint compare_by_place_and_op(gconstpointer a, gconstpointer b,
                                    gpointer self)
{
    const TimelineSlice *x = timeline_slice(self, *(const guint *)a);
    const TimelineSlice *y = timeline_slice(self, *(const guint *)b);

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

static const TimelineSlice *timeline_slice_at_position(const Expansion *m,
                                                       guint i)
{
    return timeline_slice(m->read, g_array_index(m->order, guint, i));
}

/* Sorts the slices by place and operation, and sets .firsts.  Returns FALSE if
 * a slice is invalid or an operation occurs twice on an NPU. */
static gboolean sort_timeline_slices(Expansion *m, GError **error)
{
    TimelineRead *t = m->read;
    guint place = 0;

    for (guint i = 0; i < t->slices->len; i++) {
        if (!timeline_check_slice(t, timeline_slice(t, i), error))
            return FALSE;
        g_array_append_val(m->order, i);
    }
    g_array_sort_with_data(m->order, compare_by_place_and_op, t);
    m->firsts = g_new0(guint, t->n_simulated + 1);
    for (guint i = 0; i < m->order->len; i++) {
        const TimelineSlice *s = timeline_slice_at_position(m, i);
        const TimelineSlice *before =
            i > 0 ? timeline_slice_at_position(m, i - 1) : NULL;

        if (before && before->place == s->place && before->op == s->op)
            return timeline_set_error(
                t, s->line, error,
                "operation %" G_GUINT64_FORMAT " is there twice", s->op);
        while (place < s->place)
            m->firsts[++place] = i;
    }
    while (place < t->n_simulated)
        m->firsts[++place] = m->order->len;
    return TRUE;
}

/* ---- groups --------------------------------------------------------- */

/* Returns whether the sets are i, i + stride, ... of all NPUs, sorted by their
 * first member. */
static gboolean sets_are_by_stride(const TimelineRead *t,
                                   const TimelineGroup *g, uint32_t *ret_stride)
{
    const uint32_t *ids = (const uint32_t *)(gpointer)g->ids->data;
    uint32_t stride = g->size > 1 ? ids[1] - ids[0] : 1, i = 0;

    if ((uint64_t)g->n * g->size != t->n_npus || stride == 0 ||
        ids[g->size - 1] < ids[0] || t->n_npus % ((uint64_t)g->size * stride))
        return FALSE;
    for (uint32_t first = 0; first < t->n_npus; first++) {
        if (first / stride % g->size != 0)
            continue;
        for (uint32_t r = 0; r < g->size; r++)
            if (ids[i++] != first + r * stride)
                return FALSE;
    }
    *ret_stride = stride;
    return TRUE;
}

/* Adds group @g to the recording.  Returns RECORD_NONE for the group of all
 * NPUs, which a recording does not list. */
static uint32_t add_timeline_group(const TimelineRead *t,
                                   const TimelineGroup *g)
{
    OpGroup group = { .name = g->name, .size = g->size };

    if (g->size == t->n_npus)
        return RECORD_NONE;
    if (sets_are_by_stride(t, g, &group.stride)) {
        group.grouped_by = GROUP_STRIDE;
    } else {
        group.grouped_by = GROUP_LISTS;
        group.n_lists = g->n;
        group.ids = g_memdup2(g->ids->data, g->ids->len * sizeof(uint32_t));
    }
    return record_add_group(t->recording, &group);
}

/* Adds all groups to the recording, and sets their .set_of and .rank_of. */
static void add_and_index_groups(Expansion *m)
{
    TimelineRead *t = m->read;

    m->groups = g_new(uint32_t, t->groups->len);
    for (guint i = 0; i < t->groups->len; i++) {
        TimelineGroup *g = timeline_group(t, i);

        m->groups[i] = add_timeline_group(t, g);
        g->set_of = g_new(uint32_t, t->n_npus);
        g->rank_of = g_new0(uint32_t, t->n_npus);
        for (uint32_t npu = 0; npu < t->n_npus; npu++)
            g->set_of[npu] = RECORD_NONE;
        for (guint at = 0; at < g->ids->len; at++) {
            uint32_t id = g_array_index(g->ids, uint32_t, at);

            g->set_of[id] = at / g->size;
            g->rank_of[id] = at % g->size;
        }
    }
}

static uint32_t npu_id_of_member(const TimelineGroup *g, uint32_t npu,
                                 uint64_t rank)
{
    return g_array_index(g->ids, uint32_t,
                         g->set_of[npu] * g->size + (uint32_t)rank);
}

/* ---- nodes ---------------------------------------------------------- */

/* Returns the key of an operation and the set of @npu, for the table
 * .begins. */
static uint64_t op_and_set_key(const Expansion *m, const TimelineSlice *s,
                               uint32_t npu)
{
    return s->op << 32 | timeline_group(m->read, (guint)s->group)->set_of[npu];
}

/* Notes the latest begin of each communication over all members of its set.
 * The begin fits in 64 bits, as begins are checked before. */
static void note_latest_begins(Expansion *m, uint32_t npu)
{
    uint32_t place = g_array_index(m->read->place_of, uint32_t, npu);

    for (guint i = m->firsts[place]; i < m->firsts[place + 1]; i++) {
        const TimelineSlice *s = timeline_slice_at_position(m, i);
        uint64_t key;
        int64_t *begin;

        if (!timeline_is_comm(s))
            continue;
        key = op_and_set_key(m, s, npu);
        begin = g_hash_table_lookup(m->begins, &key);
        if (!begin) {
            begin = g_new0(int64_t, 1);
            g_hash_table_insert(m->begins, g_memdup2(&key, sizeof key), begin);
        }
        *begin = MAX(*begin, (int64_t)s->begin_ps);
    }
}

static uint8_t training_pass_of_slice(const TimelineSlice *s)
{
    uint8_t pass = 0;

    while (pass < OP_N_PASSES && s->pass &&
           !g_str_equal(s->pass, op_pass_names[pass]))
        pass++;
    return s->pass ? pass : OP_N_PASSES;
}

static const char *const host_kinds[] = { "host", "read", "decode", NULL };

static RecordKind record_kind_of_slice(const TimelineSlice *s)
{
    if (g_str_equal(s->kind, "kernel"))
        return RECORD_KERNEL;
    return g_strv_contains(host_kinds, s->kind) ? RECORD_HOST : RECORD_COPY;
}

static CollKind collective_kind_of_slice(const TimelineSlice *s)
{
    CollKind kind = 0;

    while (kind < COLL_N_KINDS &&
           !g_str_equal(s->collective, coll_kind_name(kind)))
        kind++;
    return kind;
}

static gboolean add_slice_communication(Expansion *m, RecordRank *rank,
                                        RecordNode *node,
                                        const TimelineSlice *s, uint32_t npu,
                                        GError **error)
{
    const TimelineGroup *g = timeline_group(m->read, (guint)s->group);
    gboolean is_message = g_str_equal(s->kind, "message");
    CollKind kind = is_message ? COLL_SEND : collective_kind_of_slice(s);
    RecordComm *comm;

    if (g->set_of[npu] == RECORD_NONE ||
        (is_message && g->rank_of[npu] != s->from &&
         g->rank_of[npu] != s->to) ||
        (!is_message && kind == COLL_N_KINDS))
        return timeline_set_error(
            m->read, s->line, error,
            "operation %" G_GUINT64_FORMAT " is not NPU %u's", s->op, npu);
    node->kind = !is_message                  ? RECORD_COLLECTIVE
                 : g->rank_of[npu] == s->from ? RECORD_SEND
                                              : RECORD_RECEIVE;
    comm = record_add_comm(rank, record_add_node(rank, node), kind);
    comm->has_bytes = comm->has_sequence = TRUE;
    comm->bytes = s->payload_bytes;
    comm->sequence = s->op;
    comm->group = m->groups[s->group];
    comm->peer = RECORD_NONE;
    comm->tag = (uint32_t)s->op;
    comm->priority = (uint32_t)s->priority;
    comm->is_star = s->is_star;
    if (is_message)
        comm->peer = npu_id_of_member(
            g, npu, g->rank_of[npu] == s->from ? s->to : s->from);
    else if (coll_contract(kind)->collective_has_root)
        comm->peer = npu_id_of_member(g, npu, s->from);
    return TRUE;
}

static uint32_t add_slice_work(RecordRank *rank, const TimelineSlice *s)
{
    RecordWork work = { s->flop,
                        s->hbm_bytes - MIN(s->written_bytes, s->hbm_bytes),
                        s->written_bytes };

    if (s->flop == 0 && s->hbm_bytes == 0)
        return 0;
    g_array_append_val(rank->works, work);
    return rank->works->len;
}

/* Returns the number of a slice's thread within its process, which is the same
 * on all NPUs; the file numbers threads globally. */
static uint64_t thread_within_process(const TimelineRead *t,
                                      const TimelineSlice *s)
{
    return s->thread / (t->n_processes * t->n_simulated + 1);
}

static gboolean add_slice_node(Expansion *m, RecordRank *rank,
                               const TimelineSlice *s, uint32_t npu,
                               GError **error)
{
    const TimelineRead *t = m->read;
    RecordNode node = { .id = s->op,
                        .file_position = s->line,
                        .name = s->layer,
                        .begin_ps = RECORD_NO_TIME,
                        .comm = RECORD_NONE,
                        .launch = RECORD_NONE,
                        .flags = RECORD_ISOLATED_TIME,
                        .pass = training_pass_of_slice(s) };

    if (timeline_is_comm(s)) {
        uint64_t key = op_and_set_key(m, s, npu);
        const int64_t *begin = g_hash_table_lookup(m->begins, &key);

        node.duration_ps = (uint64_t)MAX(0, (int64_t)s->end_ps - *begin);
        node.stream =
            record_add_stream(t->recording, rank, 0, FALSE, "communication");
        if (!add_slice_communication(m, rank, &node, s, npu, error))
            return FALSE;
    } else {
        node.kind = (uint8_t)record_kind_of_slice(s);
        node.duration_ps = s->alone_ps + s->gap_ps;
        node.flags |= node.kind == RECORD_HOST ? RECORD_ON_HOST : 0;
        if (node.kind == RECORD_KERNEL)
            node.work = add_slice_work(rank, s);
        node.stream = record_add_stream(
            t->recording, rank,
            node.kind == RECORD_KERNEL ? STREAM_MAIN
                                       : thread_within_process(t, s),
            node.kind == RECORD_HOST, s->queue ? s->queue : "main");
        record_add_node(rank, &node);
    }
    for (guint d = 0; d < s->n_deps; d++) {
        const TimelineDep *dep =
            &g_array_index(t->deps, TimelineDep, s->first_dep + d);

        if (dep->back == 0 ? dep->op < s->op
                           : dep->back == 1 && dep->op > s->op)
            record_add_dep(rank, dep->op, FALSE);
    }
    return TRUE;
}

static gboolean add_npu_rank(Expansion *m, uint32_t npu, GError **error)
{
    const TimelineRead *t = m->read;
    RecordRank *rank = record_add_rank(t->recording, source_name(t->source));
    uint32_t place = g_array_index(t->place_of, uint32_t, npu);

    rank->rank = t->n_simulated == 1 && t->n_npus > 1 ? RECORD_NO_RANK : npu;
    rank->n_found = m->firsts[place + 1] - m->firsts[place];
    for (guint i = m->firsts[place]; i < m->firsts[place + 1]; i++)
        if (!add_slice_node(m, rank, timeline_slice_at_position(m, i), npu,
                            error))
            return FALSE;
    return TRUE;
}

/* Adds a rank for each NPU.  If a single NPU represents all, adds only its
 * rank. */
static gboolean expand_slices_of_ranks(Expansion *m, GError **error)
{
    const TimelineRead *t = m->read;
    uint64_t n = t->n_simulated == 1 ? 1 : t->n_npus;

    if (!sort_timeline_slices(m, error))
        return FALSE;
    if (n * t->slices->len / t->n_simulated > TIMELINE_MAX_NODES)
        return timeline_set_error(t, 1, error,
                                  "too many operations for so many NPUs");
    add_and_index_groups(m);
    for (uint32_t npu = 0; npu < n; npu++)
        note_latest_begins(m, npu);
    for (uint32_t npu = 0; npu < n; npu++)
        if (!add_npu_rank(m, npu, error))
            return FALSE;
    return TRUE;
}

gboolean timeline_add_ranks(TimelineRead *t, GError **error)
{
    Expansion m = { .read = t,
                    .order = g_array_new(FALSE, FALSE, sizeof(guint)),
                    .begins = g_hash_table_new_full(g_int64_hash, g_int64_equal,
                                                    g_free, g_free) };
    gboolean ok;

    t->recording->n_world = (uint32_t)t->n_npus;
    t->recording->is_loop = TRUE;
    ok = timeline_check_head(t, error) && expand_slices_of_ranks(&m, error);
    g_array_unref(m.order);
    g_hash_table_unref(m.begins);
    g_free(m.firsts);
    g_free(m.groups);
    return ok;
}
