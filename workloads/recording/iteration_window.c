/*
 * iteration_window.c - selects one iteration of a recording
 *
 * Nodes are assigned to the steps of their rank by their launches.  Boundaries
 * follow from the ends of the device work of earlier steps; see
 * iteration_window.h.
 */
#include "workloads/recording/iteration_window.h"

#include <string.h>

#include "sim/config/config_error.h"

typedef struct {
    int64_t begin_ps, end_ps; /* begin and end of the step on the host */
    /* Begin and end of the step's device work; RECORD_NO_TIME: no work. */
    int64_t device_begin_ps, device_end_ps;
    int64_t boundary_ps; /* begin of the iteration, see iteration_window.h */
    uint64_t device_ps;  /* total time of the step's device nodes */
    uint64_t number;     /* number in the name of the step; 0: none */
} Step;

/* The steps of one rank. */
typedef struct {
    GArray *steps; /* steps by time; the elements are Step */
    /* Number of steps before the first that all ranks have. */
    guint n_skipped;
    uint32_t *step_of_node; /* owned: the step of each node, or RECORD_NONE */
} Steps;

static int64_t node_begin_ps(const RecordRank *rank, const RecordNode *node,
                             int64_t first_ns)
{
    return node->begin_ps == RECORD_NO_TIME
               ? RECORD_NO_TIME
               : record_begin_ps(rank, node, first_ns);
}

static int compare_steps_by_begin(gconstpointer a, gconstpointer b)
{
    const Step *step = a, *y = b;

    return (step->begin_ps > y->begin_ps) - (step->begin_ps < y->begin_ps);
}

static Step *profiler_step_at_index(const Steps *steps, guint i)
{
    return &g_array_index(steps->steps, Step, i);
}

/* Returns the number at the end of the name of a step plus 1, or 0 if there is
 * none. */
static uint64_t number_of_step_name(const char *name)
{
    gsize n = strlen(name), end = n;

    while (n > 0 && g_ascii_isdigit(name[n - 1]))
        n--;
    return n < end && end - n < 18 ? g_ascii_strtoull(name + n, NULL, 10) + 1
                                   : 0;
}

static void find_profiler_steps(const RecordRank *rank, int64_t first_ns,
                                Steps *steps)
{
    steps->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        Step step = { .begin_ps = node_begin_ps(rank, node, first_ns),
                      .end_ps = record_end_ps(rank, node, first_ns),
                      .device_begin_ps = RECORD_NO_TIME,
                      .device_end_ps = RECORD_NO_TIME,
                      .number = number_of_step_name(node->name) };

        if ((node->flags & RECORD_STEP) && step.begin_ps != RECORD_NO_TIME)
            g_array_append_val(steps->steps, step);
    }
    g_array_sort(steps->steps, compare_steps_by_begin);
}

/* ---- the step of each node --------------------------------------------- */

/* Returns the step of the host that contains @at_ps, or RECORD_NONE. */
static uint32_t step_at_host_time(const Steps *steps, int64_t at_ps)
{
    guint low = 0, high = steps->steps->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (profiler_step_at_index(steps, middle)->begin_ps <= at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && at_ps < profiler_step_at_index(steps, low - 1)->end_ps
               ? low - 1
               : RECORD_NONE;
}

static const RecordNode *launch_node_of_device_node(const RecordRank *rank,
                                                    const RecordNode *node)
{
    return node->launch < rank->nodes->len ? record_node(rank, node->launch)
                                           : NULL;
}

static gboolean node_is_device_work(const RecordNode *node)
{
    return node->kind != RECORD_OTHER && !(node->flags & RECORD_STEP);
}

typedef struct {
    uint32_t stream, node;
    int64_t begin_ps;
} Work;

static int compare_nodes_by_stream(gconstpointer a, gconstpointer b)
{
    const Work *work = a, *y = b;

    if (work->stream != y->stream)
        return work->stream < y->stream ? -1 : 1;
    if (work->begin_ps != y->begin_ps)
        return work->begin_ps < y->begin_ps ? -1 : 1;
    return (work->node > y->node) - (work->node < y->node);
}

/* Returns the work of the device by stream and begin.  The caller owns the
 * array. */
static GArray *list_device_work(const RecordRank *rank)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(Work));

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        Work work = { node->stream, i, node->begin_ps };

        if (node_is_device_work(node) && !record_is_host(node) &&
            node->begin_ps != RECORD_NO_TIME)
            g_array_append_val(all, work);
    }
    g_array_sort(all, compare_nodes_by_stream);
    return all;
}

