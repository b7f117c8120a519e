/* listener_list.c - the list of listeners of a run: the last added is called
 * first */
#include "models/trace/listener_list.h"

#include <string.h>

/* TraceOps is treated as an array of words.  All members are pointers, except
 * .ahead, which occupies one word. */
#define N_WORDS (sizeof(TraceOps) / sizeof(uintptr_t))

static void copy_ops_as_words(const TraceOps *ops, uintptr_t *ret)
{
    G_STATIC_ASSERT(N_WORDS * sizeof *ret == sizeof *ops);
    memcpy(ret, ops, sizeof *ops);
}

static void merge_listener_callbacks(TraceOps *callbacks, const TraceOps *ops)
{
    uintptr_t words[N_WORDS], more[N_WORDS];

    copy_ops_as_words(callbacks, words);
    copy_ops_as_words(ops, more);
    for (guint i = 0; i < N_WORDS; i++)
        if (words[i] == 0)
            words[i] = more[i];
    memcpy(callbacks, words, sizeof words);
}

/* Returns @ops with only the callbacks that TRACE() makes.  The others are
 * called for each listener separately. */
static TraceOps trace_callbacks(const TraceOps *ops)
{
    TraceOps ret = *ops;

    ret.ahead = FALSE;
    ret.steady = NULL;
    ret.repeats = NULL;
    ret.stops = NULL;
    ret.ends = NULL;
    return ret;
}

static gboolean has_any_callback_of(const TraceOps *callbacks,
                                    const TraceOps *ops)
{
    const TraceOps more = trace_callbacks(ops);
    uintptr_t words[N_WORDS], others[N_WORDS];

    copy_ops_as_words(callbacks, words);
    copy_ops_as_words(&more, others);
    for (guint i = 0; i < N_WORDS; i++)
        if (words[i] != 0 && others[i] != 0)
            return TRUE;
    return FALSE;
}

void trace_watch_add_listener(Watch *watch, const TraceOps *ops, gpointer self)
{
    TraceListener *listener = g_new(TraceListener, 1);

    if (!watch->listeners)
        watch->only = self;
    else if (watch->only != self || has_any_callback_of(&watch->heard, ops))
        watch->only = NULL;
    *listener = (TraceListener){ ops, self, watch->listeners };
    watch->listeners = listener;
    merge_listener_callbacks(&watch->heard, ops);
}

void trace_watch_clear(Watch *watch)
{
    while (watch->listeners) {
        TraceListener *listener = watch->listeners;

        watch->listeners = listener->next;
        g_free(listener);
    }
    watch->heard = (TraceOps){ 0 };
    watch->only = NULL;
}

gboolean trace_watch_allows_skipping(const Watch *watch)
{
    for (const TraceListener *listener = watch->listeners; listener;
         listener = listener->next)
        if (!listener->ops->steady)
            return FALSE;
    return TRUE;
}

void trace_watch_visit_state(const Watch *watch, SteadyWalk *walk)
{
    for (const TraceListener *listener = watch->listeners; listener;
         listener = listener->next)
        listener->ops->steady(listener->self, walk);
}

const TraceListener *trace_watch_period_listener(const Watch *watch)
{
    const TraceListener *first = watch->listeners;

    for (const TraceListener *listener = first; listener;
         listener = listener->next)
        if (!listener->ops->repeats || listener->self != first->self)
            return NULL;
    return first;
}

/* The callbacks of operations precede those of chunks. */
#define FIRST_WORD_OF_CHUNKS                                                   \
    (offsetof(TraceOps, chunk_made) / sizeof(uintptr_t))

gboolean trace_watch_receives_only_operation_events(const Watch *watch)
{
    uintptr_t words[N_WORDS];

    for (const TraceListener *listener = watch->listeners; listener;
         listener = listener->next)
        if (!listener->ops->ahead || listener->ops->stops)
            return FALSE;
    copy_ops_as_words(&watch->heard, words);
    for (gsize i = FIRST_WORD_OF_CHUNKS; i < N_WORDS; i++)
        if (words[i] != 0)
            return FALSE;
    return TRUE;
}

gboolean trace_watch_may_stop_run(const Watch *watch)
{
    return watch->heard.stops != NULL;
}

gboolean trace_watch_listener_stops_run(const Watch *watch)
{
    for (const TraceListener *listener = watch->listeners; listener;
         listener = listener->next)
        if (listener->ops->stops && listener->ops->stops(listener->self))
            return TRUE;
    return FALSE;
}

gboolean trace_watch_report_run_end(const Watch *watch, const TraceEnd *end,
                                    GError **error)
{
    for (const TraceListener *listener = watch->listeners; listener;
         listener = listener->next)
        if (listener->ops->ends &&
            !listener->ops->ends(listener->self, end, error))
            return FALSE;
    return TRUE;
}
