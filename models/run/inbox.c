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

/* In place, from the first that is not in order: number @n. */
static void sort_few(Npu *npu, uint32_t n)
{
    Network *network = npu->system->network;

    for (; n < npu->n_inbox; n++) {
        uint32_t message = npu->inbox[n], at = n;
        const NetMessage *m = network_message(network, message);

        for (; at > 0 &&
               network_before(m, network_message(network, npu->inbox[at - 1]));
             at--)
            npu->inbox[at] = npu->inbox[at - 1];
        npu->inbox[at] = message;
    }
}

/* Mostly all is in order. */
static void sort_inbox(Npu *npu)
{
    Network *network = npu->system->network;
    uint32_t n = 1;

    while (n < npu->n_inbox &&
           !network_before(network_message(network, npu->inbox[n]),
                           network_message(network, npu->inbox[n - 1])))
        n++;
    if (n == npu->n_inbox)
        return;
    if (npu->n_inbox <= INBOX_FEW)
        sort_few(npu, n);
    else
        g_qsort_with_data(npu->inbox, (gint)npu->n_inbox, sizeof *npu->inbox,
                          compare_arrivals, network);
}

/* All that arrived at this instant, in an order that no NPU number enters. */
static void empty_inbox(Npu *npu)
{
    uint32_t n = npu->n_inbox;

    sort_inbox(npu);
    for (uint32_t i = 0; i < n; i++)
        pipeline_arrive(npu, npu->inbox[i]);
    g_assert(npu->n_inbox == n);
    npu->n_inbox = 0;
}

/* For all NPUs at once: what each of them does in this event is its own. */
static void on_inboxes(gpointer self, uint32_t arg, uint64_t now_ps)
{
    System *system = self;
    uint32_t n = system->n_arrived;

    (void)arg;
    (void)now_ps;
    for (uint32_t i = 0; i < n; i++)
        empty_inbox(&system->npus[system->arrived[i]]);
    g_assert(system->n_arrived == n);
    system->n_arrived = 0;
}

/* What is alone at this instant, and nobody acts before it, needs neither inbox
 * nor event. */
void inbox_on_deliver(gpointer self, uint32_t id, uint32_t message,
                      SimTime now_ps)
{
    System *system = self;
    Npu *npu = &system->npus[id];

    if (system->n_arrived == 0 &&
        !sim_engine_has_more_now(system->engine, SIM_PHASE_ACT)) {
        pipeline_arrive(npu, message);
        return;
    }
    if (npu->n_inbox == npu->inbox_allocated) {
        npu->inbox_allocated = MAX(8, 2 * npu->inbox_allocated);
        npu->inbox = g_renew(uint32_t, npu->inbox, npu->inbox_allocated);
    }
    if (npu->n_inbox == 0) {
        if (system->n_arrived == 0)
            sim_engine_at(system->engine, now_ps, SIM_PHASE_ACT, on_inboxes,
                          system, 0);
        system->arrived[system->n_arrived++] = id;
    }
    npu->inbox[npu->n_inbox++] = message;
}
