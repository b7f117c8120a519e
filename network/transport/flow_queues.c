/*
 * flow_queues.c - per-flow queues of each link, served fairly (fair_share.h)
 *
 * New messages of all flows join Link.waiting, as if there were one flow.
 * Before the link serves a message, flow_queues_choose_next_message() sorts the
 * new messages into one queue per flow. It then puts at most two messages back
 * into Link.waiting:
 *
 *   1. the message to serve, which the caller removes immediately;
 *   2. the head of the flow to serve after it, "lent" to the link.
 *
 * Invariants
 *   - Outside flow_queues_choose_next_message(), Link.waiting is empty only
 *     if no message of any flow waits.  The lent message ensures this, so other
 *     modules need not know about flows.
 *   - Each message is sorted into its queue once.  Only a lent message returns
 *     to the head of its queue at the next call.
 */
#include "network/transport/fair_share.h"
#include "network/transport/network_state_impl.h"

typedef struct {
    FairShare share;
    /* Owned: one per flow, without the lent message. */
    MessageList *queues;
    uint32_t lent, lent_flow; /* a lent message and its flow; or MESSAGE_NONE */
} FlowLink;

struct FlowQueues {
    uint32_t n, n_links;
    NetworkFlowFn flow_of;
    gpointer self;   /* borrowed: argument of .flow_of */
    FlowLink *links; /* owned: the queues of each link */
};

FlowQueues *flow_queues_new(Network *net, uint32_t n_flows,
                            NetworkFlowFn flow_of, gpointer self)
{
    FlowQueues *flows = g_new0(FlowQueues, 1);

    flows->n = n_flows;
    flows->n_links = net->n_units * net->n_ports;
    flows->flow_of = flow_of;
    flows->self = self;
    flows->links = g_new0(FlowLink, flows->n_links);
    for (uint32_t i = 0; i < flows->n_links; i++) {
        FlowLink *flow_link = &flows->links[i];

        net->links[i].is_special = TRUE;
        flow_link->lent = MESSAGE_NONE;
        fair_share_init(&flow_link->share, n_flows);
        flow_link->queues = g_new(MessageList, n_flows);
        for (uint32_t f = 0; f < n_flows; f++)
            flow_link->queues[f] = MESSAGE_LIST_EMPTY;
    }
    return flows;
}

void flow_queues_free(FlowQueues *flows)
{
    if (!flows)
        return;
    for (uint32_t i = 0; i < flows->n_links; i++) {
        fair_share_clear(&flows->links[i].share);
        for (uint32_t f = 0; f < flows->n; f++)
            message_list_clear(&flows->links[i].queues[f]);
        g_free(flows->links[i].queues);
    }
    g_free(flows->links);
    g_free(flows);
}

/* Prepends @message, which precedes all messages of @list. */
static void prepend_message(Network *net, MessageList *list, uint32_t message)
{
    if (list->head == MESSAGE_NONE)
        list->tail = message;
    net->messages[message].link.next = list->head;
    list->head = message;
}

/* Inserts @message into the queue of its flow.  A flow whose queue was empty
 * becomes backlogged and gets its start tag. */
static void enqueue_into_flow(Network *net, FlowLink *flow_link,
                              uint32_t message)
{
    uint32_t flow =
        net->flows->flow_of(net->flows->self, &net->messages[message]);

    g_assert(flow < net->flows->n);
    if (flow_link->queues[flow].head == MESSAGE_NONE)
        flow_link->share.start_tag_bytes[flow] =
            fair_share_start_tag(&flow_link->share, flow);
    message_list_insert_by_key(net->messages, &flow_link->queues[flow],
                               message);
}

/* Sorts the messages of @link->waiting into the queues of their flows.  The
 * lent message returns first, to the head of its queue, as it is older than new
 * messages with the same key. */
static void sort_waiting_messages_into_flows(Network *net, Link *link,
                                             FlowLink *flow_link)
{
    MessageList arrived = MESSAGE_LIST_EMPTY;

    while (link->waiting.head != MESSAGE_NONE) {
        uint32_t message = message_list_take_first(
            net->messages, &link->waiting, &message_by_key);

        if (message == flow_link->lent)
            prepend_message(net, &flow_link->queues[flow_link->lent_flow],
                            message);
        else
            message_list_append_last(net->messages, &arrived, message);
    }
    flow_link->lent = MESSAGE_NONE;
    while (arrived.head != MESSAGE_NONE)
        enqueue_into_flow(
            net, flow_link,
            message_list_take_first(net->messages, &arrived, &message_by_key));
}

/* Returns the backlogged flow with the smallest start tag, or Flows.n if no
 * flow is backlogged. */
static uint32_t find_flow_with_least_start_tag(const Network *net,
                                               const FlowLink *flow_link)
{
    uint32_t best = net->flows->n;

    for (uint32_t f = 0; f < net->flows->n; f++)
        if (flow_link->queues[f].head != MESSAGE_NONE &&
            (best == net->flows->n ||
             flow_link->share.start_tag_bytes[f] <
                 flow_link->share.start_tag_bytes[best]))
            best = f;
    return best;
}

static uint32_t dequeue_from_flow(Network *net, FlowLink *flow_link,
                                  uint32_t flow)
{
    return message_list_take_first(net->messages, &flow_link->queues[flow],
                                   &message_by_key);
}

/* Makes the message to be served next the head of @link->waiting.  The lent
 * message is prepended before the chosen one, so that link->waiting is in order
 * again when the caller has removed the chosen message. */
void flow_queues_choose_next_message(Network *net, Link *link)
{
    FlowLink *flow_link = &net->flows->links[link - net->links];
    uint64_t *start_tag_bytes = flow_link->share.start_tag_bytes;
    uint32_t flow, message;

    sort_waiting_messages_into_flows(net, link, flow_link);
    flow = find_flow_with_least_start_tag(net, flow_link);
    g_assert(flow < net->flows->n);
    message = dequeue_from_flow(net, flow_link, flow);
    flow_link->share.virtual_time_bytes = start_tag_bytes[flow];
    start_tag_bytes[flow] += net->messages[message].bytes;
    flow = find_flow_with_least_start_tag(net, flow_link);
    if (flow < net->flows->n) {
        flow_link->lent = dequeue_from_flow(net, flow_link, flow);
        flow_link->lent_flow = flow;
        prepend_message(net, &link->waiting, flow_link->lent);
    }
    prepend_message(net, &link->waiting, message);
}
