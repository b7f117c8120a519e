/*
 * megatron_arguments.c - the arguments of Megatron-LM in a launch script; see
 * megatron_arguments.h
 */
#include "workloads/readers/megatron/megatron_arguments.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/config_error.h"
#include "sim/core/word_suggestions.h"

#define MOST G_GUINT64_CONSTANT(1000000)

/* WORDS: one word or more, which become one text with blanks. */
typedef enum { FLAG, NUMBER, TEXT, WORDS } ArgumentType;

static const struct {
    const char *name;
    ArgumentType type;
    guint64 min, max;
} table[ARG_N] = {
    [ARG_LAYERS] = { "--num-layers", NUMBER, 1, MOST },
    [ARG_PREDICTIONS] = { "--mtp-num-layers", NUMBER, 0, 64 },
    [ARG_HIDDEN] = { "--hidden-size", NUMBER, 1, MOST },
    [ARG_HEADS] = { "--num-attention-heads", NUMBER, 1, MOST },
    [ARG_FFN] = { "--ffn-hidden-size", NUMBER, 1, MOST },
    [ARG_HEAD_SIZE] = { "--kv-channels", NUMBER, 1, MOST },
    [ARG_GROUPED] = { "--group-query-attention", FLAG, 0, 0 },
    [ARG_GROUPS] = { "--num-query-groups", NUMBER, 1, MOST },
    [ARG_SEQUENCE] = { "--seq-length", NUMBER, 1, 100 * MOST },
    [ARG_POSITIONS] = { "--max-position-embeddings", NUMBER, 1, 100 * MOST },
    [ARG_POSITION_TYPE] = { "--position-embedding-type", TEXT, 0, 0 },
    [ARG_ROTARY] = { "--use-rotary-position-embeddings", FLAG, 0, 0 },
    [ARG_VOCABULARY] = { "--vocab-size", NUMBER, 1, 10 * MOST },
    [ARG_DIVISIBLE] = { "--make-vocab-size-divisible-by", NUMBER, 1, MOST },
    [ARG_TOKENIZER] = { "--tokenizer-type", TEXT, 0, 0 },
    [ARG_SWIGLU] = { "--swiglu", FLAG, 0, 0 },
    [ARG_NO_BIAS] = { "--disable-bias-linear", FLAG, 0, 0 },
    [ARG_QKV_BIAS] = { "--add-qkv-bias", FLAG, 0, 0 },
    [ARG_UNTIED] = { "--untie-embeddings-and-output-weights", FLAG, 0, 0 },
    [ARG_NORM] = { "--normalization", TEXT, 0, 0 },
    [ARG_QUERY_NORM] = { "--qk-layernorm", FLAG, 0, 0 },
    [ARG_DROPOUT] = { "--hidden-dropout", TEXT, 0, 0 },
    [ARG_WINDOW] = { "--window-size", TEXT, 0, 0 },
    [ARG_LATENT] = { "--multi-latent-attention", FLAG, 0, 0 },
    [ARG_QUERY_RANK] = { "--q-lora-rank", NUMBER, 1, MOST },
    [ARG_KEY_VALUE_RANK] = { "--kv-lora-rank", NUMBER, 1, MOST },
    [ARG_OTHER] = { "--qk-head-dim", NUMBER, 1, MOST },
    [ARG_POSITION_SIZE] = { "--qk-pos-emb-head-dim", NUMBER, 1, MOST },
    [ARG_VALUE_SIZE] = { "--v-head-dim", NUMBER, 1, MOST },
    [ARG_EXPERTS] = { "--num-experts", NUMBER, 1, MOST },
    [ARG_CHOSEN] = { "--moe-router-topk", NUMBER, 1, MOST },
    [ARG_EXPERT_FFN] = { "--moe-ffn-hidden-size", NUMBER, 1, MOST },
    [ARG_SHARED_FFN] = { "--moe-shared-expert-intermediate-size", NUMBER, 1,
                         MOST },
    [ARG_EXPERT_LAYERS] = { "--moe-layer-freq", TEXT, 0, 0 },
    [ARG_ROUTER_BIAS] = { "--moe-router-enable-expert-bias", FLAG, 0, 0 },
    [ARG_MICRO_BATCH] = { "--micro-batch-size", NUMBER, 1, MOST },
    [ARG_GLOBAL_BATCH] = { "--global-batch-size", NUMBER, 1, MOST },
    [ARG_TP] = { "--tensor-model-parallel-size", NUMBER, 1, MOST },
    [ARG_PP] = { "--pipeline-model-parallel-size", NUMBER, 1, MOST },
    [ARG_CP] = { "--context-parallel-size", NUMBER, 1, MOST },
    [ARG_EP] = { "--expert-model-parallel-size", NUMBER, 1, MOST },
    [ARG_ETP] = { "--expert-tensor-parallel-size", NUMBER, 1, MOST },
    [ARG_CHUNK_LAYERS] = { "--num-layers-per-virtual-pipeline-stage", NUMBER, 1,
                           MOST },
    [ARG_CHUNKS] = { "--num-virtual-stages-per-pipeline-rank", NUMBER, 1,
                     MOST },
    [ARG_DIVIDES_SEQUENCE] = { "--sequence-parallel", FLAG, 0, 0 },
    [ARG_DISTRIBUTED_OPTIMIZER] = { "--use-distributed-optimizer", FLAG, 0, 0 },
    [ARG_OVERLAP_GRADIENTS] = { "--overlap-grad-reduce", FLAG, 0, 0 },
    [ARG_OVERLAP_WEIGHTS] = { "--overlap-param-gather", FLAG, 0, 0 },
    [ARG_CUSTOM_FSDP] = { "--use-custom-fsdp", FLAG, 0, 0 },
    [ARG_MEGATRON_FSDP] = { "--use-megatron-fsdp", FLAG, 0, 0 },
    [ARG_TORCH_FSDP] = { "--use-torch-fsdp2", FLAG, 0, 0 },
    [ARG_OPTIMIZER] = { "--optimizer", TEXT, 0, 0 },
    [ARG_RECOMPUTE] = { "--recompute-granularity", TEXT, 0, 0 },
    [ARG_RECOMPUTE_MODULES] = { "--recompute-modules", WORDS, 0, 0 },
    [ARG_RECOMPUTE_ACTIVATIONS] = { "--recompute-activations", FLAG, 0, 0 },
    [ARG_BF16] = { "--bf16", FLAG, 0, 0 },
    [ARG_FP16] = { "--fp16", FLAG, 0, 0 },
    [ARG_FP32_GRADIENTS] = { "--accumulate-allreduce-grads-in-fp32", FLAG, 0,
                             0 },
    [ARG_GPUS_OF_NODE] = { "--nproc-per-node", NUMBER, 1, 1024 },
    [ARG_NODES] = { "--nnodes", NUMBER, 1, MOST },
};

