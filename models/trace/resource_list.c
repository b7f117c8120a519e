/*
 * resource_list.c - declares the resources that every run has, and joins them
 * with those of the endpoint
 */
#include "models/trace/resource_list.h"

const ResourceKind resource_common[RESOURCE_OWN + 1] = {
    [RESOURCE_HBM_SHARE] = { .name = "endpoint_hbm_share",
                             .name_in_sentence = "the endpoint's HBM share",
                             .title = "HBM for communication",
                             .detail = "communication reads",
                             .doubles = "endpoint.memory_bandwidth",
                             .column = "hbm_comm_busy_us",
                             .help = "what reads or writes HBM for messages, "
                                     "under `partitioned`" },
    [RESOURCE_HBM] = { .name = "endpoint_hbm",
                       .name_in_sentence =
                           "the HBM bandwidth that kernels leave",
                       .help = "what reads or writes HBM for messages, under "
                               "`shared`" },
    [RESOURCE_SMS] = { .name = "endpoint_sms",
                       .name_in_sentence = "the endpoint's SMs",
                       .doubles = "endpoint.sms",
                       .related_key = "endpoint.memory_bandwidth",
                       .help = "messages that SMs read or reduce" },
    [RESOURCE_BUS] = { .name = "bus",
                       .name_in_sentence = "the NPU-to-fabric bus",
                       .title = "NPU-to-fabric bus",
                       .detail = "outward",
                       .doubles = "platform.npu.fabric_bus",
                       .help = "messages, and chunks of a DMA engine" },
    [RESOURCE_CYCLES] = { .name = "message_cycles",
                          .name_in_sentence =
                              "the endpoint's cycles per message",
                          .form = RESOURCE_DELAY,
                          .halves = "endpoint.message_cycles",
                          .help = "messages before they go out" },
    [RESOURCE_STEP] = { .name = "step",
                        .name_in_sentence =
                            "the endpoint's synchronisation of a step",
                        .form = RESOURCE_DELAY,
                        .halves = "endpoint.step_time",
                        .help = "messages before they go out" },
    [RESOURCE_PROTOCOL] = { .name = "protocol",
                            .name_in_sentence =
                                "the step of the stack's protocol",
                            .form = RESOURCE_DELAY,
                            .help = "messages before they go out, instead of "
                                    "the endpoint's step" },
    [RESOURCE_LAUNCH] = { .name = "collective_launch",
                          .name_in_sentence = "the launch of collectives",
                          .form = RESOURCE_DELAY,
                          .halves = "endpoint.launch_time",
                          .help = "a collective's first chunk" },
    [RESOURCE_WINDOW] = { .name = "window",
                          .name_in_sentence = "the window of chunks in flight",
                          .form = RESOURCE_CAPACITY,
                          .doubles = "collectives.window",
                          .help = "chunks that could start" },
    [RESOURCE_LANE_TURN] = { .name = "lane_turn",
                             .name_in_sentence = "the turn in a lane",
                             .form = RESOURCE_CAPACITY,
                             .doubles = "training.exchange.at_a_time",
                             .help = "collectives that have to let others go "
                                     "first" },
    [RESOURCE_LANE_CYCLE] = { .name = "lane_cycle",
                              .name_in_sentence = "the cycle of a lane",
                              .form = RESOURCE_DELAY,
                              .halves = "training.exchange.cycle",
                              .help = "collectives until their lane looks" },
    [RESOURCE_LANE_NEGOTIATION] = { .name = "lane_negotiation",
                                    .name_in_sentence =
                                        "the negotiation of a lane",
                                    .form = RESOURCE_DELAY,
                                    .halves = "training.exchange.negotiation",
                                    .help = "collectives that a lane lets go" },
    [RESOURCE_LANE_COPY] = { .name = "lane_copy",
                             .name_in_sentence =
                                 "copies into and out of buffers",
                             .form = RESOURCE_DELAY,
                             .doubles = "training.exchange.copy",
                             .help =
                                 "collectives of several tensors, before and "
                                 "after" },
};

const ResourceKind resource_links = {
    .name = "link_dim%u",
    .name_in_sentence = "links",
    .title = "links",
    .each = "bandwidth",
    .help = "messages on their way",
};

const ResourceKind resource_latencies = {
    .name = "latency_dim%u",
    .name_in_sentence = "latency of links",
    .form = RESOURCE_DELAY,
    .each = "latency",
    .help = "messages on their way",
};

static guint n_endpoint_resources(const ResourceKind *own)
{
    guint n = 0;

    while (own && own[n].name)
        n++;
    g_assert(n <= RESOURCE_MAX_OWN);
    return n;
}

guint resource_count(const ResourceKind *own)
{
    return RESOURCE_OWN + n_endpoint_resources(own);
}

const ResourceKind *resource_kind(const ResourceKind *own, guint i)
{
    g_assert(i < resource_count(own));
    return i < RESOURCE_OWN ? &resource_common[i] : &own[i - RESOURCE_OWN];
}

gboolean resource_find_by_name(const ResourceKind *own, const char *name,
                               guint *ret)
{
    for (guint i = 0; i < resource_count(own); i++) {
        if (!g_str_equal(resource_kind(own, i)->name, name))
            continue;
        *ret = i;
        return TRUE;
    }
    return FALSE;
}

char *resource_text_with_dimension(const char *text, const char *dim)
{
    g_auto(GStrv) parts = g_strsplit(text, "%u", 2);

    return g_strjoinv(dim, parts);
}

static guint append_resources_of_form(const ResourceKind *own,
                                      ResourceForm form, guint from, guint to,
                                      uint32_t *ret)
{
    guint n = 0;

    for (guint i = from; i < to; i++)
        if (resource_kind(own, i)->form == form)
            ret[n++] = i;
    return n;
}

guint sort_order_of_resource(const ResourceKind *own,
                             uint32_t ret[RESOURCE_MAX])
{
    guint n = resource_count(own), k = 0;

    for (ResourceForm form = 0; form < RESOURCE_N_FORMS; form++) {
        if (form == RESOURCE_CAPACITY)
            k += append_resources_of_form(own, form, RESOURCE_OWN, n, ret + k);
        k += append_resources_of_form(own, form, 0, RESOURCE_OWN, ret + k);
        if (form != RESOURCE_CAPACITY)
            k += append_resources_of_form(own, form, RESOURCE_OWN, n, ret + k);
    }
    g_assert(k == n);
    return n;
}
