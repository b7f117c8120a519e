/* watch.c - those who listen to a run, in a row: the last is told first */
#include "models/trace/watch.h"

#include <string.h>

/* All of TraceOps is calls, but for what is said of a listener itself, in words
 * of their size. */
#define N_WORDS (sizeof(TraceOps) / sizeof(uintptr_t))

static void words_of(const TraceOps *ops, uintptr_t *ret)
{
    G_STATIC_ASSERT(N_WORDS * sizeof *ret == sizeof *ops);
    memcpy(ret, ops, sizeof *ops);
}

static void hear(TraceOps *heard, const TraceOps *ops)
{
    uintptr_t words[N_WORDS], more[N_WORDS];

    words_of(heard, words);
    words_of(ops, more);
    for (guint i = 0; i < N_WORDS; i++)
        if (words[i] == 0)
            words[i] = more[i];
    memcpy(heard, words, sizeof words);
}

/* Calls that TRACE() makes: the others are made for each listener. */
static TraceOps traced(const TraceOps *ops)
{
    TraceOps ret = *ops;

    ret.ahead = FALSE;
    ret.steady = NULL;
    ret.repeats = NULL;
    ret.stops = NULL;
    ret.ends = NULL;
    return ret;
}

static gboolean has_any_of(const TraceOps *heard, const TraceOps *ops)
{
    const TraceOps more = traced(ops);
    uintptr_t words[N_WORDS], others[N_WORDS];

    words_of(heard, words);
    words_of(&more, others);
    for (guint i = 0; i < N_WORDS; i++)
        if (words[i] != 0 && others[i] != 0)
            return TRUE;
    return FALSE;
}

void watch_add(Watch *watch, const TraceOps *ops, gpointer self)
{
    TraceListener *listener = g_new(TraceListener, 1);

    if (!watch->listeners)
        watch->only = self;
    else if (watch->only != self || has_any_of(&watch->heard, ops))
        watch->only = NULL;
    *listener = (TraceListener){ ops, self, watch->listeners };
    watch->listeners = listener;
    hear(&watch->heard, ops);
}

void watch_clear(Watch *watch)
{
    while (watch->listeners) {
        TraceListener *listener = watch->listeners;

        watch->listeners = listener->after;
        g_free(listener);
    }
    watch->heard = (TraceOps){ 0 };
    watch->only = NULL;
}

gboolean watch_can_be_steady(const Watch *watch)
{
    for (const TraceListener *l = watch->listeners; l; l = l->after)
        if (!l->ops->steady)
            return FALSE;
    return TRUE;
}

void watch_steady(const Watch *watch, SteadyWalk *walk)
{
    for (const TraceListener *l = watch->listeners; l; l = l->after)
        l->ops->steady(l->self, walk);
}

const TraceListener *watch_repeats(const Watch *watch)
{
    const TraceListener *first = watch->listeners;

    for (const TraceListener *l = first; l; l = l->after)
        if (!l->ops->repeats || l->self != first->self)
            return NULL;
    return first;
}

gboolean watch_may_stop(const Watch *watch)
{
    return watch->heard.stops != NULL;
}

gboolean watch_stops(const Watch *watch)
{
    for (const TraceListener *l = watch->listeners; l; l = l->after)
        if (l->ops->stops && l->ops->stops(l->self))
            return TRUE;
    return FALSE;
}

gboolean watch_end(const Watch *watch, const TraceEnd *end, GError **error)
{
    for (const TraceListener *l = watch->listeners; l; l = l->after)
        if (l->ops->ends && !l->ops->ends(l->self, end, error))
            return FALSE;
    return TRUE;
}
