/*
 * wrong_unit.c - durations in another unit than that of the file
 *
 * A converter writes ns into a field of us (astra-sim, issue 207), so that all
 * durations are a thousand times too long.  The work of a device stream then
 * exceeds the time of the recording.  Without begins, a kernel of a plan that
 * takes a minute is a fault.
 *
 * Nodes of a stream run one after the other.  The fault is reported if the work
 * exceeds the time by a factor of a hundred, which is far below a thousand and
 * far above other deviations.
 */
#include "workloads/recording/lint_impl.h"

/* Largest plausible ratio of the sum of durations to the time that
 * they span. */
#define MAX_RATIO 100.0
#define MINUTE_PS (UINT64_C(60) * 1000000000000)

typedef struct {
    double sum_ps;
    int64_t first_ps, last_ps; /* begins of the first and the last node */
    uint32_t n, longest;
} Stream;

static void add_node_to_stream(Stream *stream, const RecordRank *rank,
                               uint32_t i)
{
    const RecordNode *node = record_node(rank, i);

    if (stream->n == 0)
        stream->first_ps = node->begin_ps;
    if (stream->n == 0 ||
        record_node(rank, stream->longest)->duration_ps < node->duration_ps)
        stream->longest = i;
    stream->last_ps = node->begin_ps;
    stream->sum_ps += (double)node->duration_ps;
    stream->n++;
}

/* Checks the nodes of one stream.  The end of the last node may be wrong, so
 * only begins are used. */
static void check_stream_duration(Lint *lint, guint rank_index,
                                  const Stream *stream)
{
    double span_ps = (double)stream->last_ps - (double)stream->first_ps;

    if (stream->n > 2 && span_ps > 0 && stream->sum_ps > MAX_RATIO * span_ps)
        lint_add_fault(
            lint, rank_index, stream->longest,
            "is on a stream of which %u nodes take %.3f ms and begin within "
            "%.3f ms",
            stream->n, stream->sum_ps / 1e9, span_ps / 1e9);
}

static void find_wrong_units_of_rank(Lint *lint, guint rank_index)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    const GArray *device = lint->ranks[rank_index].device;
    uint32_t stream = RECORD_NONE;
    Stream s = { 0 };

    for (guint i = 0; i < device->len; i++) {
        uint32_t k = g_array_index(device, uint32_t, i);

        if (record_node(rank, k)->stream != stream) {
            check_stream_duration(lint, rank_index, &s);
            s = (Stream){ 0 };
            stream = record_node(rank, k)->stream;
        }
        add_node_to_stream(&s, rank, k);
    }
    check_stream_duration(lint, rank_index, &s);
}

static void find_wrong_unit_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);

        find_wrong_units_of_rank(lint, r);
        for (uint32_t i = 0; i < rank->nodes->len; i++)
            if (record_node(rank, i)->kind == RECORD_KERNEL &&
                record_node(rank, i)->duration_ps > MINUTE_PS)
                lint_add_fault(lint, r, i, "is a kernel of %.0f s",
                               (double)record_node(rank, i)->duration_ps /
                                   1e12);
    }
}

const FaultKind fault_wrong_unit = {
    .base = { .name = "wrong-unit",
              .summary = "durations are too long for the time that there was" },
    .severity = FAULT_ERROR,
    .import = "takes them as they are: say the unit, or mend the file",
    .find_faults = find_wrong_unit_faults,
};