/* Arguments that change the time or memory of a step, and have
 * no counterpart. */
static const struct {
    const char *name, *note;
} noted[] = {
    { "--apply-residual-connection-post-layernorm", "it is not modelled" },
    { "--cpu-offloading", "nothing is offloaded" },
    { "--decoder-first-pipeline-num-layers",
      "stages have as many layers as possible alike" },
    { "--decoder-last-pipeline-num-layers",
      "stages have as many layers as possible alike" },
    { "--delay-wgrad-compute", "try a schedule of kind zb-h1" },
    { "--fp4-format", "products are of 16-bit values, so they take too long" },
    { "--fp8-format", "products are of 16-bit values, so they take too long" },
    { "--fp8-hybrid", "products are of 16-bit values, so they take too long" },
    { "--fp8-param-gather", "weights are gathered in 16 bits" },
    { "--moe-expert-capacity-factor", "the load of experts is even" },
    { "--overlap-moe-expert-parallel-comm",
      "all-to-alls of experts are not hidden" },
    { "--pipeline-model-parallel-layout",
      "stages have as many layers as possible alike" },
    { "--recompute-num-layers", "full recomputation is of all layers" },
    { "--tp-comm-overlap", "collectives of tp are not hidden" },
};

/* Beginnings of arguments that change no shape and no time of a step. */
static const char *const harmless[] = {
    "--adam",
    "--adlr-autoresume",
    "--attention-backend",
    "--attention-dropout",
    "--attention-softmax-in-fp32",
    "--async-save",
    "--bias-",
    "--calculate-per-token-loss",
    "--check-for-nan",
    "--ckpt",
    "--clip-grad",
    "--cross-entropy",
    "--cuda-graph",
    "--data-",
    "--dataloader",
    "--ddp-",
    "--dist",
    "--disable-msc",
    "--distribute-saved",
    "--empty-unused",
    "--enable-experimental",
    "--eod-mask",
    "--eval-",
    "--exit-",
    "--finetune",
    "--init-method",
    "--initial-loss",
    "--load",
    "--log-",
    "--loss-scale",
    "--lr",
    "--manual-gc",
    "--master",
    "--max-restarts",
    "--merge-file",
    "--min-",
    "--mmap",
    "--mock-data",
    "--moe-aux-loss",
    "--moe-grouped-gemm",
    "--moe-permute-fusion",
    "--moe-router-",
    "--moe-token-dispatcher-type",
    "--moe-z-loss",
    "--moe-per-layer",
    "--no-",
    "--node-rank",
    "--norm-epsilon",
    "--num-workers",
    "--node_rank",
    "--optimizer-",
    "--override-opt",
    "--per-split",
    "--profile",
    "--rampup",
    "--rdzv",
    "--recompute-method",
    "--reset-",
    "--rotary",
    "--rope",
    "--role",
    "--save",
    "--seed",
    "--split",
    "--spec",
    "--start-weight",
    "--end-weight",
    "--tensorboard",
    "--tee",
    "--te-",
    "--tiktoken",
    "--timing",
    "--tokenizer-model",
    "--train-",
    "--transformer-impl",
    "--use-checkpoint",
    "--use-flash-attn",
    "--use-mcore",
    "--use-pytorch-profiler",
    "--use-dist-ckpt",
    "--use-precision",
    "--valid",
    "--test-data",
    "--vocab-file",
    "--wandb",
    "--weight-decay",
    "--world-size",
    "--warmup",
    "--wgrad",
    "--yaml-cfg",
    "--position-interpolation",
    "--hybrid-",
    "--group",
    "--dataset",
    "--overwrite",
    "--accumulate",
    "--apply-layernorm-1p",
    "--attention-",
    "--deterministic",
    "--cache",
    "--one-logger",
    "--enable-one-logger",
    "--app-tag",
    "--goodput",
};