/* Sets the steps of nodes without a launch, among the nodes @first to before
 * @end of @work, which are on one stream.  See iteration_window.h for the
 * rules. */
static void assign_steps_on_stream(const RecordRank *rank, const GArray *work,
                                   guint first, guint end, Steps *steps)
{
    uint32_t next = RECORD_NONE;
    gboolean has_next = FALSE;

    for (guint i = end; i-- > first;) {
        uint32_t at = g_array_index(work, Work, i).node;

        if (launch_node_of_device_node(rank, record_node(rank, at))) {
            next = steps->step_of_node[at];
            has_next = TRUE;
            continue;
        }
        if (has_next) {
            guint before = i;

            while (before > first &&
                   !launch_node_of_device_node(
                       rank,
                       record_node(rank,
                                   g_array_index(work, Work, before - 1).node)))
                before--;
            steps->step_of_node[at] =
                before == first
                    ? RECORD_NONE
                    : steps->step_of_node[g_array_index(work, Work, before - 1)
                                              .node];
            if (before > first && steps->step_of_node[at] == RECORD_NONE)
                steps->step_of_node[at] = next;
        }
    }
}

static void assign_steps_to_unlaunched(const RecordRank *rank, Steps *steps)
{
    g_autoptr(GArray) work = list_device_work(rank);
    guint first = 0;

    while (first < work->len) {
        guint end = first;

        while (end < work->len && g_array_index(work, Work, end).stream ==
                                      g_array_index(work, Work, first).stream)
            end++;
        assign_steps_on_stream(rank, work, first, end, steps);
        first = end;
    }
}

static void assign_steps_to_nodes(const RecordRank *rank, int64_t first_ns,
                                  Steps *steps)
{
    steps->step_of_node = g_new(uint32_t, rank->nodes->len + 1);
    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        const RecordNode *from = launch_node_of_device_node(rank, node);
        int64_t at_ps = node_begin_ps(rank, from ? from : node, first_ns);

        steps->step_of_node[i] =
            node_is_device_work(node) && at_ps != RECORD_NO_TIME
                ? step_at_host_time(steps, at_ps)
                : RECORD_NONE;
    }
    assign_steps_to_unlaunched(rank, steps);
}

/* ---- boundaries -------------------------------------------------------- */

static void find_device_times(const RecordRank *rank, int64_t first_ns,
                              Steps *steps, int64_t *ret_before_ps)
{
    *ret_before_ps = RECORD_NO_TIME;
    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        int64_t begin_ps = node_begin_ps(rank, node, first_ns);
        Step *step;

        if (!node_is_device_work(node) || record_is_host(node) ||
            begin_ps == RECORD_NO_TIME)
            continue;
        if (steps->step_of_node[i] == RECORD_NONE) {
            if (!launch_node_of_device_node(rank, node) &&
                steps->steps->len > 0)
                *ret_before_ps =
                    MAX(*ret_before_ps, record_end_ps(rank, node, first_ns));
            continue;
        }
        step = profiler_step_at_index(steps, steps->step_of_node[i]);
        if (step->device_begin_ps == RECORD_NO_TIME ||
            begin_ps < step->device_begin_ps)
            step->device_begin_ps = begin_ps;
        step->device_end_ps =
            MAX(step->device_end_ps, record_end_ps(rank, node, first_ns));
        step->device_ps += node->duration_ps;
    }
}

/* Sets the boundary of each step.  @before_ps is the end of work that was
 * launched before the recording began.  It counts only if the first step waited
 * for it. */
static void find_iteration_boundaries(Steps *steps, int64_t before_ps)
{
    int64_t ended_ps = RECORD_NO_TIME;

    for (guint i = 0; i < steps->steps->len; i++) {
        Step *step = profiler_step_at_index(steps, i);

        if (i == 0 && before_ps <= step->device_begin_ps)
            ended_ps = before_ps;
        step->boundary_ps = step->begin_ps;
        if (step->device_begin_ps != RECORD_NO_TIME)
            step->boundary_ps =
                MAX(step->begin_ps, MIN(ended_ps, step->device_begin_ps));
        ended_ps = MAX(ended_ps, step->device_end_ps);
    }
}

