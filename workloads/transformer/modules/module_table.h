/*
 * module_table.h - the modules of a layer, by the names that models use
 *
 * To add a kind of module, write modules/NAME.c with its ModuleOps, see
 * modules.h, and add a line with these and its name.
 */
#ifndef WORKLOADS_TRANSFORMER_MODULES_MODULE_TABLE_H
#define WORKLOADS_TRANSFORMER_MODULES_MODULE_TABLE_H

/* clang-format off */
#define LAYER_MODULES(Add)              \
    Add(module_attention, "attention")  \
    Add(module_mlp, "mlp")              \
    Add(module_experts, "experts")
/* clang-format on */

#endif
