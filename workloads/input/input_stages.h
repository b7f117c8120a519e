/*
 * input_stages.h - input of samples: reading from storage, decoding, copying to
 * the NPU
 *
 * Each stage is the NPU's share of a resource of the host.  It processes one
 * batch after the other, in
 *
 *     time + ceil(batch x bytes / bandwidth)               read, copy
 *     time + ceil(batch / (cores x samples_per_s))         decode
 *
 * A stage that takes no time is left out; without any stage, samples are always
 * available.  The stages of a batch run in series, and the forward pass waits
 * for the last one.  `prefetch` determines how far stages run ahead:
 *
 *   none     The first stage waits for the previous iteration: its kernels and
 *            its gradients.  The time of an iteration is
 *            T = read + decode + copy + rest
 *   host     The copy waits for the previous iteration.  read and decode are up
 *            to `depth` batches ahead of it: read(i) waits for copy(i - depth).
 *   device   The copy is ahead, too, by `depth` batches in addition to the
 *            batch that is trained, so it waits for the kernels of iteration
 *            i - depth - 1.
 *            T = max(rest, read, decode, copy, (read + decode + copy) / depth)
 *
 * Without a copy, `host` is the same as `device`.
 *
 * Not modelled: the slowdown of other work by the stages, such as a copy's
 * traffic in the HBM and on PCIe, and hosts with an uneven share per NPU.
 *
 * Units    ps, bytes
 * Errors   CONFIG_ERROR at the node that is wrong
 */
#ifndef WORKLOADS_INPUT_INPUT_STAGES_H
#define WORKLOADS_INPUT_INPUT_STAGES_H

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
    /* How far input runs ahead, a value of enum Prefetch in input_stages.c. */
    int prefetch;
    uint64_t depth;
    const ConfigNode *node;
} InputConfig;

extern const ConfigField input_fields[];

/* Input operations of one batch in a graph, in order. */
typedef struct {
    guint n;
    uint32_t ops[OP_N_STAGES]; /* the first .n entries are used */
} InputOps;

/* Returns whether all values of the section are the default values. */
gboolean input_is_default(const InputConfig *input);

/* Adds the stages of @batch samples in a separate layer.  Must be called before
 * any other operation is added to @graph. */
G_GNUC_WARN_UNUSED_RESULT
gboolean input_add_to_graph(const InputConfig *input, OpGraph *graph,
                            uint64_t batch, InputOps *ret, GError **error);
/* Makes @op wait for the samples that were read for it @back iterations
 * earlier. */
void input_add_consumer(const InputOps *ops, OpGraph *graph, uint32_t op,
                        uint32_t back);
/* Adds the dependencies of the stages.  Must be called after all other
 * operations were added. */
void input_add_prefetch_limits(const InputConfig *input, const InputOps *ops,
                               OpGraph *graph);

#endif