static void clear_profiler_steps(gpointer data)
{
    Steps *steps = data;

    g_array_unref(steps->steps);
    g_free(steps->step_of_node);
}

/* Returns the steps of all ranks.  The caller owns the array. */
static GArray *steps_of_all_ranks(const Recording *recording)
{
    GArray *all = g_array_new(FALSE, TRUE, sizeof(Steps));
    int64_t first_ns = record_earliest_clock_base_ns(recording), before_ps;

    g_array_set_clear_func(all, clear_profiler_steps);
    g_array_set_size(all, recording->ranks->len);
    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);
        Steps *steps = &g_array_index(all, Steps, r);

        find_profiler_steps(rank, first_ns, steps);
        assign_steps_to_nodes(rank, first_ns, steps);
        find_device_times(rank, first_ns, steps, &before_ps);
        find_iteration_boundaries(steps, before_ps);
    }
    return all;
}

static const Step *profiler_step_of_rank(const GArray *all, guint r, guint step)
{
    const Steps *steps = &g_array_index(all, Steps, r);

    return profiler_step_at_index(steps, steps->n_skipped + step);
}

/* ---- choice of the iteration ------------------------------------------- */

typedef struct {
    uint64_t length_ps, device_ps;
    guint step;
} Length;

static int compare_steps_by_length(gconstpointer a, gconstpointer b)
{
    const Length *length = a, *y = b;

    if (length->length_ps != y->length_ps)
        return length->length_ps < y->length_ps ? -1 : 1;
    return (length->step > y->step) - (length->step < y->step);
}

/* Returns the length of the iteration of @step, from its boundary. */
static uint64_t iteration_length_of_step(const Step *step)
{
    int64_t end_ps = MAX(step->end_ps, step->boundary_ps);

    if (step->boundary_ps > step->begin_ps)
        end_ps = MAX(end_ps, step->device_end_ps);
    return (uint64_t)(end_ps - step->boundary_ps);
}

/* Returns the number, from 0, of the iteration of median length.  The length of
 * an iteration is that of its longest rank. */
static guint find_median_iteration(const GArray *all, guint n_steps)
{
    g_autofree Length *lengths = g_new0(Length, n_steps);
    uint64_t most_ps = 0;
    guint n = 0;

    for (guint s = 0; s < n_steps; s++) {
        lengths[s].step = s;
        for (guint r = 0; r < all->len; r++) {
            const Step *step = profiler_step_of_rank(all, r, s);

            lengths[s].length_ps =
                MAX(lengths[s].length_ps, iteration_length_of_step(step));
            lengths[s].device_ps += step->device_ps / all->len;
        }
        most_ps = MAX(most_ps, lengths[s].device_ps);
    }
    for (guint s = 0; s < n_steps; s++)
        if (lengths[s].device_ps >= most_ps / 2)
            lengths[n++] = lengths[s];
    qsort(lengths, n, sizeof lengths[0], compare_steps_by_length);
    return lengths[(n - 1) / 2].step;
}

/* Returns whether the names of the steps have numbers that follow each
 * other. */
static gboolean steps_have_consecutive_numbers(const Steps *steps)
{
    for (guint i = 0; i < steps->steps->len; i++) {
        uint64_t number = profiler_step_at_index(steps, i)->number;

        if (number == 0 ||
            number != profiler_step_at_index(steps, 0)->number + i)
            return FALSE;
    }
    return steps->steps->len > 0;
}

/* Returns the number of steps that all ranks have, and sets .n_skipped.  Steps
 * are equal if their names have the same number, because not every rank records
 * the same steps.  Without such numbers, they are equal by their order. */
