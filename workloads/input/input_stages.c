/* input_stages.c - adds the input stages of a batch, and their
 * prefetch limits */
#include "workloads/input/input_stages.h"

#include <inttypes.h>

#include "workloads/fixed_time_queues.h"

#define PS_PER_S UINT64_C(1000000000000)
/* Longest time of a stage for one batch: one hour. */
#define MAX_PS (UINT64_C(3600) * PS_PER_S)
/* Largest number of bytes per sample. */
#define MAX_BYTES         (UINT64_C(1) << 40)
#define MAX_SAMPLES_PER_S UINT64_C(1000000000)
#define MAX_CORES         4096
#define MAX_DEPTH         1024
#define N_STAGES          (OP_STAGE_COPY + 1) /* number of input stages */
#define DEFAULT_DEPTH     1

typedef unsigned __int128 Wide;

typedef enum {
    PREFETCH_NONE,
    PREFETCH_HOST,
    PREFETCH_DEVICE,
} Prefetch;

static const char *const prefetch_names[] = { "none", "host", "device", NULL };

/* ---- fields ------------------------------------------------------------ */

#define TIME_FIELD(Struct)                                                     \
    {                                                                          \
        .key = "time", .help = "of a batch, regardless of its contents",       \
        .source = "assumed: samples are there", .type = CONFIG_TIME,           \
        .offset = offsetof(Struct, time_ps), .max = MAX_PS, .fallback = "0 ns" \
    }

static const ConfigField move_fields[] = {
    TIME_FIELD(InputMove),
    { .key = "bytes",
      .help = "of a sample",
      .source = "assumed: samples are there",
      .type = CONFIG_BYTES,
      .offset = offsetof(InputMove, bytes),
      .max = MAX_BYTES,
      .fallback = "0 B" },
    { .key = "bandwidth",
      .help = "an NPU's share of what moves them; needed with bytes",
      .source = "assumed: samples are there",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(InputMove, bytes_per_s),
      .max = PS_PER_S,
      .fallback = "0 B/s" },
    CONFIG_END,
};

static const ConfigField decode_fields[] = {
    TIME_FIELD(InputDecode),
    { .key = "cores",
      .help = "that decode for an NPU",
      .source = "assumed",
      .type = CONFIG_COUNT,
      .offset = offsetof(InputDecode, n_cores),
      .min = 1,
      .max = MAX_CORES,
      .fallback = "1" },
    { .key = "samples_per_s",
      .help = "of a core; 0: as many as there are",
      .source = "assumed: samples are there",
      .type = CONFIG_COUNT,
      .offset = offsetof(InputDecode, samples_per_s),
      .max = MAX_SAMPLES_PER_S,
      .fallback = "0" },
    CONFIG_END,
};

const ConfigField input_fields[] = {
    { .key = "read",
      .help = "from storage",
      .source = "assumed: samples are there",
      .type = CONFIG_SECTION,
      .offset = offsetof(InputConfig, read),
      .node_offset = offsetof(InputConfig, read.node),
      .fields = move_fields,
      .fallback = "{}" },
    { .key = "decode",
      .help = "and augment, by cores of the host",
      .source = "assumed: samples are there",
      .type = CONFIG_SECTION,
      .offset = offsetof(InputConfig, decode),
      .node_offset = offsetof(InputConfig, decode.node),
      .fields = decode_fields,
      .fallback = "{}" },
    { .key = "copy",
      .help = "from host to NPU",
      .source = "assumed: samples are there",
      .type = CONFIG_SECTION,
      .offset = offsetof(InputConfig, copy),
      .node_offset = offsetof(InputConfig, copy.node),
      .fields = move_fields,
      .fallback = "{}" },
    { .key = "prefetch",
      .help = "how far batches come while others are trained: none, to the "
              "host, to the device",
      .source = "assumed",
      .type = CONFIG_ENUM,
      .offset = offsetof(InputConfig, prefetch),
      .names = prefetch_names,
      .fallback = "none" },
    { .key = "depth",
      .help = "batches that are ahead with prefetch",
      .source = "assumed",
      .type = CONFIG_COUNT,
      .offset = offsetof(InputConfig, depth),
      .min = 1,
      .max = MAX_DEPTH,
      .fallback = G_STRINGIFY(DEFAULT_DEPTH) },
    CONFIG_END,
};

gboolean input_is_default(const InputConfig *input)
{
    return input->read.time_ps == 0 && input->read.bytes == 0 &&
           input->read.bytes_per_s == 0 && input->decode.time_ps == 0 &&
           input->decode.samples_per_s == 0 && input->decode.n_cores == 1 &&
           input->copy.time_ps == 0 && input->copy.bytes == 0 &&
           input->copy.bytes_per_s == 0 && input->prefetch == PREFETCH_NONE &&
           input->depth == DEFAULT_DEPTH;
}

/* ---- times ------------------------------------------------------------- */

/* Returns the time that @n items take at a rate of @per_s per second, plus
 * @more_ps; cannot overflow. */
static Wide time_of_bytes_at_rate(Wide n, Wide per_s, uint64_t more_ps)
{
    return n == 0 ? more_ps : (n * PS_PER_S + per_s - 1) / per_s + more_ps;
}

