/*
 * fetch.c - what soon happens in a network is fetched into the cache
 *
 * With hundreds of NPUs the records of messages and links are more than the
 * caches next to the processor hold, and each event begins with some that are
 * not there.  Fetched a few events before, several at a time, they are.
 */
#include "network/transport/trains_impl.h"
#include "sim/core/lines.h"

void network_let_hint(Network *net, NetworkHintFn hint)
{
    net->hint = hint;
}

void network_fetch(const Network *net, uint32_t message)
{
    lines_fetch(&net->messages[message]);
}

void network_fetch_link(const Network *net, uint32_t link)
{
    lines_fetch(&net->links[link]);
    lines_fetch((const guint8 *)&net->links[link + 1] - 1);
}

static void fetch_head(const Network *net, const MessageList *list)
{
    if (list->head != MESSAGE_NONE)
        network_fetch(net, list->head);
}

static void hint_service(gpointer self, uint32_t number, guint round)
{
    const Network *net = self;
    const Link *link = &net->links[number];

    if (round == 0) {
        network_fetch_link(net, number);
    } else if (round == 1) {
        fetch_head(net, &link->waiting);
        fetch_head(net, &link->coming);
        lines_fetch(link->free_ps);
    }
}

static void hint_deliver(gpointer self, uint32_t message, guint round)
{
    const Network *net = self;

    if (round == 0)
        network_fetch(net, message);
    else if (net->hint)
        net->hint(net->self, net->messages[message].dst, message, round - 1);
}

void hints_begin(Network *net)
{
    sim_engine_let_hint(net->engine, trains_on_service, hint_service);
    sim_engine_let_hint(net->engine, trains_on_deliver, hint_deliver);
}
