/*
 * traces_of_other_profilers.c - profilers that write Chrome's format, whose
 * files do not say enough for an import
 *
 * A file of such a tool is refused by the tool's name, with the reason and with
 * what to record in its place.
 *
 * Sources  Ascend: process names of trace_view.json and msprof_*.json in
 *          Huawei's documentation of the CANN profiling tools; that the files
 *          lack groups is assumed, since none was at hand.  Gaudi: the
 *          categories of gaudi-pytorch-bridge and the engines of its trace
 *          parser.  XLA and rocprof: process names that were recalled.
 */
#include <string.h>

#include "sim/config/config.h"
#include "workloads/readers/kineto/kineto_state_impl.h"

typedef enum { CATEGORY, PROCESS_PREFIX } MarkPlace;

typedef struct {
    MarkPlace place;
    const char *mark;
    const char *tool, *reason, *instead;
} ForeignTool;

#define HOST_TRACE                                                             \
    "record a host trace of PyTorch on each rank instead "                     \
    "(torch.profiler.ExecutionTraceObserver), which has collectives, "         \
    "their groups and their bytes"
#define GAUDI                                                                  \
    "Intel Gaudi's profiler",                                                  \
        "it has the times of engines (TPC, MME, NIC), not of kernels and "     \
        "collectives",                                                         \
        HOST_TRACE
#define ASCEND                                                                 \
    "Huawei Ascend's profiler (torch_npu or msprof)",                          \
        "it divides collectives into tasks of several streams and does not "   \
        "say their groups",                                                    \
        HOST_TRACE
#define XLA                                                                    \
    "XLA's profiler (JAX or TensorFlow)",                                      \
        "it does not say the groups and bytes of collectives",                 \
        "on GPUs, record with `nsys profile --trace=cuda,nvtx` instead "       \
        "and import what `nsys export --type sqlite` writes"
#define ROCPROF                                                                \
    "rocprof", "it does not say the groups and bytes of collectives",          \
        "record with PyTorch's profiler instead (torch.profiler.profile, "     \
        "export_chrome_trace)"

static const ForeignTool tools[] = {
    { CATEGORY, "hpu_op", GAUDI },
    { PROCESS_PREFIX, "*TPC", GAUDI },
    { PROCESS_PREFIX, "*MME", GAUDI },
    { PROCESS_PREFIX, "**TPC", GAUDI },
    { PROCESS_PREFIX, "**MME", GAUDI },
    { PROCESS_PREFIX, "Gaudi", GAUDI },
    { PROCESS_PREFIX, "Ascend Hardware", ASCEND },
    { PROCESS_PREFIX, "CANN", ASCEND },
    { PROCESS_PREFIX, "/device:", XLA },
    { PROCESS_PREFIX, "/job:", XLA },
    { PROCESS_PREFIX, "CPU HIP API", ROCPROF },
    { PROCESS_PREFIX, "CPU HSA API", ROCPROF },
};

static gboolean text_has_mark(const ForeignTool *tool, const char *text,
                              gsize n)
{
    gsize n_mark = strlen(tool->mark);

    return n >= n_mark && memcmp(text, tool->mark, n_mark) == 0 &&
           (tool->place == PROCESS_PREFIX || n == n_mark);
}

static void refuse_tool(Kineto *kineto, MarkPlace place, const char *text,
                        gsize n)
{
    for (guint i = 0; i < G_N_ELEMENTS(tools); i++)
        if (tools[i].place == place && text_has_mark(&tools[i], text, n)) {
            json_pull_set_error(kineto->pull, CONFIG_ERROR_TYPE,
                                "this is of %s, which is not read: %s; %s",
                                tools[i].tool, tools[i].reason,
                                tools[i].instead);
            return;
        }
}

void kineto_refuse_tool_of_category(Kineto *kineto, const char *text, gsize n)
{
    refuse_tool(kineto, CATEGORY, text, n);
}

void kineto_refuse_tool_of_process(Kineto *kineto, const char *name)
{
    refuse_tool(kineto, PROCESS_PREFIX, name, strlen(name));
}
