/*
 * parameter_server.c - sends gradients to servers, and weights back
 *
 * Some NPUs of the platform are servers: they have no forward and no backward
 * pass, and hold the weights (servers/placement.h).  All other NPUs are
 * workers.  They push each gradient to its server as soon as it is ready.  The
 * server adds the gradients of all workers, and may update the weights.
 * Workers pull the result before the next iteration needs it.  Asynchronous
 * workers are in servers/asynchronous.c, all others in servers/synchronous.c.
 *
 * Cost     on a switch with n workers, each server receives n times the bytes
 *          that it holds and sends as many; each worker sends and receives all
 *          bytes once
 * Sources  [TFSERVERS], [BYTEPS]
 */
#include "workloads/exchange/servers/servers.h"

#include "workloads/exchange/compression.h"

static const char *const local_names[] = { "none", "reduce", NULL };
static const char *const push_names[] = { "ready", "step", "buffer", NULL };
static const char *const pull_names[] = { "ready", "step", NULL };
static const char *const order_names[] = { "ready", "priority", NULL };

#define MAX_IDS UINT64_C(16777216) /* largest number of NPUs in a topology */

static const ConfigField id_item = {
    .key = "id",
    .help = "of an NPU",
    .type = CONFIG_COUNT,
    .max = MAX_IDS - 1,
};

#define OFFSET(member) .offset = offsetof(ServerRanks, member)

static const ConfigField ranks_fields[] = {
    { .key = "size",
      .help = "NPUs with id / stride mod size = at; auto: not by stride",
      .source = "assumed: as they are listed",
      .type = CONFIG_COUNT,
      OFFSET(size),
      .min = 1,
      .max = MAX_IDS,
      .may_be_auto = TRUE,
      .fallback = "auto" },
    { .key = "at",
      .help = "id / stride mod size",
      .source = "assumed: the first",
      .type = CONFIG_COUNT,
      OFFSET(remainder),
      .max = MAX_IDS - 1,
      .fallback = "0" },
    { .key = "stride",
      .help = "consecutive NPUs of one kind",
      .source = "assumed: each alone",
      .type = CONFIG_COUNT,
      OFFSET(stride),
      .min = 1,
      .max = 256,
      .fallback = "1" },
    { .key = "list",
      .help = "these NPUs",
      .source = "assumed: by size",
      .type = CONFIG_LIST,
      OFFSET(list),
      .max = OP_MAX_ROLES,
      .item = &id_item,
      .item_size = sizeof(uint64_t),
      .fallback = "[]" },
    CONFIG_END,
};

#undef OFFSET
#define OFFSET(member) .offset = offsetof(ParameterServerParams, member)

static const ConfigField parameter_server_fields[] = {
    EXCHANGE_COMPRESSION_FIELD(ParameterServerParams),
    { .key = "servers",
      .help = "which NPUs are; all others are workers",
      .type = CONFIG_SECTION,
      OFFSET(servers),
      .fields = ranks_fields,
      .node_offset = offsetof(ParameterServerParams, servers.node) },
    { .key = "placement",
      .help = "the server of each tensor: whole tensors by load (the largest "
              "first, or in order) or in turn; or pieces by a hash or by load",
      .source = "assumed: as evenly as whole tensors go",
      .type = CONFIG_ENUM,
      OFFSET(placement),
      .names = placement_names,
      .fallback = "greedy" },
    { .key = "partition",
      .help = "the most in a piece, where tensors are cut",
      .source = "BYTEPS",
      .type = CONFIG_BYTES,
      OFFSET(partition_bytes),
      .min = 1,
      .max = UINT64_C(1) << 50,
      .fallback = "4096000 B" },
    { .key = "local",
      .help = "reduce: in each machine first, to its workers in turn, which "
              "push, pull and broadcast",
      .source = "assumed: each worker alone",
      .type = CONFIG_ENUM,
      OFFSET(local),
      .names = local_names,
      .fallback = "none" },
    { .key = "machine",
      .help = "NPUs of one, its server with them; auto: size x stride of the "
              "servers",
      .source = "assumed: one server a machine",
      .type = CONFIG_COUNT,
      OFFSET(machine),
      .min = 1,
      .max = MAX_IDS,
      .may_be_auto = TRUE,
      .fallback = "auto" },
    { .key = "push",
      .help = "ready: each tensor when it is ready; step: when "
              "back-propagation has ended; buffer: then, all as one message",
      .source = "assumed",
      .type = CONFIG_ENUM,
      OFFSET(push),
      .names = push_names,
      .fallback = "ready" },
    { .key = "pull",
      .help = "ready: when the server has the sum; step: when the iteration's "
              "kernels are done and the server has all its sums",
      .source = "assumed",
      .type = CONFIG_ENUM,
      OFFSET(pull),
      .names = pull_names,
      .fallback = "ready" },
    { .key = "update",
      .help = "at which servers update weights; 0: they only add, and workers "
              "update",
      .source = "assumed",
      .type = CONFIG_BANDWIDTH,
      OFFSET(update_bytes_per_s),
      .max = UINT64_C(1000000000000000),
      .fallback = "0 GB/s" },
    { .key = "asynchronous",
      .help = "each worker alone, without waiting for the others",
      .source = "assumed",
      .type = CONFIG_BOOL,
      OFFSET(asynchronous),
      .fallback = "false" },
    { .key = "stale",
      .help = "iterations that the slowest may be behind where workers are "
              "asynchronous; 1000000: any number",
      .source = "assumed: none",
      .type = CONFIG_COUNT,
      OFFSET(stale),
      .max = STALE_ANY,
      .fallback = "0" },
    { .key = "order",
      .help = "order of waiting messages: as they become ready, or the one "
              "needed first",
      .source = "assumed",
      .type = CONFIG_ENUM,
      OFFSET(order),
      .names = order_names,
      .fallback = "ready" },
    { .key = "at_a_time",
      .help = "pushes in flight, and pulls; 0: any number",
      .source = "assumed: a connection a server",
      .type = CONFIG_COUNT,
      OFFSET(at_a_time),
      .max = 1000000,
      .fallback = "0" },
    { .key = "credit",
      .help = "bytes of pushes in flight, and of pulls; 0: any number",
      .source = "assumed",
      .type = CONFIG_BYTES,
      OFFSET(credit_bytes),
      .max = UINT64_C(1) << 50,
      .fallback = "0 B" },
    CONFIG_END,
};

