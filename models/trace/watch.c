/* watch.c - those who listen to a run, in a row: the last is told first */
#include "models/trace/watch.h"

#include <string.h>

/* All of TraceOps is calls, but for what is said of a listener itself, in words
 * of their size. */
static void hear(TraceOps *heard, const TraceOps *ops)
{
    uintptr_t words[sizeof *ops / sizeof(uintptr_t)], more[G_N_ELEMENTS(words)];

    G_STATIC_ASSERT(sizeof words == sizeof *ops);
    memcpy(words, heard, sizeof words);
    memcpy(more, ops, sizeof more);
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (words[i] == 0)
            words[i] = more[i];
    memcpy(heard, words, sizeof words);
}

void watch_add(Watch *watch, const TraceOps *ops, gpointer self)
{
    TraceListener *listener = g_new(TraceListener, 1);

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
