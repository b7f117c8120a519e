/* inbox_impl.h - what arrived at an NPU at one instant, in order; for
 * pipeline.c only */
#ifndef MODELS_INBOX_IMPL_H
#define MODELS_INBOX_IMPL_H

#include "models/npu_impl.h"

/* What is equal keeps the order in which it came: indices are no order. */
static inline gint compare_arrivals(gconstpointer a, gconstpointer b,
                                    gpointer network)
{
    const NetMessage *m = network_message(network, *(const uint32_t *)a);
    const NetMessage *n = network_message(network, *(const uint32_t *)b);

    return network_before(m, n) ? -1 : network_before(n, m) ? 1 : 0;
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
    if (n < npu->n_inbox)
        g_qsort_with_data(npu->inbox, (gint)npu->n_inbox, sizeof *npu->inbox,
                          compare_arrivals, network);
}

#endif
