/* window.c - one iteration of a recording */
#include "workloads/recording/window.h"

#include "sim/config/config_error.h"

typedef struct {
    int64_t begin_ps, end_ps;
} Step;

static int64_t begin_of(const RecordRank *rank, const RecordNode *node,
                        int64_t first_ns)
{
    return node->begin_ps == RECORD_NO_TIME
               ? RECORD_NO_TIME
               : record_begin_ps(rank, node, first_ns);
}

static int by_begin(gconstpointer a, gconstpointer b)
{
    const Step *x = a, *y = b;

    return (x->begin_ps > y->begin_ps) - (x->begin_ps < y->begin_ps);
}

/* In the order of time.  Owner: the caller. */
static GArray *steps_of(const RecordRank *rank, int64_t first_ns)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(Step));

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        Step step = { begin_of(rank, node, first_ns),
                      record_end_ps(rank, node, first_ns) };

        if ((node->flags & RECORD_STEP) && step.begin_ps != RECORD_NO_TIME)
            g_array_append_val(steps, step);
    }
    g_array_sort(steps, by_begin);
    return steps;
}

/* ---- which iteration -------------------------------------------------- */

typedef struct {
    uint64_t length_ps;
    guint at;
} Length;

static int by_length(gconstpointer a, gconstpointer b)
{
    const Length *x = a, *y = b;

    if (x->length_ps != y->length_ps)
        return x->length_ps < y->length_ps ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Of the longest rank of each, the median; counted from 0. */
static guint median(GPtrArray *steps, guint n_steps)
{
    g_autofree Length *lengths = g_new0(Length, n_steps);

    for (guint s = 0; s < n_steps; s++) {
        lengths[s].at = s;
        for (guint r = 0; r < steps->len; r++) {
            const Step *step =
                &g_array_index((GArray *)g_ptr_array_index(steps, r), Step, s);
            uint64_t length = (uint64_t)(step->end_ps - step->begin_ps);

            lengths[s].length_ps = MAX(lengths[s].length_ps, length);
        }
    }
    qsort(lengths, n_steps, sizeof lengths[0], by_length);
    return lengths[(n_steps - 1) / 2].at;
}

static guint least_steps(GPtrArray *steps)
{
    guint n = steps->len > 0 ? G_MAXUINT : 0;

    for (guint r = 0; r < steps->len; r++)
        n = MIN(n, ((GArray *)g_ptr_array_index(steps, r))->len);
    return n;
}

/* ---- which nodes ------------------------------------------------------ */

static gboolean is_within(const Step *step, int64_t at_ps)
{
    return !step || (at_ps != RECORD_NO_TIME && at_ps >= step->begin_ps &&
                     at_ps < step->end_ps);
}

/* @step NULL: all. */
static void fill(const RecordRank *rank, const Step *step, int64_t first_ns,
                 RecordSpan *span)
{
    span->has = g_new0(uint8_t, rank->nodes->len + 1);
    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        const RecordNode *from = node->launch < rank->nodes->len
                                     ? record_node(rank, node->launch)
                                     : node;

        if (node->kind == RECORD_OTHER || (node->flags & RECORD_STEP))
            continue;
        span->has[i] = is_within(step, begin_of(rank, from, first_ns)) ? 1 : 0;
    }
}

