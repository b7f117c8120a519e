/*
 * exchange.h - what stands between gradients and collectives
 *
 * Back-propagation leaves tensors, one after the other.  An exchange says as
 * what they are summed over all NPUs: each by itself, all as one, merged by a
 * plan, cut into partitions; and in which order that goes, where it has a lane
 * of its own (lane.h).  One kind is one file in this folder and one line in the
 * table of exchange.c.
 *
 * A loop collects the tensors and asks for the operations when it has come to
 * the end of back-propagation.  A kind adds operations and dependencies: on
 * .ready, so that nothing is sent before it is there, and of .needed on what
 * brings the sum, an iteration later.  Kernels of the loop run in the order of
 * the table, so what waits for several sums needs to be held back where the
 * first of it stands only.
 *
 * Compression (compression.h) changes what is sent, whatever the kind; its
 * kernels are the loop's, before .ready and from .needed on.
 *
 * A sparse tensor, an embedding's, goes dense like the others, or as rows that
 * all gather (rows.c), as `sparse` says; a kind then gets the others alone.
 *
 * Units    bytes, values
 * Errors   CONFIG_ERROR at the exchange
 * Owner    tensors are the loop's, for as long as .add runs
 */
#ifndef WORKLOADS_EXCHANGE_EXCHANGE_H
#define WORKLOADS_EXCHANGE_EXCHANGE_H

#include "sim/config/config.h"
#include "workloads/exchange/compression.h"
#include "workloads/site.h"

typedef struct {
    uint64_t n_values;   /* at least one */
    uint64_t n_rows;     /* that an NPU's batch touches; 0: it is not sparse */
    uint64_t row_values; /* values of a row */
    uint32_t layer;      /* of the graph */
    uint32_t ready;      /* operation, after which the gradient is there */
    uint32_t needed;   /* operation, the first of the next iteration that needs
                        * the sum: under `synchronise: step` its first of all */
    uint32_t priority; /* the larger is needed earlier */
} ExchangeTensor;

typedef struct {
    OpGraph *graph;                /* to which operations are added */
    const ExchangeTensor *tensors; /* in the order in which they are ready */
    guint n_tensors;               /* at least one */
    uint32_t first; /* operation of the next iteration that waits where one
                     * message brings all */
    uint32_t last;  /* operation with which back-propagation ends */
    uint64_t value_bytes;     /* of a gradient's value, not compressed */
    const WorkloadSite *site; /* NULL: there is none */
} ExchangeRequest;

typedef struct {
    ConfigKind base;
    /* .add is called for the tensors of each layer as they get ready, and does
     * not fail; else once, for those of all. */
    gboolean by_layer;
    gboolean at_end; /* nothing goes before back-propagation has ended */
    gboolean (*add)(const ConfigVariant *exchange,
                    const ExchangeRequest *request, GError **error);
} ExchangeOps;

static inline const ExchangeOps *exchange_ops(const ConfigVariant *exchange)
{
    return (const ExchangeOps *)exchange->kind;
}

extern const ConfigRegistry exchange_registry;

/* What becomes of sparse tensors: they are sent like the others, or as rows. */
typedef enum { EXCHANGE_DENSE, EXCHANGE_GATHER } ExchangeSparse;

/* The first member of each kind's params struct. */
typedef struct {
    ConfigVariant compression;
    int sparse; /* ExchangeSparse; of a kind without that row dense */
} ExchangeCommon;

/* Whether it is the default, which a workload without gradients may have. */
gboolean exchange_is_default(const ConfigVariant *exchange);

/* What `overlap: false` makes of @exchange, which has to be the default but for
 * its compression: one message.  FALSE: it is another. */
G_GNUC_WARN_UNUSED_RESULT
gboolean exchange_without_overlap(const ConfigVariant *exchange,
                                  ConfigVariant *ret, GError **error);

/* The kernels of a layer with @n_tensors of @n_values together, before its
 * gradient is sent and after the sum has come; FALSE: there is none. */
gboolean exchange_pack(const ConfigVariant *exchange,
                       const CompressionInput *input, uint64_t n_tensors,
                       OpWork *ret);
gboolean exchange_unpack(const ConfigVariant *exchange,
                         const CompressionInput *input, uint64_t n_tensors,
                         OpWork *ret);

/* The kernel that adds up the rows that came of @n_values values each, @n_rows
 * from each of @n_npus; FALSE: there is none. */
gboolean exchange_sum_rows(const ConfigVariant *exchange, uint64_t value_bytes,
                           uint64_t n_rows, uint64_t n_values, uint32_t n_npus,
                           OpWork *ret);

/* What can be said before there is a tensor. */
G_GNUC_WARN_UNUSED_RESULT
gboolean exchange_check(const ConfigVariant *exchange, uint64_t value_bytes,
                        GError **error);

/* Adds the operations; of a kind .by_layer for the tensors of one layer. */
G_GNUC_WARN_UNUSED_RESULT
gboolean exchange_add(const ConfigVariant *exchange,
                      const ExchangeRequest *request, GError **error);

#endif
