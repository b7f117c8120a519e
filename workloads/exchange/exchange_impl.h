/*
 * exchange_impl.h - declarations that the kinds of exchanges share
 *
 * The header is private to exchange_kinds.c and the kinds.  It declares
 * functions that merge tensors or add the collective of a tensor, and the
 * configuration keys that several kinds have.
 *
 * Units    as exchange.h
 */
#ifndef WORKLOADS_EXCHANGE_EXCHANGE_IMPL_H
#define WORKLOADS_EXCHANGE_EXCHANGE_IMPL_H

#include "workloads/exchange/exchange.h"

#define EXCHANGE_MAX_OPS 200000 /* keeps a graph below 100 MB of memory */

/* The key of the member @Struct.common.compression. */
#define EXCHANGE_COMPRESSION_FIELD(Struct)                                     \
    {                                                                          \
        .key = "compression", .help = "of gradients, by what it costs",        \
        .source = "assumed", .type = CONFIG_KIND,                              \
        .offset = offsetof(Struct, common.compression),                        \
        .registry = &compression_registry, .fallback = "{kind: none}"          \
    }

/* The key of the member @Struct.common.sparse. */
#define EXCHANGE_SPARSE_FIELD(Struct)                                          \
    {                                                                          \
        .key = "sparse",                                                       \
        .help = "gradients of embeddings: dense, as large as the tables, or "  \
                "gather, the rows that samples touch, by all from all",        \
        .source = "assumed: as with Horovod's sparse_as_dense",                \
        .type = CONFIG_ENUM, .offset = offsetof(Struct, common.sparse),        \
        .names = exchange_sparse_names, .fallback = "dense"                    \
    }

extern const char *const exchange_sparse_names[];

/* The key for the number of messages of a lane in flight. */
#define EXCHANGE_AT_A_TIME_FIELD(Struct)                                       \
    {                                                                          \
        .key = "at_a_time", .help = "messages in flight; 0: any number",       \
        .source = "assumed: libraries have one stream or thread",              \
        .type = CONFIG_COUNT, .offset = offsetof(Struct, at_a_time),           \
        .max = 1000000, .fallback = "1"                                        \
    }

/* The key for the time that a message needs before it begins. */
#define EXCHANGE_NEGOTIATION_FIELD(Struct, Help)                               \
    {                                                                          \
        .key = "negotiation", .help = (Help), .source = "assumed",             \
        .type = CONFIG_TIME, .offset = offsetof(Struct, negotiation_ps),       \
        .max = UINT64_C(1000000000000), .fallback = "0 us"                     \
    }

/* The key for the bandwidth at which several tensors are copied into one
 * buffer. */
#define EXCHANGE_COPY_FIELD(Struct)                                            \
    {                                                                          \
        .key = "copy",                                                         \
        .help = "into one buffer, and out of it, of several tensors; 0 GB/s: " \
                "for nothing",                                                 \
        .source = "assumed", .type = CONFIG_BANDWIDTH,                         \
        .offset = offsetof(Struct, copy_bytes_per_s),                          \
        .max = UINT64_C(1000000000000000), .fallback = "0 GB/s"                \
    }

/* The key for the number of tensors in each group, given in place of
 * @Instead. */
#define EXCHANGE_PLAN_FIELD(Struct, Instead)                                   \
    {                                                                          \
        .key = "groups",                                                       \
        .help = "how many tensors go together, as they get ready, in place "   \
                "of " Instead,                                                 \
        .source = "none", .type = CONFIG_LIST,                                 \
        .offset = offsetof(Struct, groups), .max = 100000,                     \
        .item = &exchange_group_item, .item_size = sizeof(uint64_t),           \
        .fallback = "[]"                                                       \
    }

extern const ConfigField exchange_group_item;

/* Parameters of the kinds `single` and `layer`.  The kind `layer` has only the
 * common keys, and becomes `single` if nothing overlaps. */
typedef struct {
    ExchangeCommon common;
    uint64_t copy_bytes_per_s;
} ExchangeOneParams;

/* Returns tensors @first to @first + @n - 1 as one tensor.  It is ready with
 * the last of them, needed with the first that is needed, and has the largest
 * priority.  If they are of several layers, a layer is added for it. */
ExchangeTensor exchange_merge_tensors(const ExchangeRequest *request,
                                      guint first, guint n);

/* Adds the collective that sums @tensor, with its dependencies on both sides.
 * Returns its index. */
uint32_t exchange_add_tensor(const ConfigVariant *exchange,
                             const ExchangeRequest *request,
                             const ExchangeTensor *tensor);

/* Adds @lane to the graph, named "gradients".  Returns its index. */
uint32_t exchange_add_lane(const ExchangeRequest *request, const OpLane *lane);

/* Notes that operation @op sends several tensors, which are copied into one
 * buffer. */
void exchange_mark_op_as_packed(const ExchangeRequest *request, uint32_t op);

/* Converts @groups, the numbers of tensors (uint64_t) that the user gives, to a
 * plan: an array of uint32_t, owned by the caller.  Returns NULL with @error
 * set if their sum is not the number of tensors. */
GArray *exchange_plan_from_group_sizes(const ConfigVariant *exchange,
                                       const ExchangeRequest *request,
                                       const ConfigList *groups,
                                       GError **error);

/* Adds a collective on @lane for each group of @plan.  The counts of @plan must
 * add up to the number of tensors. */
void exchange_add_plan_of_groups(const ConfigVariant *exchange,
                                 const ExchangeRequest *request,
                                 const GArray *plan, const OpLane *lane);

/* Returns whether @tensor is sent as rows. */
gboolean exchange_sends_tensor_as_rows(const ConfigVariant *exchange,
                                       const ExchangeTensor *tensor);

/* Adds the tensors that are sent as rows, and calls the kind's .add for the
 * others.  At least one tensor must be sent as rows. */
gboolean exchange_add_with_rows(const ConfigVariant *exchange,
                                const ExchangeRequest *request, GError **error);

/* Returns the size of @n_values without compression. */
uint64_t exchange_message_bytes(const ExchangeRequest *request,
                                uint64_t n_values);

#endif
