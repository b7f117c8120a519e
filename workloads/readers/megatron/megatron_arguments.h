/*
 * megatron_arguments.h - the arguments of Megatron-LM in a launch script
 *
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: --ARGUMENT: what is wrong"
 * Owner    the script owns the texts of arguments
 * Source   megatron/training/arguments.py of Megatron-LM, core 0.8 to 0.14:
 *          names, defaults and implied values
 */
#ifndef WORKLOADS_READERS_MEGATRON_MEGATRON_ARGUMENTS_H
#define WORKLOADS_READERS_MEGATRON_MEGATRON_ARGUMENTS_H

#include "workloads/readers/megatron/shell_script.h"

/* The arguments that count.  A line for each is in megatron_arguments.c. */
typedef enum {
    ARG_LAYERS,
    ARG_PREDICTIONS,
    ARG_HIDDEN,
    ARG_HEADS,
    ARG_FFN,
    ARG_HEAD_SIZE,
    ARG_GROUPED,
    ARG_GROUPS,
    ARG_SEQUENCE,
    ARG_POSITIONS,
    ARG_POSITION_TYPE,
    ARG_ROTARY,
    ARG_VOCABULARY,
    ARG_DIVISIBLE,
    ARG_TOKENIZER,
    ARG_SWIGLU,
    ARG_NO_BIAS,
    ARG_QKV_BIAS,
    ARG_UNTIED,
    ARG_NORM,
    ARG_QUERY_NORM,
    ARG_DROPOUT,
    ARG_WINDOW,
    ARG_LATENT,
    ARG_QUERY_RANK,
    ARG_KEY_VALUE_RANK,
    ARG_OTHER,
    ARG_POSITION_SIZE,
    ARG_VALUE_SIZE,
    ARG_EXPERTS,
    ARG_CHOSEN,
    ARG_EXPERT_FFN,
    ARG_SHARED_FFN,
    ARG_EXPERT_LAYERS,
    ARG_ROUTER_BIAS,
    ARG_MICRO_BATCH,
    ARG_GLOBAL_BATCH,
    ARG_TP,
    ARG_PP,
    ARG_CP,
    ARG_EP,
    ARG_ETP,
    ARG_CHUNK_LAYERS,
    ARG_CHUNKS,
    ARG_DIVIDES_SEQUENCE,
    ARG_DISTRIBUTED_OPTIMIZER,
    ARG_OVERLAP_GRADIENTS,
    ARG_OVERLAP_WEIGHTS,
    ARG_CUSTOM_FSDP,
    ARG_MEGATRON_FSDP,
    ARG_TORCH_FSDP,
    ARG_OPTIMIZER,
    ARG_RECOMPUTE,
    ARG_RECOMPUTE_MODULES,
    ARG_RECOMPUTE_ACTIVATIONS,
    ARG_BF16,
    ARG_FP16,
    ARG_FP32_GRADIENTS,
    ARG_GPUS_OF_NODE,
    ARG_NODES,
    ARG_N,
} MegatronArgument;

typedef struct {
    gboolean is_given;
    /* The value; of a flag, its name.  Its text is NULL if the argument does
     * not occur.  It may occur and not be given, if its value is not known. */
    ShellWord word;
    guint64 number; /* of arguments that are whole numbers */
} ArgumentValue;

typedef struct {
    const char *file;    /* borrowed: for messages */
    guint line;          /* of the command */
    ShellScript *script; /* owned */
    ArgumentValue values[ARG_N];
    GPtrArray *notes; /* owned, of owned text: "FILE:LINE:COLUMN: note: ..." */
} MegatronArguments;

/* Reads the arguments of the last command of the script that trains. */
G_GNUC_WARN_UNUSED_RESULT
MegatronArguments *megatron_arguments_read(const char *file, const char *text,
                                           gsize n_bytes, GError **error);
void megatron_arguments_free(MegatronArguments *arguments);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MegatronArguments, megatron_arguments_free)

/* Returns whether @text may be a launch script: it has at least two of the
 * arguments that every such script has. */
gboolean megatron_is_script(const char *text, gsize n_bytes);

/* Sets @error to the position of @argument, or of the command if it is not
 * given, its name and the formatted text. */
void megatron_argument_error(const MegatronArguments *arguments,
                             MegatronArgument argument, GError **error,
                             const char *format, ...) G_GNUC_PRINTF(4, 5);
void megatron_argument_note(const MegatronArguments *arguments,
                            MegatronArgument argument, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

#endif
