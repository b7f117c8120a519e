/* inbox.c - what arrived at an NPU at one instant, in an order that no NPU
 * number enters */
#include "models/run/inbox_impl.h"

#include "models/run/pipeline_impl.h"
#include "models/run/step_impl.h"

/* What is equal keeps the order in which it came: indices are no order. */
static gint compare_arrivals(gconstpointer a, gconstpointer b, gpointer network)
{
    const NetMessage *m = network_message(network, *(const uint32_t *)a);
    const NetMessage *n = network_message(network, *(const uint32_t *)b);

    return network_before(m, n) ? -1 : network_before(n, m) ? 1 : 0;
}

/* Messages that are sorted one by one: more are quicker by halves. */
#define INBOX_FEW 16

/* In place, from the first that is not in order: number @from. */
static void sort_few(Network *network, uint32_t *messages, guint n, guint from)
{
    for (; from < n; from++) {
        uint32_t message = messages[from];
        const NetMessage *m = network_message(network, message);
        guint at = from;

        for (; at > 0 &&
               network_before(m, network_message(network, messages[at - 1]));
             at--)
            messages[at] = messages[at - 1];
        messages[at] = message;
    }
}

/* Mostly all is in order. */
static void sort(Network *network, uint32_t *messages, guint n)
{
    guint from = 1;

    while (from < n &&
           !network_before(network_message(network, messages[from]),
                           network_message(network, messages[from - 1])))
        from++;
    if (from == n)
        return;
    if (n <= INBOX_FEW)
        sort_few(network, messages, n, from);
    else
        g_qsort_with_data(messages, (gint)n, sizeof *messages, compare_arrivals,
                          network);
}

static inline void take(Npu *npu, Network *network, uint32_t *messages, guint n)
{
    sort(network, messages, n);
    for (guint i = 0; i < n; i++)
        pipeline_arrive(npu, messages[i]);
}

static uint32_t came_before(Network *network, uint32_t message)
{
    return network_message(network, message)->link.next;
}

static G_GNUC_NO_INLINE void take_many(Npu *npu, Network *network,
                                       uint32_t last)
{
    g_autofree uint32_t *messages = NULL;
    guint n = 0, at;

    for (uint32_t m = last; m != INBOX_EMPTY; m = came_before(network, m))
        n++;
    messages = g_new(uint32_t, n);
    at = n;
    for (uint32_t m = last; m != INBOX_EMPTY; m = came_before(network, m))
        messages[--at] = m;
    take(npu, network, messages, n);
}

/* Of several messages, of which @last came last. */
static G_GNUC_NO_INLINE void take_some(Npu *npu, Network *network,
                                       uint32_t last)
{
    uint32_t messages[INBOX_FEW];
    guint at = INBOX_FEW;

    for (uint32_t m = last; m != INBOX_EMPTY; m = came_before(network, m)) {
        if (at == 0) {
            take_many(npu, network, last);
            return;
        }
        messages[--at] = m;
    }
    take(npu, network, &messages[at], INBOX_FEW - at);
}

/* All that arrived at this instant, in an order that no NPU number enters. */
static void empty_inbox(Npu *npu, Network *network)
{
    uint32_t last = npu->inbox;

    if (came_before(network, last) == INBOX_EMPTY)
        pipeline_arrive(npu, last);
    else
        take_some(npu, network, last);
    g_assert(npu->inbox == last);
    npu->inbox = INBOX_EMPTY;
}

/* For all NPUs at once: what each of them does in this event is its own. */
static void on_inboxes(gpointer self, uint32_t arg, uint64_t now_ps)
{
    System *system = self;
    uint32_t n = system->n_arrived;

    (void)arg;
    (void)now_ps;
    for (uint32_t i = 0; i < n; i++)
        empty_inbox(system->arrived[i], system->network);
    g_assert(system->n_arrived == n);
    system->n_arrived = 0;
}

static inline void put(System *system, Npu *npu, uint32_t message)
{
    if (npu->inbox == INBOX_EMPTY)
        system->arrived[system->n_arrived++] = npu;
    network_message(system->network, message)->link.next = npu->inbox;
    npu->inbox = message;
}

/* What is alone at this instant, and nobody acts before it, needs neither inbox
 * nor event. */
static G_GNUC_NO_INLINE void begin(System *system, Npu *npu, uint32_t message,
                                   SimTime now_ps)
{
    if (!sim_engine_has_more_now(system->engine, SIM_PHASE_ACT)) {
        pipeline_arrive(npu, message);
        return;
    }
    put(system, npu, message);
    sim_engine_at(system->engine, now_ps, SIM_PHASE_ACT, on_inboxes, system, 0);
}

/* By itself, so that no register need be saved for those after the first. */
void inbox_on_deliver(gpointer self, uint32_t id, uint32_t message,
                      SimTime now_ps)
{
    System *system = self;
    Npu *npu = &system->npus[id];

    if (system->n_arrived > 0)
        put(system, npu, message);
    else
        begin(system, npu, message, now_ps);
}
