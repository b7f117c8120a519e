/*
 * message_inbox.c - processes the messages that arrive at an NPU at one
 * instant, in an order that does not depend on NPU numbers
 */
#include "models/run/message_inbox_impl.h"

#include "models/run/chunk_progress_impl.h"
#include "models/run/step_messages_impl.h"

/* Compares two arrivals by their message keys.  Equal messages keep their order
 * of arrival, because their indices have no order. */
static gint compare_arrivals(gconstpointer a, gconstpointer b, gpointer network)
{
    const NetMessage *message =
        network_get_message(network, *(const uint32_t *)a);
    const NetMessage *net_message =
        network_get_message(network, *(const uint32_t *)b);

    return network_message_before(message, net_message)   ? -1
           : network_message_before(net_message, message) ? 1
                                                          : 0;
}

/* Up to this number of messages are sorted by insertion; more are sorted faster
 * by merging. */
#define INBOX_FEW 16

/* Sorts the messages of an inbox in place; @from is the first one that is out
 * of order. */
static void insertion_sort_arrivals(Network *network, uint32_t *messages,
                                    guint n, guint from)
{
    for (; from < n; from++) {
        uint32_t message = messages[from];
        const NetMessage *net_message = network_get_message(network, message);
        guint at = from;

        for (; at > 0 &&
               network_message_before(
                   net_message, network_get_message(network, messages[at - 1]));
             at--)
            messages[at] = messages[at - 1];
        messages[at] = message;
    }
}

/* Sorts the messages of an inbox.  Most arrivals are in order already, so it
 * checks that first. */
static void sort_message_arrivals(Network *network, uint32_t *messages, guint n)
{
    guint from = 1;

    while (from < n && !network_message_before(
                           network_get_message(network, messages[from]),
                           network_get_message(network, messages[from - 1])))
        from++;
    if (from == n)
        return;
    if (n <= INBOX_FEW)
        insertion_sort_arrivals(network, messages, n, from);
    else
        g_qsort_with_data(messages, (gint)n, sizeof *messages, compare_arrivals,
                          network);
}

static inline void process_message(Npu *npu, Network *network,
                                   uint32_t *messages, guint n)
{
    sort_message_arrivals(network, messages, n);
    for (guint i = 0; i < n; i++)
        chunk_progress_receive_arrived(npu, messages[i]);
}

static uint32_t previous_arrival(Network *network, uint32_t message)
{
    return network_get_message(network, message)->link.next;
}

static G_GNUC_NO_INLINE void process_sorted_messages(Npu *npu, Network *network,
                                                     uint32_t last)
{
    g_autofree uint32_t *messages = NULL;
    guint n = 0, at;

    for (uint32_t m = last; m != INBOX_EMPTY; m = previous_arrival(network, m))
        n++;
    messages = g_new(uint32_t, n);
    at = n;
    for (uint32_t m = last; m != INBOX_EMPTY; m = previous_arrival(network, m))
        messages[--at] = m;
    process_message(npu, network, messages, n);
}

/* Processes several messages of one inbox; @last arrived last. */
static G_GNUC_NO_INLINE void
process_several_messages(Npu *npu, Network *network, uint32_t last)
{
    uint32_t messages[INBOX_FEW];
    guint at = INBOX_FEW;

    for (uint32_t m = last; m != INBOX_EMPTY;
         m = previous_arrival(network, m)) {
        if (at == 0) {
            process_sorted_messages(npu, network, last);
            return;
        }
        messages[--at] = m;
    }
    process_message(npu, network, &messages[at], INBOX_FEW - at);
}

/* Processes all messages that arrived at this instant, in their order. */
static void process_inbox(Npu *npu, Network *network)
{
    uint32_t last = npu->inbox;

    if (previous_arrival(network, last) == INBOX_EMPTY)
        chunk_progress_receive_arrived(npu, last);
    else
        process_several_messages(npu, network, last);
    g_assert(npu->inbox == last);
    npu->inbox = INBOX_EMPTY;
}

/* Processes the inboxes of all NPUs in one event, because they are
 * independent. */
static void on_process_inboxes(gpointer self, uint32_t arg, uint64_t now_ps)
{
    System *system = self;
    uint32_t n = system->state.n_arrived;

    (void)arg;
    (void)now_ps;
    for (uint32_t i = 0; i < n; i++)
        process_inbox(system->state.arrived[i], system->state.network);
    g_assert(system->state.n_arrived == n);
    system->state.n_arrived = 0;
}

static inline void append_to_inbox(System *system, Npu *npu, uint32_t message)
{
    if (npu->inbox == INBOX_EMPTY)
        system->state.arrived[system->state.n_arrived++] = npu;
    network_get_message(system->state.network, message)->link.next = npu->inbox;
    npu->inbox = message;
}

/* Begins an inbox with its first message.  A single message at an instant
 * without other events needs neither inbox nor event, and is processed
 * immediately. */
static G_GNUC_NO_INLINE void begin_inbox(System *system, Npu *npu,
                                         uint32_t message, SimTime now_ps)
{
    if (!sim_engine_has_more_events_now(system->state.engine, SIM_PHASE_ACT)) {
        chunk_progress_receive_arrived(npu, message);
        return;
    }
    append_to_inbox(system, npu, message);
    sim_engine_schedule(system->state.engine, now_ps, SIM_PHASE_ACT,
                        on_process_inboxes, system, 0);
}

/* Delivers a message.  Beginning an inbox is not inlined, so that later
 * messages save no registers for it. */
void inbox_deliver_message(gpointer self, uint32_t id, uint32_t message,
                           SimTime now_ps)
{
    System *system = self;
    Npu *npu = &system->state.npus[id];

    if (system->state.n_arrived > 0)
        append_to_inbox(system, npu, message);
    else
        begin_inbox(system, npu, message, now_ps);
}