static void find_ends(const RecordRank *rank, const Step *step,
                      int64_t first_ns, RecordSpan *span)
{
    span->begin_ps = step ? step->begin_ps : RECORD_NO_TIME;
    span->end_ps = step ? step->end_ps : RECORD_NO_TIME;
    span->host_end_ps = step ? step->end_ps : RECORD_NO_TIME;
    span->is_first = TRUE;
    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        int64_t begin_ps = begin_of(rank, node, first_ns);
        int64_t end_ps = record_end_ps(rank, node, first_ns);

        if (begin_ps == RECORD_NO_TIME)
            continue;
        if (!step && span->has[i] &&
            (span->begin_ps == RECORD_NO_TIME || begin_ps < span->begin_ps))
            span->begin_ps = begin_ps;
        if (span->has[i] && !record_is_host(node))
            span->end_ps = MAX(span->end_ps, end_ps);
        if (!step && span->has[i])
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

int64_t record_first_ns(const Recording *recording)
{
    int64_t first_ns = 0;

    for (guint r = 0; r < recording->ranks->len; r++) {
        int64_t base_ns = record_rank(recording, r)->base_ns;

        first_ns = r == 0 ? base_ns : MIN(first_ns, base_ns);
    }
    return first_ns;
}

static RecordWindow *new_window(const Recording *recording)
{
    RecordWindow *window = g_new0(RecordWindow, 1);

    window->spans = g_array_new(FALSE, TRUE, sizeof(RecordSpan));
    g_array_set_size(window->spans, recording->ranks->len);
    window->first_ns = record_first_ns(recording);
    return window;
}

void record_window_free(RecordWindow *window)
{
    if (!window)
        return;
    for (guint r = 0; r < window->spans->len; r++)
        g_free(record_span(window, r)->has);
    g_array_unref(window->spans);
    g_free(window);
}

/* From the first begin to the last end of all ranks. */
static uint64_t length_of_all(const RecordWindow *window)
{
    int64_t begin_ps = G_MAXINT64, end_ps = RECORD_NO_TIME;

    for (guint r = 0; r < window->spans->len; r++) {
        const RecordSpan *span = record_span(window, r);

        if (span->begin_ps == RECORD_NO_TIME)
            continue;
        begin_ps = MIN(begin_ps, span->begin_ps);
        end_ps = MAX(end_ps, span->end_ps);
    }
    return end_ps == RECORD_NO_TIME ? 0 : (uint64_t)(end_ps - begin_ps);
}

/* To the begin of the next, over ranks. */
static uint64_t mean_distance(GPtrArray *steps, guint at)
{
    uint64_t sum_ps = 0;

    for (guint r = 0; r < steps->len; r++) {
        const GArray *of = g_ptr_array_index(steps, r);

        sum_ps += (uint64_t)(g_array_index(of, Step, at + 1).begin_ps -
                             g_array_index(of, Step, at).begin_ps);
    }
    return sum_ps / steps->len;
}

static RecordWindow *fill_all(const Recording *recording, GPtrArray *steps,
                              guint n_steps, guint iteration)
{
    RecordWindow *window = new_window(recording);

    window->n_steps = n_steps;
    window->iteration = iteration;
    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);
        const Step *step =
            iteration > 0
                ? &g_array_index((GArray *)g_ptr_array_index(steps, r), Step,
                                 iteration - 1)
                : NULL;

        fill(rank, step, window->first_ns, record_span(window, r));
        find_ends(rank, step, window->first_ns, record_span(window, r));
    }
    window->iteration_ps = iteration > 0 && iteration < n_steps
                               ? mean_distance(steps, iteration - 1)
                               : length_of_all(window);
    return window;
}

RecordWindow *record_window_all(const Recording *recording)
{
    return fill_all(recording, NULL, 0, 0);
}

/* FALSE: nothing on a device is in @window; which is no iteration then. */
static gboolean has_device(const Recording *recording,
                           const RecordWindow *window)
{
    gboolean has_any = FALSE;

    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);

        for (guint i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);

            if (record_is_host(node) || node->kind == RECORD_OTHER)
                continue;
            if (record_span(window, r)->has[i])
                return TRUE;
            has_any = TRUE;
        }
    }
    return !has_any;
}

static RecordWindow *fill_all_if_empty(const Recording *recording,
                                       RecordWindow *window)
{
    guint n_steps = window->n_steps;

    if (has_device(recording, window))
        return window;
    record_window_free(window);
    window = record_window_all(recording);
    window->n_steps = n_steps;
    window->is_empty = TRUE;
    return window;
}

RecordWindow *record_window(const Recording *recording, guint iteration,
                            GError **error)
{
    g_autoptr(GPtrArray) steps =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    int64_t first_ns = record_first_ns(recording);
    guint n_steps;

    for (guint r = 0; r < recording->ranks->len; r++)
        g_ptr_array_add(steps, steps_of(record_rank(recording, r), first_ns));
    n_steps = least_steps(steps);
    if (iteration > MAX(n_steps, 1)) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                    "there is no iteration %u in the recording, which has %u",
                    iteration, MAX(n_steps, 1));
        return NULL;
    }
    if (n_steps == 0)
        return record_window_all(recording);
    if (iteration == RECORD_ITERATION_MEDIAN)
        iteration = median(steps, n_steps) + 1;
    return fill_all_if_empty(recording,
                             fill_all(recording, steps, n_steps, iteration));
}