/* ---- messages ------------------------------------------------------------ */

static char *position_text_of_argument(const MegatronArguments *arguments,
                                       MegatronArgument argument)
{
    const ArgumentValue *value = &arguments->values[argument];

    return value->word.text
               ? g_strdup_printf("%s:%u:%u", arguments->file, value->word.line,
                                 value->word.column)
               : g_strdup_printf("%s:%u:1", arguments->file, arguments->line);
}

void megatron_argument_error(const MegatronArguments *arguments,
                             MegatronArgument argument, GError **error,
                             const char *format, ...)
{
    g_autofree char *position = position_text_of_argument(arguments, argument);
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT, "%s: %s: %s",
                position, table[argument].name, text);
}

void megatron_argument_note(const MegatronArguments *arguments,
                            MegatronArgument argument, const char *format, ...)
{
    g_autofree char *position = position_text_of_argument(arguments, argument);
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_ptr_array_add(arguments->notes,
                    g_strdup_printf("%s: note: %s: %s", position,
                                    table[argument].name, text));
}

/* ---- values -------------------------------------------------------------- */

static void set_error_unknown_value(const MegatronArguments *arguments,
                                    MegatronArgument a, GError **error)
{
    megatron_argument_error(arguments, a, error,
                            "its value is not known, because %s; write the "
                            "value in its place",
                            arguments->values[a].word.unknown);
}

