/*
 * kernel_precision_check.c - checks that the NPU has the precisions of a graph;
 * see kernel_precision_check.h
 */
#include "models/run/prepare/kernel_precision_check.h"

#include "workloads/workload.h"

gboolean kernel_precision_check(const NpuConfig *npu, const OpGraph *graph,
                                GError **error)
{
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);
        const char *name;

        if (op->type != OP_COMPUTE || op->work->product.m == 0 ||
            op->work->precision < PRECISION_FP8 ||
            precision_section_of_path(&npu->precisions, op->work->precision))
            continue;
        name = product_precision_names[op->work->precision + 1];
        config_set_error(error, op->node, CONFIG_ERROR_CONFLICT,
                         "products: the NPU has no peak of %s; choose a "
                         "precision that it has, or give it "
                         "'platform.npu.language.%s.flops'",
                         name, name);
        return FALSE;
    }
    return TRUE;
}
