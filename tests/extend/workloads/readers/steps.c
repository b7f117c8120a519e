/*
 * steps.c - a toy: a reader of lines, each a step that waits for the one before
 *
 *     STEPS
 *     kernel NAME NANOSECONDS
 *     all-reduce NAME BYTES
 *
 * The first step of an iteration waits for the last of the one before.
 */
#include "workloads/readers/reader_impl.h"

#define PS_PER_NS 1000

static gboolean steps_knows(const ReaderFile *file)
{
    ReaderScan scan = { file, .line = 1 };
    ReaderWord word;

    return reader_next(&scan, &word) && reader_is(&word, "STEPS");
}

/* One line, but for its first word.  FALSE: it is wrong. */
static gboolean add_step(ReaderScan *scan, const ReaderWord *kind,
                         const TrainingConfig *training, OpGraph *graph,
                         GError **error)
{
    gboolean is_kernel = reader_is(kind, "kernel");
    g_autofree char *name = NULL;
    uint64_t number = 0;
    ReaderWord word;
    uint32_t layer;

    if (!is_kernel && !reader_is(kind, "all-reduce")) {
        reader_fail(error, scan, kind, "expected 'kernel' or 'all-reduce'");
        return FALSE;
    }
    if (!reader_next_in_line(scan, &word)) {
        reader_fail(error, scan, &word, "a step has a name");
        return FALSE;
    }
    if (!reader_number(scan, is_kernel ? "a time" : "a payload",
                       is_kernel ? READER_MAX_PS / PS_PER_NS : READER_MAX_BYTES,
                       &number, error))
        return FALSE;
    name = g_strndup(word.text, word.n_bytes);
    layer = op_graph_add_layer(graph, name);
    if (is_kernel)
        reader_add_timed(graph, training, layer, OP_FORWARD,
                         MAX(number, 1) * PS_PER_NS);
    else
        op_graph_add_collective(graph, layer, OP_FORWARD, COLL_ALL_REDUCE,
                                MAX(number, 1), 0);
    return TRUE;
}

static gboolean steps_read(const ReaderFile *file,
                           const TrainingConfig *training, OpGraph *graph,
                           GError **error)
{
    ReaderScan scan = { file, .line = 1 };
    ReaderWord word;

    if (!reader_has_times(file, training, error))
        return FALSE;
    if (!steps_knows(file)) {
        reader_fail(error, &scan, &(ReaderWord){ .line = 1, .column = 1 },
                    "expected STEPS");
        return FALSE;
    }
    (void)reader_next(&scan, &word); /* STEPS */
    while (reader_next(&scan, &word)) {
        if (!add_step(&scan, &word, training, graph, error))
            return FALSE;
        if (graph->ops->len > 1)
            op_graph_add_dep(graph, graph->ops->len - 1, graph->ops->len - 2,
                             0);
    }
    if (graph->ops->len > 0)
        op_graph_add_dep(graph, 0, graph->ops->len - 1, 1);
    return TRUE;
}

const ReaderOps reader_steps = {
    .base = { .name = "steps",
              .summary = "a toy: lines of kernels and all-reduces" },
    .knows = steps_knows,
    .read = steps_read,
};