static gboolean set_number_of_argument(MegatronArguments *arguments,
                                       MegatronArgument a, GError **error)
{
    ArgumentValue *value = &arguments->values[a];
    g_autofree char *quoted = words_quote_text(value->word.text);

    if (value->word.unknown) {
        set_error_unknown_value(arguments, a, error);
        return FALSE;
    }
    if (g_ascii_string_to_unsigned(value->word.text, 10, table[a].min,
                                   table[a].max, &value->number, NULL))
        return TRUE;
    megatron_argument_error(arguments, a, error,
                            "expected a whole number of %" G_GUINT64_FORMAT
                            " to %" G_GUINT64_FORMAT ", got %s",
                            table[a].min, table[a].max, quoted);
    return FALSE;
}

static gboolean word_is_option(const ShellWord *word)
{
    return g_str_has_prefix(word->text, "--") && word->text[2] != '\0';
}

/* The arguments of a command. */
typedef struct {
    const GArray *words; /* borrowed */
    guint i;             /* of the word that follows the option */
    ShellWord option;    /* with only its name as .text */
    const char *inside;  /* the value in "--name=value", or NULL */
} Options;

/* Sets *@ret to the value of the option; FALSE if it has none. */
static gboolean take_option_value(Options *o, ShellWord *ret)
{
    if (o->inside) {
        *ret = o->option;
        ret->text = o->inside;
        return TRUE;
    }
    if (o->i == o->words->len ||
        word_is_option(&g_array_index(o->words, ShellWord, o->i)))
        return FALSE;
    *ret = g_array_index(o->words, ShellWord, o->i++);
    return TRUE;
}

/* Appends the words that follow @value, up to the next option. */
static void take_more_words(MegatronArguments *arguments, Options *o,
                            ArgumentValue *value)
{
    g_autoptr(GString) text = g_string_new(value->word.text);

    for (; o->i < o->words->len; o->i++) {
        const ShellWord *word = &g_array_index(o->words, ShellWord, o->i);

        if (word_is_option(word))
            break;
        g_string_append_printf(text, " %s", word->text);
        if (!value->word.unknown)
            value->word.unknown = word->unknown;
    }
    value->word.text =
        g_string_chunk_insert_const(arguments->script->texts, text->str);
}

static gboolean read_known_argument(MegatronArguments *arguments,
                                    MegatronArgument a, Options *o,
                                    GError **error)
{
    ArgumentValue *value = &arguments->values[a];

    *value = (ArgumentValue){ .is_given = TRUE, .word = o->option };
    if (table[a].type == FLAG)
        return TRUE;
    if (!take_option_value(o, &value->word)) {
        megatron_argument_error(arguments, a, error,
                                "a value has to follow it");
        return FALSE;
    }
    /* torchrun takes a range of nodes; batch systems give the rest. */
    if (a == ARG_NODES || a == ARG_GPUS_OF_NODE) {
        value->is_given =
            !value->word.unknown &&
            g_ascii_string_to_unsigned(value->word.text, 10, table[a].min,
                                       table[a].max, &value->number, NULL);
        return TRUE;
    }
    if (table[a].type == NUMBER)
        return set_number_of_argument(arguments, a, error);
    if (table[a].type == WORDS)
        take_more_words(arguments, o, value);
    if (!value->word.unknown || a == ARG_TOKENIZER)
        return TRUE;
    set_error_unknown_value(arguments, a, error);
    return FALSE;
}

static gboolean option_has_no_effect_on_time(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(harmless); i++)
        if (g_str_has_prefix(name, harmless[i]))
            return TRUE;
    return FALSE;
}

static void add_argument_note(const MegatronArguments *arguments,
                              const ShellWord *at, const char *text)
{
    g_autofree char *quoted = words_quote_text(at->text);

    g_ptr_array_add(arguments->notes,
                    g_strdup_printf("%s:%u:%u: note: %s: %s", arguments->file,
                                    at->line, at->column, quoted, text));
}

