/* packet_order.c - the order of the packets that wait for a link */
#include "network/transport/packet_network_impl.h"

static uint32_t alloc_packet(PacketNetwork *net)
{
    uint32_t i = net->free_list;

    if (i != NONE) {
        net->free_list = net->packets[i].link.next;
        return i;
    }
    if (net->n_packets == net->n_packet_slots) {
        net->n_packet_slots = MAX(1024, 2 * net->n_packet_slots);
        net->packets = g_renew(Packet, net->packets, net->n_packet_slots);
    }
    return net->n_packets++;
}

void packet_free(PacketNetwork *net, uint32_t packet)
{
    net->packets[packet].link.next = net->free_list;
    net->free_list = packet;
}

/* Compares the keys of two messages.  Returns < 0, 0 or > 0, as strcmp()
 * does. */
static int compare_message_keys(const Message *a, const Message *b)
{
    if (a->order_hi != b->order_hi)
        return a->order_hi < b->order_hi ? -1 : 1;
    if (a->order_lo != b->order_lo)
        return a->order_lo < b->order_lo ? -1 : 1;
    return 0;
}

/* Compares two messages by the position of the source relative to the
 * destination.  Returns 0 if source and destination are equal, provided that
 * both messages are at one node after the same number of hops. */
static int compare_source_positions(const Message *a, const Message *b)
{
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return 0;
}

/* Returns whether passing packet @i precedes @j. */
static gboolean passing_packet_precedes(gconstpointer network, uint32_t i,
                                        uint32_t j)
{
    const PacketNetwork *net = network;
    const Packet *a = &net->packets[i], *b = &net->packets[j];
    const Message *m = &net->messages[a->message];
    const Message *n = &net->messages[b->message];
    int by_key = compare_message_keys(m, n);

    if (a->start_bytes != b->start_bytes)
        return a->start_bytes < b->start_bytes;
    if (by_key != 0)
        return by_key < 0;
    if (a->n_hops != b->n_hops)
        return a->n_hops < b->n_hops;
    if (a->arrival_ps != b->arrival_ps)
        return a->arrival_ps < b->arrival_ps;
    if (compare_source_positions(m, n) != 0)
        return compare_source_positions(m, n) < 0;
    /* From here on, source, destination and key are equal. */
    if (a->message != b->message)
        return a->message < b->message;
    return a->index < b->index;
}

/* Returns whether message @i starts before message @j, neither of which has
 * sent a packet. */
static gboolean starting_message_precedes(gconstpointer messages, uint32_t i,
                                          uint32_t j)
{
    const Message *a = &((const Message *)messages)[i];
    const Message *b = &((const Message *)messages)[j];
    int by_key = compare_message_keys(a, b);

    return by_key != 0 ? by_key < 0 : compare_source_positions(a, b) < 0;
}

static SimHeapLink *link_of_heap_packet(gpointer messages, uint32_t i)
{
    return &((Message *)messages)[i].link;
}

static const SimHeapKind by_key = { link_of_heap_packet,
                                    starting_message_precedes };

static SimHeapLink *heap_link_of_packet(gpointer network, uint32_t i)
{
    return &((PacketNetwork *)network)->packets[i].link;
}

static const SimHeapKind by_packet = { heap_link_of_packet,
                                       passing_packet_precedes };

/* Returns the heap with the first passing packet that fits into the next
 * buffer, or NULL if there is none. */
static uint32_t *find_passing_packet_that_fits(PacketNetwork *net, Link *link)
{
    uint32_t *best = NULL;

    for (uint32_t c = 0; c < N_CHANNELS; c++) {
        uint32_t *first = &link->passing[c];

        if (*first != NONE &&
            net->packets[*first].bytes <= link->room_bytes[c] &&
            (!best || passing_packet_precedes(net, *first, *best)))
            best = first;
    }
    return best;
}

static uint32_t dequeue_passing_packet(PacketNetwork *net, Link *link,
                                       uint32_t *first)
{
    uint32_t packet = *first;

    link->share.virtual_time_bytes = net->packets[packet].start_bytes;
    *first = sim_heap_pop(&by_packet, net, packet);
    return packet;
}

static uint64_t next_packet_bytes(const PacketNetwork *net, const Message *m)
{
    return MIN(m->unsent_bytes, net->packet_bytes);
}

