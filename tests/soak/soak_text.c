/* soak_text.c - writes a random system as a run file */
#include <inttypes.h>
#include <string.h>

#include "tests/soak/soak_case.h"

#define U "%" G_GUINT64_FORMAT

static void append_link_text(GString *text, const SoakDim *dim)
{
    g_string_append_printf(text,
                           "links: " U ", bandwidth: " U " MB/s, latency: " U
                           " ns, efficiency: " U " %%}",
                           dim->n_links, dim->mb_per_s, dim->latency_ns,
                           dim->efficiency_percent);
}

static void append_platform_text(GString *text, const SoakCase *c)
{
    g_string_append(text, "platform:\n  topology: {kind: ");
    if (c->topology != SOAK_TORUS) {
        g_string_append_printf(text, "%s, npus: " U ", ",
                               c->topology == SOAK_SWITCH ? "switch"
                                                          : "fully-connected",
                               c->dims[0].size);
        append_link_text(text, &c->dims[0]);
    } else {
        g_string_append(text, "torus, dims: [");
        for (uint64_t d = 0; d < c->n_dims; d++) {
            g_string_append_printf(text, "%s{size: " U ", direction: %s, ",
                                   d > 0 ? ", " : "", c->dims[d].size,
                                   c->dims[d].one_way ? "one" : "both");
            append_link_text(text, &c->dims[d]);
        }
        g_string_append(text, "]}");
    }
    g_string_append_printf(
        text,
        "\n  npu: {sms: " U ", clock: " U " MHz, flops: " U
        " GFLOPS, launch_overhead: " U " ns, fabric_bus: " U " MB/s, tile: " U
        ", side_sms: 1, side_bandwidth: " U " MB/s,\n    hbm: {bandwidth: " U
        " MB/s, policy: %s, turnaround: " U " %%, communication_weight: " U
        "}}\n",
        c->n_sms, c->clock_mhz, c->gflops, c->launch_ns, c->bus_mb_per_s,
        c->tile, c->side_mb_per_s, c->hbm_mb_per_s,
        c->shared ? "shared" : "partitioned", c->turnaround_percent,
        c->comm_weight);
}

static void append_endpoint_text(GString *text, const SoakCase *c)
{
    static const char *const sram_splits[] = { "equal", "bandwidth",
                                               "bandwidth-x-chunk", "latency" };
    static const char *const fsm_splits[] = { "equal", "latency" };

    switch (c->endpoint) {
    case SOAK_IDEAL:
        g_string_append_printf(
            text, "endpoint: {kind: ideal, message_cycles: " U "}\n",
            c->message_cycles);
        return;
    case SOAK_BASELINE:
        g_string_append_printf(text,
                               "endpoint: {kind: baseline, sms: " U
                               ", memory_bandwidth: " U
                               " MB/s, only_while_communicating: %s}\n",
                               c->endpoint_sms, c->share_mb_per_s,
                               c->only_while_communicating ? "true" : "false");
        return;
    case SOAK_ACE:
        g_string_append_printf(
            text,
            "endpoint: {kind: ace, memory_bandwidth: " U " MB/s, sram: " U
            " B, fsms: " U ", chunks_per_fsm: " U ", alus: " U ", alu_width: " U
            " B, message_cycles: " U ", sram_split: %s, fsm_split: %s}\n",
            c->share_mb_per_s, c->sram_bytes, c->n_fsms, c->chunks_per_fsm,
            c->n_alus, c->alu_bytes, c->message_cycles,
            sram_splits[c->sram_split], fsm_splits[c->fsm_split]);
        return;
    }
}

static void append_layers_text(GString *text, const SoakCase *c)
{
    g_string_append_printf(
        text, "{kind: data-parallel, name: w, batch: " U ", layers: [",
        c->batch);
    for (uint64_t i = 0; i < c->n_layers; i++) {
        const SoakLayer *l = &c->layers[i];

        g_string_append(text, i > 0 ? ",\n  " : "\n  ");
        if (c->work == SOAK_LINEAR)
            g_string_append_printf(
                text, "{kind: linear, name: l" U ", in: " U ", out: " U "}", i,
                l->a, l->b);
        else
            g_string_append_printf(
                text,
                "{kind: measured, name: l" U ", weights: " U
                ", forward_time: " U " ns, input_gradient_time: " U
                " ns, weight_gradient_time: " U " ns}",
                i, 200 * l->a, l->time_ns[0], l->time_ns[1], l->time_ns[2]);
    }
    g_string_append(text, "]}\n");
}

