/*
 * replay_new.c - prepares the replay of all ranks of one iteration
 *
 * For each rank: operations of the device, recorded dependencies, launches,
 * operations of the host, and waits of streams are added in this order.  Then
 * the operations are sorted and get their times and gaps.
 */
#include "workloads/recording/trace_to_program/replay_state_impl.h"

/* ---- one rank --------------------------------------------------------- */

static uint32_t *new_empty_index(guint n)
{
    uint32_t *map = g_new(uint32_t, n + 1);

    for (guint i = 0; i <= n; i++)
        map[i] = RECORD_NONE;
    return map;
}

static void init_replay_builder(ReplayBuilder *builder, Replay *replay, guint r)
{
    guint n;

    *builder = (ReplayBuilder){ .replay = replay,
                                .r = r,
                                .from = record_rank(replay->recording, r),
                                .span = record_span_of_rank(replay->window, r),
                                .first_ns = replay->window->first_ns,
                                .main_stream = RECORD_NONE };
    n = builder->from->nodes->len;
    builder->ops = g_array_new(FALSE, TRUE, sizeof(ReplayOp));
    builder->keys = g_array_new(FALSE, TRUE, sizeof(int64_t));
    builder->pairs = g_array_new(FALSE, TRUE, sizeof(ReplayPair));
    builder->by_end = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    builder->op_of = new_empty_index(n);
    builder->launch = new_empty_index(n);
    builder->first_launched = new_empty_index(n);
}

static void clear_replay_builder(ReplayBuilder *builder)
{
    g_array_unref(builder->ops);
    g_array_unref(builder->keys);
    g_array_unref(builder->pairs);
    g_array_unref(builder->by_end);
    g_free(builder->op_of);
    g_free(builder->launch);
    g_free(builder->first_launched);
    g_free(builder->next_launched);
    g_free(builder->previous);
    g_clear_pointer(&builder->by_id, g_hash_table_unref);
}

static void make_replay_rank(Replay *replay, guint r)
{
    ReplayBuilder m;

    init_replay_builder(&m, replay, r);
    replay_find_device_ops(&m);
    replay_find_recorded_deps(&m);
    replay_link_launches(&m);
    if (!replay->is_plan) {
        g_autoptr(GArray) calls = replay_host_calls(&m);

        replay_find_host_ops(&m, calls);
        replay_find_stream_waits(&m, calls);
    }
    replay_join_kernel_messages(&m);
    replay_sort_ops(&m, replay_rank(replay, r));
    replay_rank(replay, r)->main_stream = m.main_stream;
    clear_replay_builder(&m);
    replay_set_times(replay, r, replay_rank(replay, r));
}

/* ---- counts for the report ------------------------------------------- */

static void report_left_out_node(RecordReport *report, const RecordNode *node)
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

static void report_untimed_node(RecordReport *report, const RecordNode *node)
{
    if (record_is_host(node) || node->duration_ps > 0 ||
        (node->kind != RECORD_KERNEL && node->kind != RECORD_COPY) ||
        (node->flags & RECORD_NO_OP))
        return;
    report->n[record_is_roofline(node) ? REPORT_ROOFLINE : REPORT_NO_TIME]++;
}

/* Returns the longest time by which a device works after the end of the host's
 * step. */
static uint64_t longest_device_overrun_ps(const RecordWindow *window)
{
    int64_t max_ps = 0;

    for (guint r = 0; r < window->spans->len; r++) {
        const RecordSpan *span = record_span_of_rank(window, r);

        if (window->iteration > 0 && span->end_ps != RECORD_NO_TIME &&
            span->host_end_ps != RECORD_NO_TIME)
            max_ps = MAX(max_ps, span->end_ps - span->host_end_ps);
    }
    return (uint64_t)max_ps;
}

