/*
 * message_pool.c - allocates and frees the messages of a network, and returns
 * the bandwidth of a perturbed link
 *
 * All files that move messages use this one, so it uses none of them.
 */
#include "network/transport/network_state_impl.h"
#include "sim/core/cache_lines.h"

uint64_t network_perturbed_bytes_per_s(const Network *net, uint32_t link)
{
    const TopologyPort *port =
        topology_get_port(net->topology, link % net->n_ports);
    SimWide rate = (SimWide)port->payload_bytes_per_s * net->factors_ppm[link] /
                   NETWORK_FACTOR_ONE;

    return (uint64_t)MAX(1, MIN(rate, UINT64_MAX));
}

#define INITIAL_MESSAGES 256

static G_GNUC_NO_INLINE void grow_message_pool(Network *net)
{
    uint32_t more = MAX(INITIAL_MESSAGES, net->n_allocated);

    if (net->n_allocated > NETWORK_MANY_MESSAGES)
        more = net->n_allocated / 8;
    g_assert(net->n_allocated <= MESSAGE_NONE - more);
    net->n_allocated += more;
    net->messages = cache_lines_grow(
        net->messages, (gsize)net->n_messages * sizeof *net->messages,
        (gsize)net->n_allocated * sizeof *net->messages);
}

uint32_t network_message_new(Network *net)
{
    uint32_t i = net->free_list;

    net->n_live++;
    if (i != MESSAGE_NONE) {
        net->free_list = net->messages[i].link.next;
        return i;
    }
    if (G_UNLIKELY(net->n_messages == net->n_allocated))
        grow_message_pool(net);
    net->messages[net->n_messages].reduction_role = NET_REDUCTION_NONE;
    net->messages[net->n_messages].sends_next_on_demand = FALSE;
    return net->n_messages++;
}

NetMessage *network_get_message(Network *net, uint32_t message)
{
    return &net->messages[message];
}

void network_message_free(Network *net, uint32_t message)
{
    net->messages[message].reduction_role = NET_REDUCTION_NONE;
    net->messages[message].link.next = net->free_list;
    net->free_list = message;
    net->n_live--;
}
