/* hint.c - what comes next is told, so that what it needs can be fetched */
#include "sim/core/queue/parts_impl.h"

#define AHEAD 16 /* entries: what they need fits into the first cache */

void sim_queue_let_hint(SimQueue *queue, SimEventFn fn, SimHintFn hint)
{
    for (guint i = 0; i < queue->n_hints; i++)
        if (queue->hints[i].fn == fn)
            return; /* several of a kind */
    g_assert(queue->n_hints < QUEUE_N_HINTS);
    queue->hints[queue->n_hints].fn = fn;
    queue->hints[queue->n_hints++].hint = hint;
}

static inline SimHintFn hint_of(const SimQueue *queue, SimEventFn fn)
{
    for (guint i = 0; i < queue->n_hints; i++)
        if (queue->hints[i].fn == fn)
            return queue->hints[i].hint;
    return NULL;
}

void queue_hint(SimQueue *queue)
{
    const QueueEntry *entries[AHEAD], *at = queue->next;
    SimHintFn hints[AHEAD];
    guint n = 0;

    for (; at < queue->next + AHEAD && at->low != QUEUE_NONE; at++) {
        hints[n] = hint_of(queue, at->fn);
        entries[n] = at;
        n += hints[n] != NULL;
    }
    queue->hint_at = at;
    for (guint round = 0; round < SIM_HINT_ROUNDS; round++)
        for (guint i = 0; i < n; i++)
            hints[i](entries[i]->self, entries[i]->arg, round);
}
