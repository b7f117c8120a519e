/* take.c - all ranks of one iteration */
#include "workloads/recording/take/take_impl.h"

/* ---- one rank --------------------------------------------------------- */

static uint32_t *new_map(guint n)
{
    uint32_t *map = g_new(uint32_t, n + 1);

    for (guint i = 0; i <= n; i++)
        map[i] = RECORD_NONE;
    return map;
}

static void init(TakeMaker *m, Take *take, guint r)
{
    guint n;

    *m = (TakeMaker){ .take = take,
                      .r = r,
                      .from = record_rank(take->recording, r),
                      .span = record_span(take->window, r),
                      .first_ns = take->window->first_ns,
                      .main = RECORD_NONE };
    n = m->from->nodes->len;
    m->ops = g_array_new(FALSE, TRUE, sizeof(TakeOp));
    m->keys = g_array_new(FALSE, TRUE, sizeof(int64_t));
    m->pairs = g_array_new(FALSE, TRUE, sizeof(TakePair));
    m->by_end = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    m->op_of = new_map(n);
    m->launch = new_map(n);
    m->first_launched = new_map(n);
}

static void clear(TakeMaker *m)
{
    g_array_unref(m->ops);
    g_array_unref(m->keys);
    g_array_unref(m->pairs);
    g_array_unref(m->by_end);
    g_free(m->op_of);
    g_free(m->launch);
    g_free(m->first_launched);
    g_free(m->next_launched);
    g_free(m->behind);
    g_clear_pointer(&m->by_id, g_hash_table_unref);
}

static void make_rank(Take *take, guint r)
{
    TakeMaker m;

    init(&m, take, r);
    take_find_device(&m);
    take_find_given(&m);
    take_link_launches(&m);
    if (!take->is_plan) {
        g_autoptr(GArray) calls = take_calls(&m);

        take_find_host(&m, calls);
        take_find_events(&m, calls);
    }
    take_join_parts(&m);
    take_put_in_order(&m, take_rank(take, r));
    take_rank(take, r)->main = m.main;
    clear(&m);
    take_settle(take, r, take_rank(take, r));
}

/* ---- what was found --------------------------------------------------- */

static void count_node(RecordReport *report, const RecordNode *node)
{
    switch ((RecordKind)node->kind) {
    case RECORD_KERNEL:
        report->n[REPORT_KERNELS]++;
        break;
    case RECORD_COPY:
        report->n[REPORT_COPIES]++;
        break;
    case RECORD_HOST:
        report->n[REPORT_CALLS]++;
        break;
    case RECORD_WAIT:
        report->n[REPORT_WAITS]++;
        break;
    case RECORD_COLLECTIVE:
        report->n[REPORT_COLLECTIVES]++;
        break;
    case RECORD_SEND:
    case RECORD_RECEIVE:
        report->n[REPORT_MESSAGES]++;
        break;
    case RECORD_OTHER:
    case RECORD_N_KINDS:
        break;
    }
}

static void count_untimed(RecordReport *report, const RecordNode *node)
{
    if (record_is_host(node) || node->duration_ps > 0 ||
        (node->kind != RECORD_KERNEL && node->kind != RECORD_COPY) ||
        (node->flags & RECORD_NOTHING))
        return;
    report->n[record_is_roofline(node) ? REPORT_ROOFLINE : REPORT_NO_TIME]++;
}

/* How long the last device went on behind the end of the iteration's step,
 * where the host runs ahead of it. */
static uint64_t beyond_ps(const RecordWindow *window)
{
    int64_t most_ps = 0;

    for (guint r = 0; r < window->spans->len; r++) {
        const RecordSpan *span = record_span(window, r);

        if (window->iteration > 0 && span->end_ps != RECORD_NO_TIME &&
            span->host_end_ps != RECORD_NO_TIME)
            most_ps = MAX(most_ps, span->end_ps - span->host_end_ps);
    }
    return (uint64_t)most_ps;
}