#undef OFFSET

/* Sets @ret to the bytes that are sent for @tensor.  Returns FALSE with @error
 * set if a server cannot add the compressed gradients: if their collective is
 * no all-reduce. */
static gboolean bytes_sent_for_tensor(const Servers *servers,
                                      const ExchangeTensor *tensor,
                                      uint64_t *ret, GError **error)
{
    const ConfigVariant *compression = &servers->params->common.compression;
    const CompressionInput input = { .n_values = tensor->n_values,
                                     .value_bytes =
                                         servers->request->value_bytes,
                                     .n_npus = servers->n_workers };
    CompressionMessage message =
        compression_ops(compression)->message(compression->params, &input);

    *ret = message.payload_bytes;
    return message.kind == COLL_ALL_REDUCE ||
           parameter_servers_set_error(
               compression->node, error,
               g_strdup_printf("compression: servers add whole "
                               "tensors, and '%s' leaves none",
                               compression->kind->name));
}

static gboolean place_tensors_on_servers(Servers *servers, GError **error)
{
    g_autofree uint64_t *bytes = g_new(uint64_t, servers->request->n_tensors);
    const PlacementTask task = { .bytes = bytes,
                                 .n = servers->request->n_tensors,
                                 .n_servers = servers->n_servers,
                                 .partition_bytes =
                                     servers->params->partition_bytes };

    for (guint i = 0; i < task.n; i++)
        if (!bytes_sent_for_tensor(servers, &servers->request->tensors[i],
                                   &bytes[i], error))
            return FALSE;
    if (!parameter_servers_check_parts(
            servers, placement_count_parts(servers->params->placement, &task),
            error))
        return FALSE;
    servers->parts = placement_place_tensors(servers->params->placement, &task);
    return TRUE;
}

static gboolean exchange_add_parameter_servers(const ConfigVariant *exchange,
                                               const ExchangeRequest *request,
                                               GError **error)
{
    const ParameterServerParams *params = exchange->params;
    ExchangeTensor merged;
    ExchangeRequest given = *request;
    g_auto(Servers) servers = { .exchange = exchange,
                                .params = params,
                                .request = &given,
                                .graph = request->graph };

    if (params->push == PUSH_BUFFER) {
        merged = exchange_merge_tensors(request, 0, request->n_tensors);
        given.tensors = &merged;
        given.n_tensors = 1;
    }
    if (!parameter_servers_find_ranks(&servers, error) ||
        !place_tensors_on_servers(&servers, error) ||
        !parameter_servers_check(&servers, error))
        return FALSE;
    parameter_servers_add_roles(&servers);
    if (servers.params->asynchronous)
        parameter_servers_add_asynchronous(&servers);
    else
        parameter_servers_add_synchronous(&servers);
    return TRUE;
}

const ExchangeOps exchange_parameter_server = {
    .base = { .name = "parameter-server",
              .summary = "gradients to servers and weights back, n payloads "
                         "over a server's link each way",
              .fields = parameter_server_fields,
              .size = sizeof(ParameterServerParams) },
    .add = exchange_add_parameter_servers,
};
