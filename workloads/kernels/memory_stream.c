/*
 * memory_stream.c - a kernel that moves bytes, such as a copy, a triad or a
 * reduction
 *
 * The kernel reads and writes a number of bytes, each once, with some
 * arithmetic.  A reduction of one array only reads.  The bytes in flight per
 * SM, which determine the bandwidth of a few SMs, depend on the code and the
 * launch.
 */
#include "workloads/kernel_impl.h"

typedef struct {
    KernelCommon common;
    uint64_t read_bytes, written_bytes, flop, in_flight_bytes, n_launches;
    gboolean is_persistent;
} StreamParams;

#define STREAM_MAX (UINT64_C(1) << 50)

static const ConfigField stream_fields[] = {
    KERNEL_COMMON_FIELDS(StreamParams),
    { .key = "read",
      .help = "bytes that it reads from memory",
      .type = CONFIG_BYTES,
      .offset = offsetof(StreamParams, read_bytes),
      .max = STREAM_MAX,
      .fallback = "0 B" },
    { .key = "write",
      .help = "bytes that it writes to memory",
      .type = CONFIG_BYTES,
      .offset = offsetof(StreamParams, written_bytes),
      .max = STREAM_MAX,
      .fallback = "0 B" },
    { .key = "flop",
      .help = "floating-point operations",
      .type = CONFIG_COUNT,
      .offset = offsetof(StreamParams, flop),
      .max = UINT64_C(1) << 60,
      .fallback = "0" },
    { .key = "in_flight",
      .help = "bytes in flight on an SM; 0 B: as many as an SM can",
      .type = CONFIG_BYTES,
      .offset = offsetof(StreamParams, in_flight_bytes),
      .max = UINT64_C(1) << 40,
      .fallback = "0 B" },
    { .key = "persistent",
      .help = "blocks stay on their SMs and loop over the data, as those of "
              "collectives do",
      .type = CONFIG_BOOL,
      .offset = offsetof(StreamParams, is_persistent),
      .fallback = "false" },
    LAYER_COUNT_FIELD(StreamParams, n_launches, "launches", "1",
                      "kernels that it takes, one after the other"),
    CONFIG_END,
};

static void stream_list_work(gconstpointer params, OpWork ret[KERNEL_MAX_WORKS])
{
    const StreamParams *stream_params = params;

    ret[0] =
        (OpWork){ .flop = stream_params->flop,
                  .bytes = layer_add_saturating(stream_params->read_bytes,
                                                stream_params->written_bytes),
                  .written_bytes = stream_params->written_bytes,
                  .in_flight_bytes = stream_params->in_flight_bytes,
                  .is_persistent = stream_params->is_persistent ? 1 : 0,
                  .n_kernels = stream_params->n_launches };
}

const KernelOps kernel_stream = {
    .base = { .name = "stream",
              .summary = "moves bytes: a copy, a triad, a reduction",
              .fields = stream_fields,
              .size = sizeof(StreamParams) },
    .works = stream_list_work,
};