static guint find_common_steps(GArray *all)
{
    guint fewest = all->len > 0 ? G_MAXUINT : 0;
    uint64_t first = 0, end = UINT64_MAX;

    for (guint r = 0; r < all->len; r++) {
        const Steps *steps = &g_array_index(all, Steps, r);
        uint64_t number;

        fewest = MIN(fewest, steps->steps->len);
        if (!steps_have_consecutive_numbers(steps)) {
            end = 0;
            continue;
        }
        number = profiler_step_at_index(steps, 0)->number;
        first = MAX(first, number);
        end = MIN(end, number + steps->steps->len);
    }
    if (fewest == 0 || end <= first)
        return fewest;
    for (guint r = 0; r < all->len; r++) {
        Steps *steps = &g_array_index(all, Steps, r);

        steps->n_skipped =
            (guint)(first - profiler_step_at_index(steps, 0)->number);
    }
    return (guint)(end - first);
}

/* ---- nodes of the window ----------------------------------------------- */

/* Marks the nodes of step @step as part of the window, or all nodes if @steps
 * is NULL. */
static void mark_window_nodes(const RecordRank *rank, const Steps *steps,
                              guint step, RecordSpan *span)
{
    span->is_in_window = g_new0(uint8_t, rank->nodes->len + 1);
    for (guint i = 0; i < rank->nodes->len; i++)
        if (node_is_device_work(record_node(rank, i)))
            span->is_in_window[i] = !steps || steps->step_of_node[i] == step;
}

/* If the host is ahead by less than 1 / MIN_AHEAD_PARTS of a step, its times
 * are used unchanged, and the iteration begins with the host's step. */
#define MIN_AHEAD_PARTS 100

/* If the host is ahead of the boundary, moves the begin of the iteration @span
 * there. */
static void shift_host_calls_of_step(const Steps *steps, guint boundary,
                                     RecordSpan *span)
{
    const Step *step = profiler_step_at_index(steps, boundary);
    const Step *other =
        boundary + 1 < steps->steps->len
            ? profiler_step_at_index(steps, boundary + 1)
            : profiler_step_at_index(steps, boundary > 0 ? boundary - 1 : 0);
    int64_t period_ps = ABS(other->begin_ps - step->begin_ps);
    int64_t ahead_ps = step->boundary_ps - step->begin_ps;

    if (period_ps == 0 || ahead_ps <= period_ps / MIN_AHEAD_PARTS)
        return;
    span->begin_ps = step->boundary_ps;
    /* If the host is ahead by more than a step, all its calls are shifted. */
    span->shift_ps = MAX(ahead_ps, period_ps);
    span->host_end_ps = step->boundary_ps + period_ps;
}

static void find_iteration_ends_of_rank(const RecordRank *rank,
                                        const Step *step, int64_t first_ns,
                                        RecordSpan *span)
{
    span->begin_ps = step ? step->begin_ps : RECORD_NO_TIME;
    span->end_ps = step ? step->end_ps : RECORD_NO_TIME;
    span->host_end_ps = step ? step->end_ps : RECORD_NO_TIME;
    span->is_first = TRUE;
    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        int64_t begin_ps = node_begin_ps(rank, node, first_ns);
        int64_t end_ps = record_end_ps(rank, node, first_ns);

        if (begin_ps == RECORD_NO_TIME)
            continue;
        if (!step && span->is_in_window[i] &&
            (span->begin_ps == RECORD_NO_TIME || begin_ps < span->begin_ps))
            span->begin_ps = begin_ps;
        if (span->is_in_window[i] && !record_is_host(node))
            span->end_ps = MAX(span->end_ps, end_ps);
        if (!step && span->is_in_window[i])
            span->end_ps = MAX(span->end_ps, end_ps);
        if (!record_is_host(node) || node->kind == RECORD_OTHER)
            continue;
        if (step && begin_ps < step->begin_ps)
            span->is_first = FALSE;
        if (!step)
            span->host_end_ps = MAX(span->host_end_ps, end_ps);
    }
}

/* ---- the window ------------------------------------------------------- */

int64_t record_earliest_clock_base_ns(const Recording *recording)
{
    int64_t first_ns = 0;

    for (guint r = 0; r < recording->ranks->len; r++) {
        int64_t base_ns = record_rank(recording, r)->base_ns;

        first_ns = r == 0 ? base_ns : MIN(first_ns, base_ns);
    }
    return first_ns;
}

static RecordWindow *new_record_window(const Recording *recording)
{
    RecordWindow *window = g_new0(RecordWindow, 1);

    window->spans = g_array_new(FALSE, TRUE, sizeof(RecordSpan));
    g_array_set_size(window->spans, recording->ranks->len);
    window->first_ns = record_earliest_clock_base_ns(recording);
    return window;
}

