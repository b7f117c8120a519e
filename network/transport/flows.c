/*
 * flows.c - what waits for each link, flow by flow
 *
 * What comes to a link joins one list, as where there is one flow.  Before a
 * message is taken the list is told apart, and afterwards the link has that
 * message and the list of the flow that is served next: so it is empty only
 * when nothing waits.
 */
#include "network/transport/fair_share.h"
#include "network/transport/trains_impl.h"

typedef struct {
    FairShare share;
    MessageList *lists; /* owned, by flow: but for what the link has */
} FlowLink;

struct Flows {
    uint32_t n, n_links;
    NetworkFlowFn flow_of;
    gpointer self;   /* borrowed: of .flow_of */
    FlowLink *links; /* owned */
};

Flows *flows_new(Network *net, uint32_t n_flows, NetworkFlowFn flow_of,
                 gpointer self)
{
    Flows *flows = g_new0(Flows, 1);

    flows->n = n_flows;
    flows->n_links = net->n_units * net->n_ports;
    flows->flow_of = flow_of;
    flows->self = self;
    flows->links = g_new0(FlowLink, flows->n_links);
    for (uint32_t i = 0; i < flows->n_links; i++) {
        FlowLink *at = &flows->links[i];

        net->links[i].is_special = TRUE;
        fair_share_init(&at->share, n_flows);
        at->lists = g_new(MessageList, n_flows);
        for (uint32_t f = 0; f < n_flows; f++)
            at->lists[f] = MESSAGE_LIST_EMPTY;
    }
    return flows;
}

void flows_free(Flows *flows)
{
    if (!flows)
        return;
    for (uint32_t i = 0; i < flows->n_links; i++) {
        fair_share_clear(&flows->links[i].share);
        for (uint32_t f = 0; f < flows->n; f++)
            message_list_clear(&flows->links[i].lists[f]);
        g_free(flows->links[i].lists);
    }
    g_free(flows->links);
    g_free(flows);
}

/* All that the link has goes to its flows. */
static void tell_apart(Network *net, Link *link, FlowLink *at)
{
    while (link->waiting.head != MESSAGE_NONE) {
        uint32_t message =
            message_list_take(net->messages, &link->waiting, &message_by_key);
        uint32_t flow =
            net->flows->flow_of(net->flows->self, &net->messages[message]);

        g_assert(flow < net->flows->n);
        if (at->lists[flow].head == MESSAGE_NONE)
            at->share.ends_bytes[flow] = fair_share_start(&at->share, flow);
        message_list_insert(net->messages, &at->lists[flow], message);
    }
}

/* Who has had least of those that have something waiting; .n: nobody has. */
static uint32_t next_flow(const Network *net, const FlowLink *at)
{
    uint32_t best = net->flows->n;

    for (uint32_t f = 0; f < net->flows->n; f++)
        if (at->lists[f].head != MESSAGE_NONE &&
            (best == net->flows->n ||
             at->share.ends_bytes[f] < at->share.ends_bytes[best]))
            best = f;
    return best;
}

/* Behind it comes what is next: so the list is in order when it is gone. */
void flows_choose(Network *net, Link *link)
{
    FlowLink *at = &net->flows->links[link - net->links];
    uint64_t *ends_bytes = at->share.ends_bytes;
    uint32_t flow, message;

    tell_apart(net, link, at);
    flow = next_flow(net, at);
    g_assert(flow < net->flows->n);
    message =
        message_list_take(net->messages, &at->lists[flow], &message_by_key);
    at->share.now_bytes = ends_bytes[flow];
    ends_bytes[flow] += net->messages[message].bytes;
    flow = next_flow(net, at);
    if (flow < net->flows->n) {
        MessageList empty = link->waiting;

        link->waiting = at->lists[flow];
        at->lists[flow] = empty;
    }
    net->messages[message].link.next = link->waiting.head;
    if (link->waiting.head == MESSAGE_NONE)
        link->waiting.tail = message;
    link->waiting.head = message;
}