/* Returns the starting message if its next packet fits into the next buffer, or
 * NONE. */
static uint32_t find_starting_message_that_fits(const PacketNetwork *net,
                                                const Link *link)
{
    uint32_t message = link->started_message != NONE ? link->started_message
                                                     : link->starting_messages;

    if (message == NONE || next_packet_bytes(net, &net->messages[message]) >
                               link->room_bytes[link->start_channel])
        return NONE;
    return message;
}

/* Returns the start tag of @bytes of @flow that begin to wait, and advances the
 * start tag of the flow. */
static uint64_t assign_fair_share_start_tag(Link *link, uint32_t flow,
                                            uint64_t bytes)
{
    uint64_t start_bytes = fair_share_start_tag(&link->share, flow);

    link->share.start_tag_bytes[flow] = start_bytes + bytes;
    return start_bytes;
}

/* Creates the next packet of @message, which find_starting_message_that_fits()
 * has returned. */
static uint32_t create_next_packet_of_message(PacketNetwork *net, Link *link,
                                              uint32_t message)
{
    Message *m = &net->messages[message];
    uint64_t bytes = next_packet_bytes(net, m);
    uint32_t packet = alloc_packet(net);

    net->packets[packet] = (Packet){
        .message = message,
        .index = (m->bytes - m->unsent_bytes) / net->packet_bytes,
        .bytes = bytes,
        .buffer = { NONE, 0 },
        .next_buffer = { (uint32_t)(link - net->links), link->start_channel },
    };
    if (link->started_message == NONE)
        link->starting_messages = sim_heap_pop(&by_key, net->messages, message);
    if (net->n_flows > 0)
        link->share.virtual_time_bytes =
            assign_fair_share_start_tag(link, m->flow, bytes);
    m->unsent_bytes -= bytes;
    link->started_message = m->unsent_bytes > 0 ? message : NONE;
    return packet;
}

/* Returns whether @packet precedes the next packet of @message. */
static gboolean packet_precedes_starting_message(const PacketNetwork *net,
                                                 const Link *link,
                                                 uint32_t packet,
                                                 uint32_t message)
{
    const Packet *p = &net->packets[packet];
    const Message *m = &net->messages[message];
    uint64_t start_bytes =
        net->n_flows > 0 ? fair_share_start_tag(&link->share, m->flow) : 0;

    if (p->start_bytes != start_bytes)
        return p->start_bytes < start_bytes;
    return compare_message_keys(&net->messages[p->message], m) < 0;
}

/* Removes and returns the packet that @link sends next.  With equal keys, a
 * message that starts here precedes a passing packet. */
uint32_t packet_take_next_of_link(PacketNetwork *net, Link *link)
{
    uint32_t *passing = find_passing_packet_that_fits(net, link);
    uint32_t message = find_starting_message_that_fits(net, link);

    if (message == NONE)
        return passing ? dequeue_passing_packet(net, link, passing) : NONE;
    if (passing &&
        packet_precedes_starting_message(net, link, *passing, message))
        return dequeue_passing_packet(net, link, passing);
    return create_next_packet_of_message(net, link, message);
}

uint32_t packet_next_message_for_link(PacketNetwork *net, Link *link)
{
    uint32_t *passing = find_passing_packet_that_fits(net, link);
    uint32_t message = find_starting_message_that_fits(net, link);

    if (passing && (message == NONE || packet_precedes_starting_message(
                                           net, link, *passing, message)))
        return net->packets[*passing].message;
    return message;
}

gboolean packet_message_precedes(const PacketNetwork *net, uint32_t a,
                                 uint32_t b)
{
    return starting_message_precedes(net->messages, a, b);
}

void packet_enqueue_passing(PacketNetwork *net, Link *link, uint32_t packet)
{
    Packet *p = &net->packets[packet];
    uint32_t *passing = &link->passing[p->next_buffer.channel];

    if (net->n_flows > 0)
        p->start_bytes = assign_fair_share_start_tag(
            link, net->messages[p->message].flow, p->bytes);
    *passing = sim_heap_push(&by_packet, net, *passing, packet);
}

void packet_start_message(PacketNetwork *net, Link *link, uint32_t message)
{
    link->starting_messages =
        sim_heap_push(&by_key, net->messages, link->starting_messages, message);
}
