/* kernel.c - single kernels, described by their shape: see kernel.h */
#include "workloads/kernel_impl.h"

static const ConfigKind *const kernel_kinds[] = {
    &kernel_stream.base,
    &kernel_matrix_product.base,
    &kernel_conv.base,
    &kernel_recurrent.base,
    NULL,
};

const ConfigRegistry kernel_registry = { .noun = "kernel",
                                         .kinds = kernel_kinds };

const char *const kernel_pass_names[] = {
    [OP_FORWARD] = "forward",
    [OP_INPUT_GRADIENT] = "input-gradient",
    [OP_WEIGHT_GRADIENT] = "weight-gradient",
    [OP_UPDATE] = NULL,
};

const KernelCommon *kernel_common(const ConfigVariant *kernel)
{
    return kernel->params;
}

gboolean kernel_check(const ConfigVariant *kernel, GError **error)
{
    const KernelOps *ops = (const KernelOps *)kernel->kind;

    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    return !ops->check || ops->check(kernel, error);
}

void kernel_list_works(const ConfigVariant *kernel,
                       OpWork ret[KERNEL_MAX_WORKS])
{
    const KernelOps *ops = (const KernelOps *)kernel->kind;

    for (guint i = 0; i < KERNEL_MAX_WORKS; i++)
        ret[i] = (OpWork){ 0 };
    ops->works(kernel->params, ret);
    for (guint i = 0; i < KERNEL_MAX_WORKS; i++) {
        ret[i].precision = (Precision)kernel_common(kernel)->precision;
        g_assert(ret[i].written_bytes <= ret[i].bytes);
    }
}