static void append_workload_text(GString *text, const SoakCase *c)
{
    static const char *const shardings[SOAK_N_SHARDINGS] = {
        "",
        ", exchange: {kind: sharded, shard: {kind: zero-1}}",
        ", exchange: {kind: sharded, shard: {kind: zero-2}}",
        ", exchange: {kind: sharded, shard: {kind: fsdp}}",
    };

    g_string_append(text, "workload: ");
    if (c->work == SOAK_COLLECTIVE)
        g_string_append_printf(
            text,
            "{kind: collective, name: w, collective: %s, payload: " U
            " B, repeat: " U "}\n",
            coll_kind_names[c->kind], c->payload_bytes, c->repeat);
    else if (c->work == SOAK_DLRM)
        g_string_append_printf(
            text,
            "{kind: dlrm, name: w, batch: " U
            ", embedding: {tables: 6, dimension: 32, lookups: 4},\n"
            "  bottom: [{name: b1, in: " U ", out: " U "}, {name: b2, in: " U
            ", out: 32}],\n  top: [{name: t1, in: 224, out: " U
            "}, {name: t2, in: " U ", out: 1}]}\n",
            4 * c->batch, c->layers[0].a, c->layers[0].b, c->layers[0].b,
            c->layers[0].a, c->layers[0].a);
    else
        append_layers_text(text, c);
    g_string_append_printf(
        text,
        "training: {iterations: " U
        ", compute: %s, overlap: %s, optimised: %s, drain: %s%s}\n",
        c->n_iterations, c->work == SOAK_MEASURED ? "measured" : "roofline",
        c->overlap ? "true" : "false", c->optimised ? "true" : "false",
        c->drain ? "true" : "false", shardings[c->sharding]);
}

static void append_perturb_text(GString *text, const SoakCase *c)
{
    static const char *const ports[] = { "dim0+", "up", "to+1" };
    static const char *const distributions[] = { "uniform", "normal",
                                                 "exponential" };

    if (!c->perturbed)
        return;
    g_string_append_printf(
        text,
        "perturb: {seed: " U ", jitter: " U " %%, distribution: %s,\n"
        "  npus: [{npu: 1, time_factor: " U " %%}],\n"
        "  links: [{npu: 0, port: %s, bandwidth_factor: " U " %%}]}\n",
        c->seed, c->jitter_percent, distributions[c->distribution],
        c->slow_npu_percent, ports[c->topology], c->slow_link_percent);
}

static void append_size_text(GString *text, const char *key, const char *unit,
                             uint64_t size)
{
    if (size == CONFIG_AUTO)
        g_string_append_printf(text, "%s: auto, ", key);
    else
        g_string_append_printf(text, "%s: " U "%s, ", key, size, unit);
}

char *soak_case_text(const SoakCase *c)
{
    static const char *const schedulers[] = { "lifo", "fifo", "priority" };
    GString *text = g_string_new(NULL);

    append_platform_text(text, c);
    append_endpoint_text(text, c);
    append_workload_text(text, c);
    g_string_append(text, "collectives: {");
    append_size_text(text, "chunk", " B", c->chunk_bytes);
    append_size_text(text, "message", " B", c->message_bytes);
    append_size_text(text, "window", "", c->window);
    g_string_append_printf(
        text,
        "packet: " U " B, scheduler: %s, preempt: %s, algorithm: %s, "
        "order: %s, fidelity: %s}\n",
        c->packet_bytes, schedulers[c->scheduler],
        c->preempt ? "true" : "false", coll_algorithm_names[c->algorithm],
        coll_order_names[c->order], c->packet_fidelity ? "packet" : "message");
    append_perturb_text(text, c);
    return g_string_free(text, FALSE);
}
