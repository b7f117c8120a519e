/*
 * exchange.h - turns gradients into collectives
 *
 * Back-propagation produces gradient tensors, one after the other.  An exchange
 * defines the messages in which they are summed over all NPUs: one per tensor,
 * one for all, groups merged by a plan, or partitions.  It also defines their
 * order, if it has a lane (collective_lane.h).  One kind is one file in this
 * folder and one line in the table of exchange_kinds.c.
 *
 * A loop collects the tensors, and asks for the operations at the end of
 * back-propagation.  A kind adds operations and two dependencies for each
 * tensor.  A message waits for .ready, so that nothing is sent before it
 * exists.  The operation .needed waits for the message with the sum, an
 * iteration later.  Kernels of the loop run in the order of the graph.  So if
 * several kernels need sums, only the first of them has to wait.
 *
 * Compression (compression.h) changes the messages of every kind.  The loop
 * adds its kernels, before .ready and from .needed on.
 *
 * The kind `sharded` divides values among the ranks and makes the optimiser's
 * step behind all gradients (sharding/sharding.h).  The loop then leaves out
 * its steps by layer.
 *
 * A sparse tensor is the gradient of an embedding.  It is sent dense like the
 * others, or as rows that all NPUs gather (sparse_rows.c), as `sparse` says. If
 * it is sent as rows, the kind gets only the other tensors.
 *
 * Units    bytes, values
 * Errors   CONFIG_ERROR at the exchange
 * Owner    tensors belong to the loop, and are borrowed while .add runs
 */
#ifndef WORKLOADS_EXCHANGE_EXCHANGE_H
#define WORKLOADS_EXCHANGE_EXCHANGE_H

#include "sim/config/config.h"
#include "workloads/exchange/compression.h"
#include "workloads/machine_facts.h"
#include "workloads/sharding/graph_shards.h"

typedef struct {
    uint64_t n_values;   /* at least one */
    uint64_t n_rows;     /* rows that an NPU's batch touches; 0: the tensor is
                          * not sparse */
    uint64_t row_values; /* values of a row */
    uint32_t layer;      /* index in the graph */
    uint32_t ready;      /* operation that produces the gradient */
    uint32_t needed;     /* operation of the next iteration that first needs the
                          * sum; with `synchronise: step` the first of all
                          * operations */
    uint32_t priority;   /* a tensor of larger priority is needed earlier */
} ExchangeTensor;

typedef struct {
    OpGraph *graph;                /* operations are added to it */
    const ExchangeTensor *tensors; /* in the order in which they are ready */
    guint n_tensors;               /* at least one */
    uint32_t first; /* operation of the next iteration that waits for a single
                     * message */
    uint32_t last;  /* last operation of back-propagation */
    uint64_t value_bytes;     /* bytes of a gradient's value without
                               * compression */
    const WorkloadSite *site; /* NULL: there is no platform */
    GraphShards *shards;      /* borrowed: of the loop; NULL: .shard is NULL */
} ExchangeRequest;

typedef struct {
    ConfigKind base;
    /* TRUE: .add is called for the tensors of each layer when they are ready,
     * and does not fail.  FALSE: it is called once, for the tensors of all
     * layers. */
    gboolean by_layer;
    gboolean at_end; /* no message begins before back-propagation has ended */
    /* Returns the sharding, which makes the optimiser's step.  NULL: each NPU
     * has all weights, and the loop makes the step. */
    const ConfigVariant *(*shard)(const ConfigVariant *exchange);
    gboolean (*add)(const ConfigVariant *exchange,
                    const ExchangeRequest *request, GError **error);
} ExchangeOps;

static inline const ExchangeOps *exchange_ops(const ConfigVariant *exchange)
{
    return (const ExchangeOps *)exchange->kind;
}

extern const ConfigRegistry exchange_registry;

/* How sparse tensors are sent: like the others, or as rows. */
typedef enum { EXCHANGE_DENSE, EXCHANGE_GATHER } ExchangeSparse;

/* The first member of each kind's params struct. */
typedef struct {
    ConfigVariant compression; /* none if the kind does not have the key */
    int sparse; /* ExchangeSparse; dense if the kind does not have the key */
} ExchangeCommon;

/* Returns whether @exchange is the default.  A workload without gradients may
 * have no other. */
gboolean exchange_is_default(const ConfigVariant *exchange);

/* Sets @ret to the exchange for `overlap: false`, which sends one message.
 * Returns FALSE with @error set if @exchange has another kind than the default
 * or `single`. */
G_GNUC_WARN_UNUSED_RESULT
gboolean exchange_without_overlap(const ConfigVariant *exchange,
                                  ConfigVariant *ret, GError **error);

/* Set @ret to the kernels of a layer with @n_tensors tensors, of
 * @input->n_values values together: before its gradient is sent, and after the
 * sum has arrived.  Return FALSE if there are none. */
gboolean exchange_compression_work(const ConfigVariant *exchange,
                                   const CompressionInput *input,
                                   uint64_t n_tensors, OpWork *ret);
gboolean exchange_decompression_work(const ConfigVariant *exchange,
                                     const CompressionInput *input,
                                     uint64_t n_tensors, OpWork *ret);

/* Sets @ret to the kernel that adds up the gathered rows: @n_rows from each of
 * @n_npus, of @n_values values each.  Returns FALSE if rows are not
 * gathered. */
gboolean exchange_row_sum_work(const ConfigVariant *exchange,
                               uint64_t value_bytes, uint64_t n_rows,
                               uint64_t n_values, uint32_t n_npus, OpWork *ret);

/* Returns FALSE with @error set if the compression cannot be used with values
 * of @value_bytes.  Does not depend on the tensors. */
G_GNUC_WARN_UNUSED_RESULT
gboolean exchange_check(const ConfigVariant *exchange, uint64_t value_bytes,
                        GError **error);

/* Adds the operations that send the tensors of @request: those of one layer if
 * the kind is .by_layer, else those of all layers. */
G_GNUC_WARN_UNUSED_RESULT
gboolean exchange_add_to_graph(const ConfigVariant *exchange,
                               const ExchangeRequest *request, GError **error);

#endif
