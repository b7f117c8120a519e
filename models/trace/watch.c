/* watch.c - those who listen to a run, in a row: the last is told first */
#include "models/trace/watch.h"

void watch_add(Watch *watch, const TraceOps *ops, gpointer self)
{
    TraceListener *listener = g_new(TraceListener, 1);

    *listener = (TraceListener){ ops, self, watch->listeners };
    watch->listeners = listener;
}

void watch_clear(Watch *watch)
{
    while (watch->listeners) {
        TraceListener *listener = watch->listeners;

        watch->listeners = listener->after;
        g_free(listener);
    }
}

gboolean watch_may_stop(const Watch *watch)
{
    for (const TraceListener *l = watch->listeners; l; l = l->after)
        if (l->ops->stops)
            return TRUE;
    return FALSE;
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
