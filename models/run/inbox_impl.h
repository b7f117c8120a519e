/* inbox_impl.h - what arrived at an NPU at one instant, in order; for
 * pipeline.c only */
#ifndef MODELS_RUN_INBOX_IMPL_H
#define MODELS_RUN_INBOX_IMPL_H

#include "models/run/npu_impl.h"

/* What is equal keeps the order in which it came: indices are no order. */
static inline gint compare_arrivals(gconstpointer a, gconstpointer b,
                                    gpointer network)
{
    const NetMessage *m = network_message(network, *(const uint32_t *)a);
    const NetMessage *n = network_message(network, *(const uint32_t *)b);

    return network_before(m, n) ? -1 : network_before(n, m) ? 1 : 0;
}

/* Messages that are sorted one by one: more are quicker by halves. */
#define INBOX_FEW 16

/* In place, from the first that is not in order: number @n. */
static inline void sort_few(Npu *npu, uint32_t n)
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
static inline void sort_inbox(Npu *npu)
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

#endif