static void report_found_items(Replay *replay)
{
    RecordReport *report = &replay->report;

    report->format = replay->recording->format;
    report->version = replay->recording->version;
    report->n[REPORT_RANKS] = replay->recording->ranks->len;
    report->n[REPORT_WORLD] = replay->recording->n_world;
    report->n[REPORT_DEVICE_RANKS] = replay->recording->n_device_ranks;
    report->n[REPORT_NUMBERED] = replay->recording->n_numbered;
    report->n[REPORT_NAMED_RANKS] = replay->recording->n_named_ranks;
    report->n[REPORT_BY_DIMS] = replay->recording->n_network_dims;
    report->n[REPORT_SINGLE_RANK] = replay->recording->n_single_rank;
    report->n[REPORT_STAGE_MESSAGES] = replay->recording->n_stage_messages;
    report->n[REPORT_STAGE_BYTES] = replay->recording->stage_bytes;
    report->n[REPORT_STEPS] = MAX(replay->window->n_steps, 1);
    report->n[REPORT_ITERATION] = replay->window->iteration;
    report->n[REPORT_NO_STEPS] =
        replay->window->is_empty ? replay->window->n_steps : 0;
    report->n[REPORT_NO_MARKS] =
        replay->recording->can_mark_steps && replay->window->n_steps == 0
            ? replay->recording->ranks->len
            : 0;
    report->n[REPORT_NAMED_GROUPS] = replay->recording->n_named_groups;
    report->n[REPORT_SIZED_GROUPS] = replay->recording->n_sized_groups;
    report->n[REPORT_CONTINUED_GROUPS] = replay->recording->n_continued_groups;
    report->n[REPORT_ITERATION_PS] = replay->window->iteration_ps;
    report->n[REPORT_BEYOND_PS] = longest_device_overrun_ps(replay->window);
    for (guint r = 0; r < replay->recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(replay->recording, r);

        report->n[REPORT_EVENTS] += rank->n_found;
        report->n[REPORT_ASSUMED_WORK] += rank->n_assumed;
        report->n[REPORT_FURTHER_DEVICES] +=
            rank->n_devices > 1 ? rank->n_devices - 1 : 0;
        for (guint i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);

            report_left_out_node(report, node);
            if (record_span_of_rank(replay->window, r)->is_in_window[i])
                report_untimed_node(report, node);
            if (node->kind != RECORD_OTHER &&
                !record_span_of_rank(replay->window, r)->is_in_window[i])
                report->n[REPORT_OUTSIDE]++;
        }
    }
}

static void report_matched_items(Replay *replay)
{
    const RecordMatch *match = replay->match;
    RecordReport *report = &replay->report;

    report->n[REPORT_BY_SEQUENCE] = match->n_by_sequence;
    report->n[REPORT_BY_ORDER] = match->n_by_order;
    report->n[REPORT_PAIRS] = match->n_messages;
    report->n[REPORT_PARTIAL] = match->n_partial;
    report->n[REPORT_ALONE] = match->n_alone;
    report->n[REPORT_APART] = match->n_apart;
    report->n[REPORT_ON_HOST] = match->n_on_host;
}

static gboolean recording_is_plan(const RecordWindow *window)
{
    for (guint r = 0; r < window->spans->len; r++)
        if (record_span_of_rank(window, r)->begin_ps != RECORD_NO_TIME)
            return FALSE;
    return TRUE;
}

/* ---- all ranks -------------------------------------------------------- */

static void clear_replay_rank(gpointer data)
{
    ReplayRank *rank = data;

    g_array_unref(rank->ops);
    g_array_unref(rank->deps);
}

Replay *replay_new(const Recording *recording, const RecordWindow *window,
                   const RecordMatch *match)
{
    Replay *replay = g_new0(Replay, 1);

    replay->recording = recording;
    replay->window = window;
    replay->match = match;
    replay->is_plan = recording_is_plan(window);
    replay->ranks = g_array_new(FALSE, TRUE, sizeof(ReplayRank));
    g_array_set_clear_func(replay->ranks, clear_replay_rank);
    g_array_set_size(replay->ranks, recording->ranks->len);
    report_found_items(replay);
    report_matched_items(replay);
    for (guint r = 0; r < recording->ranks->len; r++) {
        replay_rank(replay, r)->ops =
            g_array_new(FALSE, TRUE, sizeof(ReplayOp));
        replay_rank(replay, r)->deps =
            g_array_new(FALSE, TRUE, sizeof(ReplayDep));
    }
    for (guint r = 0; r < recording->ranks->len; r++)
        make_replay_rank(replay, r);
    replay_count_communication(replay);
    return replay;
}

void replay_free(Replay *replay)
{
    if (!replay)
        return;
    g_array_unref(replay->ranks);
    g_free(replay);
}
