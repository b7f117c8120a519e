/*
 * input.h - from storage to the NPU: samples are read, decoded and copied
 *
 * Each stage is a resource of the host, of which an NPU has a share: it does
 * one batch after the other, in
 *
 *     time + ceil(batch x bytes / bandwidth)               read, copy
 *     time + ceil(batch / (cores x samples_per_s))         decode
 *
 * One that takes no time is left out; without any the loop has its samples, as
 * it always had.  Of a batch the stages follow each other, and the forward pass
 * waits for the last.  How far they run ahead says `prefetch`:
 *
 *   none     the first stage waits for the iteration before: its kernels, and
 *            its gradients.  T = read + decode + copy + rest
 *   host     the copy waits for that; read and decode are up to `depth` batches
 *            ahead of it: read(i) waits for copy(i - depth)
 *   device   the copy is ahead, too: `depth` batches beside the one that is
 *            trained, so that it waits for the kernels of iteration
 *            i - depth - 1.  T = max(rest, read, decode, copy,
 *            (read + decode + copy) / depth)
 *
 * Without a copy, `host` is `device`.
 *
 * Leaves out what stages slow down elsewhere: a copy's traffic in the HBM and
 * on PCIe, and hosts whose NPUs do not share evenly.
 *
 * Units    ps, bytes
 * Errors   CONFIG_ERROR at the node that is wrong
 */
#ifndef WORKLOADS_INPUT_INPUT_H
#define WORKLOADS_INPUT_INPUT_H

#include "sim/config/config.h"
#include "workloads/graph.h"

typedef struct {
    uint64_t time_ps, bytes, bytes_per_s;
    const ConfigNode *node;
} InputMove;

typedef struct {
    uint64_t time_ps, n_cores, samples_per_s;
    const ConfigNode *node;
} InputDecode;

typedef struct {
    InputMove read, copy;
    InputDecode decode;
    int prefetch; /* of input.c */
    uint64_t depth;
    const ConfigNode *node;
} InputConfig;

extern const ConfigField input_fields[];

/* Operations of one batch in a graph, in order. */
typedef struct {
    guint n;
    uint32_t ops[OP_N_STAGES]; /* .n of them */
} InputOps;

/* It is what it is where nobody says anything of it. */
gboolean input_is_default(const InputConfig *input);

/* Before anything else is added to @graph but layers: the stages of @batch
 * samples, of a layer of their own. */
G_GNUC_WARN_UNUSED_RESULT
gboolean input_add(const InputConfig *input, OpGraph *graph, uint64_t batch,
                   InputOps *ret, GError **error);
/* @op waits for the samples that are for @back iterations later. */
void input_feed(const InputOps *ops, OpGraph *graph, uint32_t op,
                uint32_t back);
/* After everything else was added: what the stages wait for. */
void input_bound(const InputConfig *input, const InputOps *ops, OpGraph *graph);

#endif