static void note_unknown_option(const MegatronArguments *arguments,
                                const ShellWord *option)
{
    for (guint i = 0; i < G_N_ELEMENTS(noted); i++)
        if (g_str_equal(noted[i].name, option->text)) {
            add_argument_note(arguments, option, noted[i].note);
            return;
        }
    if (!option_has_no_effect_on_time(option->text))
        add_argument_note(arguments, option,
                          "it has no counterpart, and is left out");
}

static int find_argument_by_name(const char *name)
{
    for (int a = 0; a < ARG_N; a++)
        if (g_str_equal(table[a].name, name))
            return a;
    return -1;
}

/* Splits the option @word of the form "--name" or "--name=value". */
static void split_option_word(MegatronArguments *arguments,
                              const ShellWord *word, Options *o)
{
    const char *equals = strchr(word->text, '=');
    gsize n = equals ? (gsize)(equals - word->text) : strlen(word->text);
    g_autofree char *name = g_strndup(word->text, n);
    g_autofree char *dashes = g_strdelimit(g_strdup(name), "_", '-');

    /* torchrun takes both; arguments of Megatron-LM have dashes only */
    o->option = *word;
    o->option.text = g_string_chunk_insert_const(
        arguments->script->texts,
        g_str_equal(dashes, table[ARG_GPUS_OF_NODE].name) ? dashes : name);
    o->inside = equals ? equals + 1 : NULL;
}

static gboolean read_option_words(MegatronArguments *arguments,
                                  const GArray *words, GError **error)
{
    Options o = { .words = words };

    while (o.i < words->len) {
        const ShellWord *word = &g_array_index(words, ShellWord, o.i++);
        int a;

        if (!word_is_option(word)) {
            if (word->unknown &&
                strspn(word->text, SHELL_UNKNOWN) == strlen(word->text))
                g_ptr_array_add(
                    arguments->notes,
                    g_strdup_printf("%s:%u:%u: note: arguments here are left "
                                    "out, because %s",
                                    arguments->file, word->line, word->column,
                                    word->unknown));
            continue;
        }
        split_option_word(arguments, word, &o);
        a = find_argument_by_name(o.option.text);
        if (a < 0)
            note_unknown_option(arguments, &o.option);
        else if (!read_known_argument(arguments, (MegatronArgument)a, &o,
                                      error))
            return FALSE;
        /* values of an option without a counterpart */
        while (a < 0 && o.i < words->len &&
               !word_is_option(&g_array_index(words, ShellWord, o.i)))
            o.i++;
    }
    return TRUE;
}

/* ---- the command --------------------------------------------------------- */

static guint count_training_arguments(const GArray *words)
{
    guint n = 0;

    for (guint i = 0; i < words->len; i++) {
        const char *text = g_array_index(words, ShellWord, i).text;

        n += g_str_has_prefix(text, table[ARG_LAYERS].name) ||
             g_str_has_prefix(text, table[ARG_HIDDEN].name) ||
             g_str_has_prefix(text, table[ARG_MICRO_BATCH].name) ||
             g_str_has_prefix(text, table[ARG_SEQUENCE].name);
    }
    return n;
}

/* Returns @words with the words inside of quoted commands, as in
 * bash -c "torchrun ...".  The caller owns the array. */
static GArray *split_quoted_commands(MegatronArguments *arguments,
                                     const GArray *words)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(ShellWord));

    for (guint i = 0; i < words->len; i++) {
        ShellWord word = g_array_index(words, ShellWord, i);
        const char *reason = word.unknown;
        g_auto(GStrv) parts = NULL;

        if (!strstr(word.text, " --") && !strstr(word.text, "\n--")) {
            g_array_append_val(all, word);
            continue;
        }
        parts = g_strsplit_set(word.text, " \t\r\n\\", -1);
        for (guint p = 0; parts[p]; p++) {
            word.text =
                g_string_chunk_insert_const(arguments->script->texts, parts[p]);
            word.unknown = strchr(word.text, *SHELL_UNKNOWN) ? reason : NULL;
            if (*word.text != '\0')
                g_array_append_val(all, word);
        }
    }
    return all;
}