void record_window_free(RecordWindow *window)
{
    if (!window)
        return;
    for (guint r = 0; r < window->spans->len; r++)
        g_free(record_span_of_rank(window, r)->is_in_window);
    g_array_unref(window->spans);
    g_free(window);
}

/* Returns the time from the first begin to the last end of all ranks. */
static uint64_t recording_length_ps(const RecordWindow *window)
{
    int64_t begin_ps = G_MAXINT64, end_ps = RECORD_NO_TIME;

    for (guint r = 0; r < window->spans->len; r++) {
        const RecordSpan *span = record_span_of_rank(window, r);

        if (span->begin_ps == RECORD_NO_TIME)
            continue;
        begin_ps = MIN(begin_ps, span->begin_ps);
        end_ps = MAX(end_ps, span->end_ps);
    }
    return end_ps == RECORD_NO_TIME ? 0 : (uint64_t)(end_ps - begin_ps);
}

/* Returns the mean time from boundary to boundary over all ranks. */
static uint64_t mean_boundary_distance(const GArray *all, guint boundary)
{
    uint64_t sum_ps = 0;

    for (guint r = 0; r < all->len; r++)
        sum_ps += (uint64_t)MAX(
            profiler_step_of_rank(all, r, boundary + 1)->boundary_ps -
                profiler_step_of_rank(all, r, boundary)->boundary_ps,
            0);
    return sum_ps / all->len;
}

static RecordWindow *build_iteration_window(const Recording *recording,
                                            const GArray *all, guint n_steps,
                                            guint iteration)
{
    RecordWindow *window = new_record_window(recording);

    window->n_steps = n_steps;
    window->iteration = iteration;
    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);
        const Steps *steps =
            iteration > 0 ? &g_array_index(all, Steps, r) : NULL;
        guint boundary = steps ? steps->n_skipped + iteration - 1 : 0;
        RecordSpan *span = record_span_of_rank(window, r);

        mark_window_nodes(rank, steps, boundary, span);
        find_iteration_ends_of_rank(
            rank, steps ? profiler_step_at_index(steps, boundary) : NULL,
            window->first_ns, span);
        if (steps)
            shift_host_calls_of_step(steps, boundary, span);
    }
    window->iteration_ps = iteration > 0 && iteration < n_steps
                               ? mean_boundary_distance(all, iteration - 1)
                               : recording_length_ps(window);
    return window;
}

RecordWindow *record_select_whole(const Recording *recording)
{
    return build_iteration_window(recording, NULL, 0, 0);
}

/* Returns FALSE if the recording has device nodes, but @window contains
 * none. */
static gboolean window_has_device_nodes(const Recording *recording,
                                        const RecordWindow *window)
{
    gboolean has_any = FALSE;

    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);

        for (guint i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);

            if (record_is_host(node) || node->kind == RECORD_OTHER)
                continue;
            if (record_span_of_rank(window, r)->is_in_window[i])
                return TRUE;
            has_any = TRUE;
        }
    }
    return !has_any;
}

static RecordWindow *whole_recording_if_empty(const Recording *recording,
                                              RecordWindow *window)
{
    guint n_steps = window->n_steps;

    if (window_has_device_nodes(recording, window))
        return window;
    record_window_free(window);
    window = record_select_whole(recording);
    window->n_steps = n_steps;
    window->is_empty = TRUE;
    return window;
}

RecordWindow *record_select_window(const Recording *recording, guint iteration,
                                   GError **error)
{
    g_autoptr(GArray) steps = steps_of_all_ranks(recording);
    guint n_steps = find_common_steps(steps);

    if (iteration > MAX(n_steps, 1)) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                    "there is no iteration %u in the recording, which has %u",
                    iteration, MAX(n_steps, 1));
        return NULL;
    }
    if (n_steps == 0)
        return record_select_whole(recording);
    if (iteration == RECORD_ITERATION_MEDIAN)
        iteration = find_median_iteration(steps, n_steps) + 1;
    return whole_recording_if_empty(
        recording,
        build_iteration_window(recording, steps, n_steps, iteration));
}
