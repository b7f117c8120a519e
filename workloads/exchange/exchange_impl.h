/*
 * exchange_impl.h - for exchange.c and the kinds of exchanges only
 *
 * What the kinds share: tensors that become one, the collective of one, and the
 * rows that all of them have.
 *
 * Units    as exchange.h
 */
#ifndef WORKLOADS_EXCHANGE_EXCHANGE_IMPL_H
#define WORKLOADS_EXCHANGE_EXCHANGE_IMPL_H

#include "workloads/exchange/exchange.h"

#define EXCHANGE_MAX_OPS 200000 /* keeps a graph below 100 MB */

/* The row of ExchangeCommon; @Struct.common is it. */
#define EXCHANGE_COMPRESSION_FIELD(Struct)                                     \
    {                                                                          \
        .key = "compression", .help = "of gradients, by what it costs",        \
        .source = "assumed", .type = CONFIG_KIND,                              \
        .offset = offsetof(Struct, common.compression),                        \
        .registry = &compression_registry, .fallback = "{kind: none}"          \
    }

/* What becomes of sparse tensors; @Struct.common has it. */
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

/* How many messages of a lane are under way. */
#define EXCHANGE_AT_A_TIME_FIELD(Struct)                                       \
    {                                                                          \
        .key = "at_a_time", .help = "messages under way; 0: any number",       \
        .source = "assumed: libraries have one stream or thread",              \
        .type = CONFIG_COUNT, .offset = offsetof(Struct, at_a_time),           \
        .max = 1000000, .fallback = "1"                                        \
    }

/* What a message costs before it begins, one at a time or not. */
#define EXCHANGE_NEGOTIATION_FIELD(Struct, Help)                               \
    {                                                                          \
        .key = "negotiation", .help = (Help), .source = "assumed",             \
        .type = CONFIG_TIME, .offset = offsetof(Struct, negotiation_ps),       \
        .max = UINT64_C(1000000000000), .fallback = "0 us"                     \
    }

/* What several tensors that go as one cost on the way into one buffer. */
#define EXCHANGE_COPY_FIELD(Struct)                                            \
    {                                                                          \
        .key = "copy",                                                         \
        .help = "into one buffer, and out of it, of several tensors; 0 GB/s: " \
                "for nothing",                                                 \
        .source = "assumed", .type = CONFIG_BANDWIDTH,                         \
        .offset = offsetof(Struct, copy_bytes_per_s),                          \
        .max = UINT64_C(1000000000000000), .fallback = "0 GB/s"                \
    }

/* How many tensors go together, where that is given in place of @Instead. */
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

/* Of one message for all; and of one a layer, which has nothing but what all
 * have, and becomes the other where nothing overlaps. */
typedef struct {
    ExchangeCommon common;
    uint64_t copy_bytes_per_s;
} ExchangeOneParams;

/* Tensors @first to @first + @n - 1 as one: ready with the last of them, needed
 * with the first that is, and as urgent as the most urgent.  Of several layers
 * it belongs to one of its own, which is added. */
ExchangeTensor exchange_merge(const ExchangeRequest *request, guint first,
                              guint n);

/* Adds the collective that sums @tensor, with what it waits for and what waits
 * for it.  Returns its index. */
uint32_t exchange_add_tensor(const ConfigVariant *exchange,
                             const ExchangeRequest *request,
                             const ExchangeTensor *tensor);

/* Adds @lane by the name that the lanes of all kinds have. */
uint32_t exchange_add_lane(const ExchangeRequest *request, const OpLane *lane);

/* Operation @op is of several tensors, which are copied into one buffer. */
void exchange_set_packed(const ExchangeRequest *request, uint32_t op);

/* @groups, counts of uint64_t, as a plan: counts of uint32_t, for the caller to
 * free.  NULL: they are not those of the tensors. */
GArray *exchange_given_plan(const ConfigVariant *exchange,
                            const ExchangeRequest *request,
                            const ConfigList *groups, GError **error);

/* Adds a collective for each group of @plan, whose counts are those of all
 * tensors, on @lane. */
void exchange_add_plan(const ConfigVariant *exchange,
                       const ExchangeRequest *request, const GArray *plan,
                       const OpLane *lane);

/* Whether @tensor goes as rows. */
gboolean exchange_is_rows(const ConfigVariant *exchange,
                          const ExchangeTensor *tensor);

/* The kind's .add for the tensors that are dense, and those that are not as
 * rows.  One at least is. */
gboolean exchange_add_with_rows(const ConfigVariant *exchange,
                                const ExchangeRequest *request, GError **error);

/* What @n_values are before compression. */
uint64_t exchange_bytes(const ExchangeRequest *request, uint64_t n_values);

#endif
