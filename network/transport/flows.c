/*
 * flows.c - what waits for each link, flow by flow
 *
 * A link's list is that of the flow which is served next; those of the others
 * lie here meanwhile, so that whoever looks at a link sees what goes first.
 */
#include "network/transport/flows.h"

#include "network/transport/trains_impl.h"

typedef struct {
    FlowShare share;
    MessageList *others; /* owned, by flow; not used of .current */
    uint32_t current;    /* whose list the link has */
} FlowLink;

struct Flows {
    uint32_t n, n_links;
    FlowLink *links; /* owned */
};

Flows *flows_new(uint32_t n_flows, uint32_t n_links)
{
    Flows *flows = g_new0(Flows, 1);

    flows->n = n_flows;
    flows->n_links = n_links;
    flows->links = g_new0(FlowLink, n_links);
    for (uint32_t i = 0; i < n_links; i++) {
        FlowLink *at = &flows->links[i];

        flow_share_init(&at->share, n_flows);
        at->others = g_new(MessageList, n_flows);
        for (uint32_t f = 0; f < n_flows; f++)
            at->others[f] = MESSAGE_LIST_EMPTY;
    }
    return flows;
}

void flows_free(Flows *flows)
{
    if (!flows)
        return;
    for (uint32_t i = 0; i < flows->n_links; i++) {
        flow_share_clear(&flows->links[i].share);
        g_free(flows->links[i].others);
    }
    g_free(flows->links);
    g_free(flows);
}

static FlowLink *place_of(const Network *net, const Link *link)
{
    return &net->flows->links[link - net->links];
}

static MessageList *list_of(FlowLink *at, Link *link, uint32_t flow)
{
    return flow == at->current ? &link->waiting : &at->others[flow];
}

/* The link gets the list of who has had least. */
static void choose(const Network *net, Link *link)
{
    FlowLink *at = place_of(net, link);
    uint32_t best = net->flows->n;

    for (uint32_t f = 0; f < net->flows->n; f++)
        if (list_of(at, link, f)->head != MESSAGE_NONE &&
            (best == net->flows->n ||
             at->share.ends_bytes[f] < at->share.ends_bytes[best]))
            best = f;
    if (best == net->flows->n || best == at->current)
        return;
    at->others[at->current] = link->waiting;
    link->waiting = at->others[best];
    at->current = best;
}

void flows_insert(Network *net, Link *link, uint32_t message)
{
    FlowLink *at = place_of(net, link);
    uint32_t flow = net->messages[message].flow;
    MessageList *list = list_of(at, link, flow);

    g_assert(flow < net->flows->n);
    if (list->head == MESSAGE_NONE)
        at->share.ends_bytes[flow] = flow_share_start(&at->share, flow);
    message_list_insert(net->messages, list, message);
    choose(net, link);
}

uint32_t flows_take(Network *net, Link *link)
{
    FlowLink *at = place_of(net, link);
    uint32_t message =
        message_list_take(net->messages, &link->waiting, &message_by_key);
    uint64_t *ends_bytes = at->share.ends_bytes;

    g_assert(net->messages[message].flow == at->current);
    at->share.now_bytes = ends_bytes[at->current];
    ends_bytes[at->current] += net->messages[message].bytes;
    choose(net, link);
    return message;
}
