/* given.c - dependencies as the recording has them */
#include "workloads/recording/take/take_impl.h"

static guint id_hash(gconstpointer data)
{
    return g_int64_hash(data);
}

/* Callers of some files are numbers of another one: a node that calls itself
 * says so. */
static gboolean are_stale(const RecordRank *rank, const RecordNode *node)
{
    for (uint32_t d = node->n_deps - node->n_control; d < node->n_deps; d++)
        if (g_array_index(rank->deps, uint64_t, node->first_dep + d) ==
            node->id)
            return TRUE;
    return FALSE;
}

static void look_for_stale(TakeMaker *m)
{
    for (guint i = 0; i < m->from->nodes->len && !m->has_stale; i++)
        m->has_stale = are_stale(m->from, record_node(m->from, i));
    if (!m->has_stale)
        return;
    for (guint i = 0; i < m->from->nodes->len; i++)
        take_report(m)->n[REPORT_STALE] += record_node(m->from, i)->n_control;
}

uint32_t take_n_deps(const TakeMaker *m, const RecordNode *node)
{
    return node->n_deps - (m->has_stale ? node->n_control : 0);
}

/* Of those that share an id the first counts. */
static void index_ids(TakeMaker *m)
{
    if (m->from->deps->len == 0)
        return;
    m->by_id = g_hash_table_new(id_hash, g_int64_equal);
    for (guint i = m->from->nodes->len; i-- > 0;)
        g_hash_table_insert(m->by_id, &record_node(m->from, i)->id,
                            GUINT_TO_POINTER(i + 1));
}

uint32_t take_resolve(const TakeMaker *m, const RecordNode *node, uint32_t i)
{
    const uint64_t *id =
        &g_array_index(m->from->deps, uint64_t, node->first_dep + i);
    guint there =
        m->by_id ? GPOINTER_TO_UINT(g_hash_table_lookup(m->by_id, id)) : 0;

    return there > 0 ? there - 1 : RECORD_NONE;
}

/* ---- of what runs on the device --------------------------------------- */

/* Of several calls that it waits for, the last launched it. */
static void take_call(TakeMaker *m, uint32_t node, uint32_t call)
{
    uint32_t *launch = &m->launch[node];

    if (record_node(m->from, node)->launch != RECORD_NONE ||
        take_begin_of(m, call) > take_begin_of(m, node)) {
        take_report(m)->n[REPORT_IN_HOST_ORDER]++;
        return;
    }
    if (*launch != RECORD_NONE)
        take_report(m)->n[REPORT_IN_HOST_ORDER]++;
    if (*launch == RECORD_NONE ||
        take_begin_of(m, call) > take_begin_of(m, *launch))
        *launch = call;
}

static void take_one(TakeMaker *m, uint32_t node, uint32_t on)
{
    RecordReport *report = take_report(m);

    if (on == RECORD_NONE || !m->span->has[on]) {
        report->n[REPORT_ABSENT]++;
    } else if (m->op_of[on] == RECORD_NONE) {
        take_call(m, node, on);
    } else if (take_end_of(m, on) >
               take_begin_of(m, node) + TAKE_TOLERANCE_PS) {
        report->n[REPORT_BACKWARD]++;
    } else if (on != node) {
        take_add_pair(m, m->op_of[node], m->op_of[on]);
        report->n[REPORT_GIVEN]++;
    }
}

/* ---- of plans --------------------------------------------------------- */

/* Of one rank that stands for all, and of a loop, what stands later is of the
 * iteration before. */
static gboolean is_from_before(const TakeMaker *m, uint32_t node, uint32_t on)
{
    const Recording *recording = m->take->recording;

    return recording->is_loop
               ? on > node
               : recording->ranks->len == 1 &&
                     m->from->rank == RECORD_NO_RANK && on >= node;
}

static void take_planned(TakeMaker *m, uint32_t node, uint32_t on)
{
    RecordReport *report = take_report(m);

    if (on == RECORD_NONE || m->op_of[on] == RECORD_NONE) {
        report->n[REPORT_ABSENT]++;
        return;
    }
    report->n[REPORT_GIVEN]++;
    if (is_from_before(m, node, on)) {
        TakePair pair = { m->op_of[node], m->op_of[on], TRUE };

        g_array_append_val(m->pairs, pair);
    } else if (on != node) {
        take_add_pair(m, m->op_of[node], m->op_of[on]);
    }
}

/* By node, of those that were looked at: its pairs, and the kernel before it on
 * its stream. */
typedef struct {
    guint first, end;
    uint32_t before;
} Given;

/* Lets @node begin when @on has begun: it waits for what @on waits for, and for
 * the kernel before @on on its stream. */
static void take_begin(TakeMaker *m, uint32_t node, uint32_t on,
                       const Given *given)
{
    uint32_t op = m->op_of[node];

    if (on == RECORD_NONE || m->op_of[on] == RECORD_NONE) {
        take_report(m)->n[REPORT_ABSENT]++;
        return;
    }
    take_report(m)->n[REPORT_BEGINS]++;
    for (guint i = given[on].first; i < given[on].end; i++) {
        TakePair pair = g_array_index(m->pairs, TakePair, i);

        if (pair.op != m->op_of[on] || pair.on == op)
            continue;
        pair.op = op;
        g_array_append_val(m->pairs, pair);
    }
    if (given[on].before != RECORD_NONE && given[on].before != node)
        take_add_pair(m, op, m->op_of[given[on].before]);
}

/* The kernel before each on its stream.  Owner: the caller. */
static Given *new_given(const TakeMaker *m)
{
    Given *given = g_new0(Given, m->from->nodes->len + 1);
    g_autofree uint32_t *last = g_new(uint32_t, m->from->streams->len + 1);

    for (guint s = 0; s < m->from->streams->len; s++)
        last[s] = RECORD_NONE;
    for (guint i = 0; i < m->from->nodes->len; i++) {
        const RecordNode *node = record_node(m->from, i);

        given[i].before = RECORD_NONE;
        if (node->kind != RECORD_KERNEL || m->op_of[i] == RECORD_NONE)
            continue;
        given[i].before = last[node->stream];
        last[node->stream] = i;
    }
    return given;
}

void take_find_given(TakeMaker *m)
{
    gboolean has_begins =
        m->take->is_plan && m->take->recording->control_is_begin;
    g_autofree Given *given = has_begins ? new_given(m) : NULL;

    index_ids(m);
    look_for_stale(m);
    for (guint i = 0; i < m->from->nodes->len; i++) {
        const RecordNode *node = record_node(m->from, i);

        if (m->op_of[i] == RECORD_NONE)
            continue;
        if (node->launch < m->from->nodes->len && m->span->has[node->launch])
            m->launch[i] = node->launch;
        if (m->take->is_plan && m->launch[i] != RECORD_NONE &&
            m->op_of[m->launch[i]] != RECORD_NONE && m->launch[i] != i)
            take_add_pair(m, m->op_of[i], m->op_of[m->launch[i]]);
        if (given)
            given[i].first = m->pairs->len;
        for (uint32_t d = 0; d < take_n_deps(m, node); d++) {
            uint32_t on = take_resolve(m, node, d);

            if (given && d >= node->n_deps - node->n_control)
                take_begin(m, i, on, given);
            else if (m->take->is_plan)
                take_planned(m, i, on);
            else
                take_one(m, i, on);
        }
        if (given)
            given[i].end = m->pairs->len;
    }
}