/* Returns the words of the command that trains: the last one with most of the
 * arguments that every such command has.  If no command has any, the text is a
 * list of arguments, or of variables that hold them. */
static GArray *find_training_command(MegatronArguments *arguments)
{
    const ShellScript *script = arguments->script;
    g_autoptr(GArray) best = NULL;
    guint most = 1;
    GArray *all;

    for (guint i = 0; i < script->commands->len; i++) {
        g_autoptr(GArray) words = split_quoted_commands(
            arguments, g_ptr_array_index(script->commands, i));

        if (count_training_arguments(words) < MAX(most, 2))
            continue;
        most = count_training_arguments(words);
        g_clear_pointer(&best, g_array_unref);
        best = g_array_ref(words);
    }
    if (best)
        return g_steal_pointer(&best);
    all = split_quoted_commands(arguments, script->values);
    for (guint i = 0; i < script->commands->len; i++) {
        const GArray *words = g_ptr_array_index(script->commands, i);

        g_array_append_vals(all, words->data, words->len);
    }
    return all;
}

/* Takes the number of nodes and GPUs from the batch system, if torchrun does
 * not give it. */
static void read_batch_options(MegatronArguments *arguments)
{
    static const struct {
        const char *name;
        MegatronArgument argument;
    } options[] = {
        { "--nodes", ARG_NODES },
        { "-N", ARG_NODES },
        { "--gpus-per-node", ARG_GPUS_OF_NODE },
        { "--ntasks-per-node", ARG_GPUS_OF_NODE },
    };
    const GArray *words = arguments->script->batch;

    for (guint i = 0; i + 1 < words->len; i++)
        for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
            ArgumentValue *value = &arguments->values[options[k].argument];
            const ShellWord *word = &g_array_index(words, ShellWord, i + 1);

            if (value->is_given ||
                !g_str_equal(g_array_index(words, ShellWord, i).text,
                             options[k].name) ||
                !g_ascii_string_to_unsigned(word->text, 10, 1, MOST,
                                            &value->number, NULL))
                continue;
            value->is_given = TRUE;
            value->word = *word;
        }
}

MegatronArguments *megatron_arguments_read(const char *file, const char *text,
                                           gsize n_bytes, GError **error)
{
    g_autoptr(MegatronArguments) arguments = g_new0(MegatronArguments, 1);
    g_autoptr(GArray) words = NULL;

    arguments->file = file;
    arguments->line = 1;
    arguments->notes = g_ptr_array_new_with_free_func(g_free);
    arguments->script = shell_script_read(file, text, n_bytes, error);
    if (!arguments->script)
        return NULL;
    for (guint i = 0; i < arguments->script->notes->len; i++)
        g_ptr_array_add(arguments->notes, g_strdup(g_ptr_array_index(
                                              arguments->script->notes, i)));
    words = find_training_command(arguments);
    if (words->len > 0)
        arguments->line = g_array_index(words, ShellWord, 0).line;
    if (!read_option_words(arguments, words, error))
        return NULL;
    read_batch_options(arguments);
    return g_steal_pointer(&arguments);
}

void megatron_arguments_free(MegatronArguments *arguments)
{
    if (!arguments)
        return;
    shell_script_free(arguments->script);
    g_ptr_array_unref(arguments->notes);
    g_free(arguments);
}

gboolean megatron_is_script(const char *text, gsize n_bytes)
{
    static const MegatronArgument usual[] = { ARG_LAYERS, ARG_HIDDEN,
                                              ARG_HEADS,  ARG_MICRO_BATCH,
                                              ARG_TP,     ARG_SEQUENCE };
    guint n = 0;

    for (guint i = 0; i < G_N_ELEMENTS(usual); i++)
        n += g_strstr_len(text, (gssize)n_bytes, table[usual[i]].name) != NULL;
    return n >= 2;
}