/* Returns FALSE if only one of bytes and bandwidth of @move is given. */
static gboolean check_input_move(const InputMove *move, GError **error)
{
    if ((move->bytes == 0) == (move->bytes_per_s == 0))
        return TRUE;
    config_set_error(error, move->node, CONFIG_ERROR_CONFLICT,
                     move->bytes == 0
                         ? "bandwidth: there is nothing to move; give 'bytes' "
                           "of a sample"
                         : "bytes: give the 'bandwidth' that moves them");
    return FALSE;
}

static gboolean check_input_config(const InputConfig *input, GError **error)
{
    if (!check_input_move(&input->read, error) ||
        !check_input_move(&input->copy, error))
        return FALSE;
    if (input->decode.n_cores > 1 && input->decode.samples_per_s == 0) {
        config_set_error(error, input->decode.node, CONFIG_ERROR_CONFLICT,
                         "cores: give 'samples_per_s' of one");
        return FALSE;
    }
    if (input->prefetch == PREFETCH_NONE && input->depth != DEFAULT_DEPTH) {
        config_set_error(error, input->node, CONFIG_ERROR_CONFLICT,
                         "depth: nothing runs ahead without 'prefetch'");
        return FALSE;
    }
    return TRUE;
}

/* Sets @ret_ps to the time of each stage for a batch, by the formulas of
 * input_stages.h; 0 for a stage that takes no time. Returns FALSE if one takes
 * more than an hour. */
static gboolean compute_stage_times(const InputConfig *input, uint64_t batch,
                                    uint64_t ret_ps[N_STAGES], GError **error)
{
    const InputMove *read = &input->read, *copy = &input->copy;
    const InputDecode *decode = &input->decode;
    const ConfigNode *const nodes[N_STAGES] = {
        [OP_STAGE_READ] = read->node,
        [OP_STAGE_DECODE] = decode->node,
        [OP_STAGE_COPY] = copy->node,
    };
    const Wide times[N_STAGES] = {
        [OP_STAGE_READ] = time_of_bytes_at_rate(
            (Wide)batch * read->bytes, read->bytes_per_s, read->time_ps),
        [OP_STAGE_DECODE] = time_of_bytes_at_rate(
            decode->samples_per_s == 0 ? 0 : batch,
            (Wide)decode->n_cores * decode->samples_per_s, decode->time_ps),
        [OP_STAGE_COPY] = time_of_bytes_at_rate(
            (Wide)batch * copy->bytes, copy->bytes_per_s, copy->time_ps),
    };

    for (OpStage s = 0; s < N_STAGES; s++) {
        ret_ps[s] = (uint64_t)times[s];
        if (times[s] <= MAX_PS)
            continue;
        config_set_error(error, nodes[s], CONFIG_ERROR_RANGE,
                         "a batch of %" PRIu64 " samples takes longer than an "
                         "hour",
                         batch);
        return FALSE;
    }
    return TRUE;
}

/* ---- operations -------------------------------------------------------- */

gboolean input_add_to_graph(const InputConfig *input, OpGraph *graph,
                            uint64_t batch, InputOps *ret, GError **error)
{
    uint64_t times_ps[N_STAGES];
    uint32_t layer = 0;

    g_assert(graph->ops->len == 0);
    *ret = (InputOps){ 0 };
    if (input_is_default(input))
        return TRUE;
    if (!check_input_config(input, error) ||
        !compute_stage_times(input, batch, times_ps, error))
        return FALSE;
    for (OpStage s = 0; s < N_STAGES; s++) {
        if (times_ps[s] == 0)
            continue;
        if (ret->n == 0)
            layer = op_graph_add_layer(graph, "input");
        ret->ops[ret->n] = op_graph_add_stage(graph, layer, s, times_ps[s]);
        if (ret->n > 0)
            op_graph_add_dep(graph, ret->ops[ret->n], ret->ops[ret->n - 1], 0);
        ret->n++;
    }
    if (ret->n > 0)
        return TRUE;
    config_set_error(error, input->node, CONFIG_ERROR_CONFLICT,
                     "prefetch: no stage takes any time; give 'read', 'decode' "
                     "or 'copy', or leave 'training.input' out");
    return FALSE;
}

void input_add_consumer(const InputOps *ops, OpGraph *graph, uint32_t op,
                        uint32_t back)
{
    if (ops->n > 0)
        op_graph_add_dep(graph, op, ops->ops[ops->n - 1], back);
}

void input_add_prefetch_limits(const InputConfig *input, const InputOps *ops,
                               OpGraph *graph)
{
    uint32_t first, last;
    gboolean copies;

    if (ops->n == 0)
        return;
    first = ops->ops[0];
    last = ops->ops[ops->n - 1];
    copies = op_graph_op(graph, last)->stage == OP_STAGE_COPY;
    if (input->prefetch == PREFETCH_NONE)
        op_graph_add_dep_on_iteration(graph, first, 1, TRUE);
    else if (input->prefetch == PREFETCH_HOST && copies)
        op_graph_add_dep_on_iteration(graph, last, 1, TRUE);
    else
        op_graph_add_dep_on_iteration(graph, last, (uint32_t)input->depth + 1,
                                      FALSE);
    if (input->prefetch != PREFETCH_NONE && first != last)
        op_graph_add_dep(graph, first, last, (uint32_t)input->depth);
}