static void count_found(Take *take)
{
    RecordReport *report = &take->report;

    report->format = take->recording->format;
    report->version = take->recording->version;
    report->n[REPORT_RANKS] = take->recording->ranks->len;
    report->n[REPORT_WORLD] = take->recording->n_world;
    report->n[REPORT_NUMBERED] = take->recording->n_numbered;
    report->n[REPORT_STAGE_MESSAGES] = take->recording->n_stage_messages;
    report->n[REPORT_STAGE_BYTES] = take->recording->stage_bytes;
    report->n[REPORT_STEPS] = MAX(take->window->n_steps, 1);
    report->n[REPORT_ITERATION] = take->window->iteration;
    report->n[REPORT_NO_STEPS] =
        take->window->is_empty ? take->window->n_steps : 0;
    report->n[REPORT_NAMED_GROUPS] = take->recording->n_named_groups;
    report->n[REPORT_SIZED_GROUPS] = take->recording->n_sized_groups;
    report->n[REPORT_ITERATION_PS] = take->window->iteration_ps;
    report->n[REPORT_BEYOND_PS] = beyond_ps(take->window);
    for (guint r = 0; r < take->recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(take->recording, r);

        report->n[REPORT_EVENTS] += rank->n_found;
        report->n[REPORT_ASSUMED_WORK] += rank->n_assumed;
        report->n[REPORT_FURTHER_DEVICES] +=
            rank->n_devices > 1 ? rank->n_devices - 1 : 0;
        for (guint i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);

            count_node(report, node);
            if (record_span(take->window, r)->has[i])
                count_untimed(report, node);
            if (node->kind != RECORD_OTHER &&
                !record_span(take->window, r)->has[i])
                report->n[REPORT_OUTSIDE]++;
        }
    }
}

static void count_match(Take *take)
{
    const RecordMatch *match = take->match;
    RecordReport *report = &take->report;

    report->n[REPORT_BY_SEQUENCE] = match->n_by_sequence;
    report->n[REPORT_BY_ORDER] = match->n_by_order;
    report->n[REPORT_PAIRS] = match->n_messages;
    report->n[REPORT_PARTIAL] = match->n_partial;
    report->n[REPORT_ALONE] = match->n_alone;
    report->n[REPORT_APART] = match->n_apart;
    report->n[REPORT_ON_HOST] = match->n_on_host;
}

static gboolean is_plan(const RecordWindow *window)
{
    for (guint r = 0; r < window->spans->len; r++)
        if (record_span(window, r)->begin_ps != RECORD_NO_TIME)
            return FALSE;
    return TRUE;
}

/* ---- the take --------------------------------------------------------- */

static void clear_rank(gpointer data)
{
    TakeRank *rank = data;

    g_array_unref(rank->ops);
    g_array_unref(rank->deps);
}

Take *take_new(const Recording *recording, const RecordWindow *window,
               const RecordMatch *match)
{
    Take *take = g_new0(Take, 1);

    take->recording = recording;
    take->window = window;
    take->match = match;
    take->is_plan = is_plan(window);
    take->ranks = g_array_new(FALSE, TRUE, sizeof(TakeRank));
    g_array_set_clear_func(take->ranks, clear_rank);
    g_array_set_size(take->ranks, recording->ranks->len);
    count_found(take);
    count_match(take);
    for (guint r = 0; r < recording->ranks->len; r++) {
        take_rank(take, r)->ops = g_array_new(FALSE, TRUE, sizeof(TakeOp));
        take_rank(take, r)->deps = g_array_new(FALSE, TRUE, sizeof(TakeDep));
    }
    for (guint r = 0; r < recording->ranks->len; r++)
        make_rank(take, r);
    take_count_communication(take);
    return take;
}

void take_free(Take *take)
{
    if (!take)
        return;
    g_array_unref(take->ranks);
    g_free(take);
}
