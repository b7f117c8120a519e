/*
 * megatron.c - launch scripts of Megatron-LM
 *
 * The script is read and not executed.  Its arguments become a model, as in
 * configs/models/, and a run of a workload of kind `transformer`.  The script
 * does not describe the machine: the number of GPUs is that of torchrun or of
 * the batch system, and the GPUs are taken for H100 on the network of
 * configs/platforms/cluster-hgx-h100.yaml.
 */
#include <string.h>

#include "sim/config/config_error.h"
#include "sim/config/config_write.h"
#include "sim/core/word_suggestions.h"
#include "workloads/readers/megatron/megatron_arguments.h"
#include "workloads/readers/reader_table.h"

#define PEEK_BYTES    (1 << 16) /* enough to recognise a script */
#define MAX_GPUS      G_GUINT64_CONSTANT(1048576)
#define USUAL_OF_NODE 8

/* Values that follow from the arguments. */
typedef struct {
    const MegatronArguments *arguments;
    guint64 ffn, words, padded, kv_heads, positions;
    guint64 n_chosen, expert_ffn, n_shared, n_dense;
    guint64 of_node, n_nodes, n_gpus, at_once, dp, global_batch, n_chunks;
    gboolean has_dropout, has_window;
    guint64 window;
    GString *recompute; /* borrowed: the value of the key */
} Job;

static gboolean argument_is_given(const Job *job, MegatronArgument a)
{
    return job->arguments->values[a].is_given;
}

static guint64 number_of_argument_or(const Job *job, MegatronArgument a,
                                     guint64 fallback)
{
    return argument_is_given(job, a) ? job->arguments->values[a].number
                                     : fallback;
}

static guint64 number_of_argument(const Job *job, MegatronArgument a)
{
    return number_of_argument_or(job, a, 1);
}

static const char *text_of_argument_or(const Job *job, MegatronArgument a,
                                       const char *fallback)
{
    return argument_is_given(job, a) ? job->arguments->values[a].word.text
                                     : fallback;
}

/* Reports the value of @a as an unknown word; @known lists those there are. */
static gboolean set_error_unknown_word(const Job *job, MegatronArgument a,
                                       const char *known, GError **error)
{
    g_autofree char *got = words_quote_text(text_of_argument_or(job, a, ""));

    megatron_argument_error(job->arguments, a, error, "expected %s, got %s",
                            known, got);
    return FALSE;
}

/* ---- the model ----------------------------------------------------------- */

static gboolean check_needed_arguments(const Job *job, GError **error)
{
    static const MegatronArgument needed[] = { ARG_LAYERS, ARG_HIDDEN,
                                               ARG_HEADS, ARG_SEQUENCE,
                                               ARG_MICRO_BATCH };

    for (guint i = 0; i < G_N_ELEMENTS(needed); i++)
        if (!argument_is_given(job, needed[i])) {
            megatron_argument_error(job->arguments, needed[i], error,
                                    "it is missing among the arguments that "
                                    "begin here");
            return FALSE;
        }
    return TRUE;
}

/* Sets the number of words, both unchanged and padded as by Megatron-LM. */
static gboolean find_vocabulary_size(Job *job, GError **error)
{
    const char *tokenizer = text_of_argument_or(job, ARG_TOKENIZER, "");
    guint64 step = number_of_argument_or(job, ARG_DIVISIBLE, 128) *
                   number_of_argument(job, ARG_TP);

    job->words = number_of_argument_or(job, ARG_VOCABULARY, 0);
    if (job->words == 0 && g_str_equal(tokenizer, "GPT2BPETokenizer"))
        job->words = 50257;
    if (job->words == 0 && g_str_has_prefix(tokenizer, "BertWordPiece"))
        job->words = 30522;
    if (job->words == 0) {
        megatron_argument_error(job->arguments, ARG_VOCABULARY, error,
                                "it is missing, and the tokenizer is not "
                                "read; add the number of words to the "
                                "arguments");
        return FALSE;
    }
    if (g_str_equal(tokenizer, "NullTokenizer"))
        job->words++; /* the end of a document */
    job->padded = (job->words + step - 1) / step * step;
    return TRUE;
}

static gboolean find_position_encoding(Job *job, GError **error)
{
    const char *type = text_of_argument_or(
        job, ARG_POSITION_TYPE,
        argument_is_given(job, ARG_ROTARY) ? "rope" : "learned_absolute");

    if (g_str_equal(type, "learned_absolute"))
        job->positions = number_of_argument_or(
            job, ARG_POSITIONS, number_of_argument(job, ARG_SEQUENCE));
    else if (!g_str_equal(type, "rope") && !g_str_equal(type, "none") &&
             !g_str_equal(type, "yarn") && !g_str_equal(type, "mrope"))
        return set_error_unknown_word(
            job, ARG_POSITION_TYPE,
            "learned_absolute, rope, mrope, yarn or none", error);
    return TRUE;
}

static gboolean find_attention_heads(Job *job, GError **error)
{
    const char *window = text_of_argument_or(job, ARG_WINDOW, NULL);
    guint64 left;

    job->kv_heads = argument_is_given(job, ARG_GROUPED)
                        ? number_of_argument(job, ARG_GROUPS)
                        : number_of_argument(job, ARG_HEADS);
    if (argument_is_given(job, ARG_GROUPS) &&
        !argument_is_given(job, ARG_GROUPED))
        megatron_argument_note(job->arguments, ARG_GROUPS,
                               "it has no effect without "
                               "--group-query-attention");
    if (argument_is_given(job, ARG_LATENT) &&
        !argument_is_given(job, ARG_KEY_VALUE_RANK)) {
        megatron_argument_error(job->arguments, ARG_KEY_VALUE_RANK, error,
                                "it is missing, and "
                                "--multi-latent-attention needs it");
        return FALSE;
    }
    if (!window)
        return TRUE;
    while (*window == '(' || *window == ' ')
        window++;
    if (!g_ascii_isdigit(*window))
        return *window == '-' ||
               set_error_unknown_word(job, ARG_WINDOW,
                                      "two numbers such as '(127,0)'", error);
    left = g_ascii_strtoull(window, NULL, 10);
    if (left > 1000000)
        return set_error_unknown_word(job, ARG_WINDOW, "at most 1000000 tokens",
                                      error);
    job->window = left + 1; /* and the token itself */
    return TRUE;
}

/* Reads a run of layers, "[0]*3" or "[0,1,1]", and adds its layers to the
 * counts.  Returns NULL if it is another text or has an expert-free layer after
 * one with experts; else what follows. */
static const char *read_layer_run(const char *p, guint64 *n_dense,
                                  guint64 *n_expert)
{
    guint64 zeros = 0, ones = 0, times = 1;

    if (*p++ != '[')
        return NULL;
    while (*p == '0' || *p == '1') {
        if (*p == '0' && ones + *n_expert > 0)
            return NULL;
        zeros += *p == '0';
        ones += *p++ == '1';
        if (*p == ',')
            p++;
    }
    if (*p++ != ']')
        return NULL;
    if (*p == '*') {
        char *end;

        times = g_ascii_strtoull(p + 1, &end, 10);
        if (end == p + 1 || times > 1000000 ||
            (times > 1 && zeros > 0 && ones > 0))
            return NULL;
        p = end;
    }
    *n_dense += zeros * times;
    *n_expert += ones * times;
    return p;
}

/* Sets the number of first layers without experts. */
static gboolean find_dense_layers(Job *job, GError **error)
{
    g_auto(GStrv) parts = g_strsplit_set(
        text_of_argument_or(job, ARG_EXPERT_LAYERS, "1"), " ()'\"", -1);
    g_autofree char *text = g_strjoinv("", parts);
    const char *p = text;
    guint64 n_expert = 0;

    if (g_str_equal(text, "1"))
        return TRUE;
    do {
        p = read_layer_run(p, &job->n_dense, &n_expert);
    } while (p && *p == '+' && p++);
    if (p && *p == '\0' &&
        job->n_dense + n_expert == number_of_argument(job, ARG_LAYERS))
        return TRUE;
    return set_error_unknown_word(
        job, ARG_EXPERT_LAYERS,
        "1, or layers without experts and then all others with "
        "experts, such as '([0]*3+[1]*58)'",
        error);
}

static gboolean find_number_of_experts(Job *job, GError **error)
{
    guint64 shared = number_of_argument_or(job, ARG_SHARED_FFN, 0);

    if (!argument_is_given(job, ARG_EXPERTS))
        return TRUE;
    job->n_chosen = number_of_argument_or(job, ARG_CHOSEN, 2);
    job->expert_ffn = number_of_argument_or(job, ARG_EXPERT_FFN, job->ffn);
    job->n_shared = shared / job->expert_ffn;
    if (shared % job->expert_ffn != 0) {
        megatron_argument_error(job->arguments, ARG_SHARED_FFN, error,
                                "%" G_GUINT64_FORMAT " is no multiple of the "
                                "%" G_GUINT64_FORMAT " values of an expert; "
                                "only whole shared experts are modelled",
                                shared, job->expert_ffn);
        return FALSE;
    }
    if (number_of_argument(job, ARG_TP) > 1 &&
        number_of_argument_or(job, ARG_ETP, number_of_argument(job, ARG_TP)) >
            1)
        megatron_argument_note(job->arguments,
                               argument_is_given(job, ARG_ETP) ? ARG_ETP
                                                               : ARG_EXPERTS,
                               "experts are whole on a rank, and not divided "
                               "among the ranks of tp");
    return find_dense_layers(job, error);
}

static gboolean find_model_shape(Job *job, GError **error)
{
    guint64 hidden = number_of_argument(job, ARG_HIDDEN);
    /* As Megatron-LM rounds 8/3 of the hidden values. */
    guint64 usual = argument_is_given(job, ARG_SWIGLU)
                        ? hidden * 8 / 3 / 64 * 64
                        : 4 * hidden;
    const char *norm = text_of_argument_or(job, ARG_NORM, "LayerNorm");

    job->ffn = number_of_argument_or(job, ARG_FFN, MAX(usual, 1));
    job->has_dropout =
        g_ascii_strtod(text_of_argument_or(job, ARG_DROPOUT, "0.1"), NULL) > 0;
    if (!g_str_equal(norm, "LayerNorm") && !g_str_equal(norm, "RMSNorm"))
        return set_error_unknown_word(job, ARG_NORM, "LayerNorm or RMSNorm",
                                      error);
    return find_vocabulary_size(job, error) &&
           find_position_encoding(job, error) &&
           find_attention_heads(job, error) &&
           find_number_of_experts(job, error);
}

/* ---- the machine and how the model is divided ---------------------------- */

static gboolean set_error_number_of_gpus(const Job *job, MegatronArgument a,
                                         GError **error)
{
    const char *unknown = job->arguments->values[a].word.unknown;

    megatron_argument_error(job->arguments, a, error,
                            "the script does not give the number of GPUs%s%s; "
                            "write it there, or give the number of all GPUs "
                            "by --ranks N",
                            unknown ? ", because " : "",
                            unknown ? unknown : "");
    return FALSE;
}

/* Sets the number of GPUs and nodes; @n_gpus is that of the command line, or
 * 0. */
static gboolean find_number_of_gpus(Job *job, guint64 n_gpus, GError **error)
{
    const ArgumentValue *nodes = &job->arguments->values[ARG_NODES];

    if (n_gpus == 0 && !argument_is_given(job, ARG_GPUS_OF_NODE))
        return set_error_number_of_gpus(job, ARG_GPUS_OF_NODE, error);
    /* torchrun uses one node unless it has the number of nodes */
    if (n_gpus == 0 && !nodes->is_given && nodes->word.text)
        return set_error_number_of_gpus(job, ARG_NODES, error);
    job->of_node = number_of_argument_or(job, ARG_GPUS_OF_NODE, USUAL_OF_NODE);
    job->n_gpus =
        n_gpus > 0 ? n_gpus : job->of_node * number_of_argument(job, ARG_NODES);
    job->of_node = MIN(job->of_node, job->n_gpus);
    job->n_nodes = job->n_gpus / job->of_node;
    if (job->n_gpus > MAX_GPUS || job->n_gpus % job->of_node != 0) {
        megatron_argument_error(job->arguments, ARG_GPUS_OF_NODE, error,
                                "%" G_GUINT64_FORMAT " GPUs are no whole "
                                "number of nodes of %" G_GUINT64_FORMAT
                                ", or more than %" G_GUINT64_FORMAT,
                                job->n_gpus, job->of_node, MAX_GPUS);
        return FALSE;
    }
    return TRUE;
}

static gboolean find_degrees_of_parallelism(Job *job, GError **error)
{
    guint64 tp = number_of_argument(job, ARG_TP),
            pp = number_of_argument(job, ARG_PP);
    guint64 cp = number_of_argument(job, ARG_CP), product;

    if (__builtin_mul_overflow(tp * pp, cp, &product) ||
        job->n_gpus % product != 0) {
        megatron_argument_error(
            job->arguments, ARG_TP, error,
            "tp %" G_GUINT64_FORMAT " x pp %" G_GUINT64_FORMAT
            " x cp %" G_GUINT64_FORMAT " does not divide the %" G_GUINT64_FORMAT
            " GPUs",
            tp, pp, cp, job->n_gpus);
        return FALSE;
    }
    job->dp = job->n_gpus / product;
    job->at_once = job->dp * number_of_argument(job, ARG_MICRO_BATCH);
    job->global_batch =
        number_of_argument_or(job, ARG_GLOBAL_BATCH, job->at_once);
    if (job->global_batch % job->at_once == 0)
        return TRUE;
    megatron_argument_error(
        job->arguments, ARG_GLOBAL_BATCH, error,
        "%" G_GUINT64_FORMAT " sequences are no multiple of --micro-batch-size "
        "%" G_GUINT64_FORMAT " on dp %" G_GUINT64_FORMAT,
        job->global_batch, number_of_argument(job, ARG_MICRO_BATCH), job->dp);
    return FALSE;
}

static gboolean find_pipeline_chunks(Job *job, GError **error)
{
    guint64 n_layers = number_of_argument(job, ARG_LAYERS),
            pp = number_of_argument(job, ARG_PP);
    guint64 of_chunk = number_of_argument_or(job, ARG_CHUNK_LAYERS, 0);

    job->n_chunks = number_of_argument(job, ARG_CHUNKS);
    if (of_chunk == 0)
        return TRUE;
    if (pp > MAX_GPUS || n_layers % (pp * of_chunk) != 0) {
        megatron_argument_error(job->arguments, ARG_CHUNK_LAYERS, error,
                                "%" G_GUINT64_FORMAT " layers on each of "
                                "%" G_GUINT64_FORMAT " stages do not divide "
                                "%" G_GUINT64_FORMAT " layers",
                                of_chunk, pp, n_layers);
        return FALSE;
    }
    job->n_chunks = n_layers / pp / of_chunk;
    return TRUE;
}

/* ---- recomputation ------------------------------------------------------- */

static gboolean has_experts(const Job *job)
{
    return argument_is_given(job, ARG_EXPERTS);
}

static gboolean has_shared_experts(const Job *job)
{
    return has_experts(job) && job->n_shared > 0;
}

static gboolean has_dense_layers(const Job *job)
{
    return !has_experts(job) || job->n_dense > 0;
}

static gboolean has_latent(const Job *job)
{
    return argument_is_given(job, ARG_LATENT);
}

/* The words of --recompute-modules with those of `recompute`, and whether the
 * model has such modules; NULL: it has. */
static const struct {
    const char *name, *word;
    gboolean (*is_there)(const Job *job);
} recompute_modules[] = {
    { "core_attn", "scores", NULL },
    { "layernorm", "norms", NULL },
    { "mla_up_proj", "latent", has_latent },
    { "mlp", "mlp", has_dense_layers },
    { "moe", "experts", has_experts },
    { "moe_act", "activations", has_experts },
    { "shared_experts", "shared_experts", has_shared_experts },
};

/* Returns the row of @name, or -1. */
static int find_recompute_module(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(recompute_modules); i++)
        if (g_str_equal(recompute_modules[i].name, name))
            return (int)i;
    return -1;
}

/* Returns the rows of recompute_modules that the words name, as bits, and notes
 * those that have no counterpart or that the model does not have. */
static guint list_recompute_modules(const Job *job)
{
    g_auto(GStrv) names = g_strsplit(
        text_of_argument_or(job, ARG_RECOMPUTE_MODULES, "core_attn"), " ", -1);
    guint rows = 0;

    for (guint i = 0; names[i]; i++) {
        int row = find_recompute_module(names[i]);
        g_autofree char *name = words_quote_text(names[i]);

        if (*names[i] == '\0')
            continue;
        if (row < 0)
            megatron_argument_note(job->arguments, ARG_RECOMPUTE_MODULES,
                                   "%s has no counterpart, and is kept", name);
        else if (recompute_modules[row].is_there &&
                 !recompute_modules[row].is_there(job))
            megatron_argument_note(job->arguments, ARG_RECOMPUTE_MODULES,
                                   "the model has no %s", name);
        else
            rows |= 1U << row;
    }
    return rows;
}

static gboolean recomputes_selectively(const Job *job)
{
    return argument_is_given(job, ARG_RECOMPUTE)
               ? g_str_equal(text_of_argument_or(job, ARG_RECOMPUTE, ""),
                             "selective")
               : argument_is_given(job, ARG_RECOMPUTE_ACTIVATIONS);
}

/* Sets the value of `recompute`. */
static void find_recompute(Job *job)
{
    guint rows;

    if (!recomputes_selectively(job)) {
        if (argument_is_given(job, ARG_RECOMPUTE_MODULES))
            megatron_argument_note(job->arguments, ARG_RECOMPUTE_MODULES,
                                   "it has no effect without "
                                   "--recompute-granularity selective");
        g_string_assign(job->recompute,
                        text_of_argument_or(job, ARG_RECOMPUTE, "none"));
        return;
    }
    rows = list_recompute_modules(job);
    if (rows == 0 || rows == 1) {
        g_string_assign(job->recompute, rows == 0 ? "none" : "selective");
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(recompute_modules); i++)
        if (rows >> i & 1)
            g_string_append_printf(job->recompute, "%s%s",
                                   job->recompute->len > 0 ? ", " : "[",
                                   recompute_modules[i].word);
    g_string_append_c(job->recompute, ']');
}

static gboolean check_words_of_arguments(const Job *job, GError **error)
{
    const char *recompute =
        text_of_argument_or(job, ARG_RECOMPUTE, "selective");

    if (!g_str_equal(text_of_argument_or(job, ARG_OPTIMIZER, "adam"), "adam") &&
        !g_str_equal(text_of_argument_or(job, ARG_OPTIMIZER, "adam"), "sgd"))
        megatron_argument_note(job->arguments, ARG_OPTIMIZER,
                               "the step is taken for one of adam");
    return g_str_equal(recompute, "selective") ||
           g_str_equal(recompute, "full") ||
           set_error_unknown_word(job, ARG_RECOMPUTE, "selective or full",
                                  error);
}

/* ---- the texts ----------------------------------------------------------- */

static void append_number_key(GString *out, const char *key, guint64 n)
{
    g_string_append_printf(out, "%s: %" G_GUINT64_FORMAT "\n", key, n);
}

static void append_flag_key(GString *out, const char *key, gboolean value)
{
    g_string_append_printf(out, "%s: %s\n", key, value ? "true" : "false");
}

static void add_file_comment(const Job *job, GString *out, const char *what)
{
    g_autofree char *file = words_quote_text(job->arguments->file);

    g_string_append_printf(out, "# %s of %s, made by acesim import.\n", what,
                           file);
}

static void write_latent_attention(const Job *job, GString *out)
{
    guint64 other = number_of_argument_or(job, ARG_OTHER, 128);
    guint64 rotary = number_of_argument_or(job, ARG_POSITION_SIZE, 64);

    append_number_key(out, "head_size", other + rotary);
    g_string_append_printf(
        out,
        "latent: {query_rank: %" G_GUINT64_FORMAT
        ", key_value_rank: %" G_GUINT64_FORMAT ", rotary: %" G_GUINT64_FORMAT
        ", other: %" G_GUINT64_FORMAT ", value: %" G_GUINT64_FORMAT "}\n",
        number_of_argument_or(job, ARG_QUERY_RANK, 0),
        number_of_argument(job, ARG_KEY_VALUE_RANK), rotary, other,
        number_of_argument_or(job, ARG_VALUE_SIZE, 128));
}

static void write_expert_keys(const Job *job, GString *out)
{
    g_string_append_printf(
        out,
        "experts: {count: %" G_GUINT64_FORMAT ", per_token: %" G_GUINT64_FORMAT
        ", ffn: %" G_GUINT64_FORMAT ", shared: %" G_GUINT64_FORMAT
        ", dense_layers: %" G_GUINT64_FORMAT ", router_bias: %s}\n",
        number_of_argument(job, ARG_EXPERTS), job->n_chosen, job->expert_ffn,
        job->n_shared, job->n_dense,
        argument_is_given(job, ARG_ROUTER_BIAS) ? "true" : "false");
}

static void write_model_file(const Job *job, const char *name, GString *out)
{
    gboolean is_rms =
        g_str_equal(text_of_argument_or(job, ARG_NORM, "LayerNorm"), "RMSNorm");

    add_file_comment(job, out, "The model");
    g_string_append(out, "name: ");
    config_write_text(out, name);
    g_string_append_c(out, '\n');
    append_number_key(out, "layers", number_of_argument(job, ARG_LAYERS));
    if (number_of_argument_or(job, ARG_PREDICTIONS, 0) > 0)
        append_number_key(out, "mtp_depth",
                          number_of_argument(job, ARG_PREDICTIONS));
    append_number_key(out, "hidden", number_of_argument(job, ARG_HIDDEN));
    append_number_key(out, "heads", number_of_argument(job, ARG_HEADS));
    if (argument_is_given(job, ARG_LATENT)) {
        write_latent_attention(job, out);
    } else {
        append_number_key(out, "kv_heads", job->kv_heads);
        if (argument_is_given(job, ARG_HEAD_SIZE))
            append_number_key(out, "head_size",
                              number_of_argument(job, ARG_HEAD_SIZE));
    }
    append_number_key(out, "ffn", job->ffn);
    g_string_append_printf(out,
                           "vocabulary: %" G_GUINT64_FORMAT
                           "  # %" G_GUINT64_FORMAT
                           ", padded as Megatron-LM does\n",
                           job->padded, job->words);
    if (job->positions > 0)
        append_number_key(out, "positions", job->positions);
    if (job->window > 0)
        append_number_key(out, "window", job->window);
    append_flag_key(out, "gated", argument_is_given(job, ARG_SWIGLU));
    append_flag_key(out, "tied", !argument_is_given(job, ARG_UNTIED));
    append_flag_key(out, "query_norm", argument_is_given(job, ARG_QUERY_NORM));
    append_flag_key(out, "norm_bias", !is_rms);
    append_flag_key(out, "dropout", job->has_dropout);
    g_string_append_printf(out, "bias: %s\n",
                           !argument_is_given(job, ARG_NO_BIAS)   ? "all"
                           : argument_is_given(job, ARG_QKV_BIAS) ? "qkv"
                                                                  : "none");
    if (argument_is_given(job, ARG_EXPERTS))
        write_expert_keys(job, out);
}

#define NODE_SWITCH                                                            \
    "kind: switch\n"                                                           \
    "%snpus: %" G_GUINT64_FORMAT "\n"                                          \
    "%slinks: 18             # these four: configs/platforms/hgx-h100.yaml\n"  \
    "%sbandwidth: 25 GB/s\n"                                                   \
    "%slatency: 300 ns\n"                                                      \
    "%sefficiency: 82 %%\n"

static void write_node_topology(const Job *job, GString *out,
                                const char *indent)
{
    g_string_append_printf(out, NODE_SWITCH, indent, job->of_node, indent,
                           indent, indent, indent);
}

static void write_nested_topology(const Job *job, GString *out)
{
    g_string_append_printf(out,
                           "    kind: nested\n"
                           "    count: %" G_GUINT64_FORMAT "\n",
                           job->n_nodes);
    if (job->of_node == USUAL_OF_NODE) {
        g_string_append(out, "    inner: hgx-h100\n");
    } else {
        g_string_append(out, "    inner:\n      ");
        write_node_topology(job, out, "      ");
    }
    g_string_append_printf(
        out,
        "    nics: %" G_GUINT64_FORMAT "\n"
        "    nic: {bandwidth: 63 GB/s, latency: 250 ns, efficiency: 91 %%}\n"
        "    rails: true\n"
        "    outer: {kind: switch, bandwidth: 50 GB/s, latency: 1 us, "
        "efficiency: 96 %%}\n",
        job->of_node);
}

static void write_topology(const Job *job, GString *out)
{
    g_string_append(out,
                    "# The script does not describe the machine: H100 on the "
                    "network of\n"
                    "# configs/platforms/cluster-hgx-h100.yaml are assumed.  "
                    "Put in yours;\n"
                    "# `acesim list machines` has others.\n"
                    "platform:\n"
                    "  name: assumed\n"
                    "  topology:");
    if (job->n_nodes == 1 && job->of_node == USUAL_OF_NODE) {
        g_string_append(out, " hgx-h100\n");
        return;
    }
    g_string_append_c(out, '\n');
    if (job->n_nodes > 1 && job->of_node > 1) {
        write_nested_topology(job, out);
    } else if (job->n_nodes > 1) {
        g_string_append_printf(out,
                               "    kind: switch\n"
                               "    npus: %" G_GUINT64_FORMAT "\n"
                               "    bandwidth: 50 GB/s\n"
                               "    latency: 1 us\n"
                               "    efficiency: 96 %%\n",
                               job->n_nodes);
    } else {
        g_string_append(out, "    ");
        write_node_topology(job, out, "    ");
    }
}

static void write_platform(const Job *job, GString *out)
{
    write_topology(job, out);
    g_string_append(out,
                    "  npu: h100-sxm\n"
                    "# 24 SMs: the channels that kernels of NCCL take at most\n"
                    "endpoint: {kind: baseline, name: sms-24, sms: 24, "
                    "memory_bandwidth: 50 %, only_while_communicating: true}\n"
                    "stack: {kind: nccl}\n");
}

/* Returns the value of `shard`.  Megatron-LM can hide the reduction of
 * gradients without the gathers of weights; the other way round is an error
 * there. */
static const char *text_of_sharding(const Job *job)
{
    gboolean divides_states = argument_is_given(job, ARG_DISTRIBUTED_OPTIMIZER);

    if (argument_is_given(job, ARG_CUSTOM_FSDP) ||
        argument_is_given(job, ARG_MEGATRON_FSDP) ||
        argument_is_given(job, ARG_TORCH_FSDP))
        return "{kind: fsdp}";
    if (argument_is_given(job, ARG_OVERLAP_GRADIENTS))
        return divides_states ? "{kind: zero-1, overlap: true}"
                              : "{kind: replicated, overlap: true}";
    return divides_states ? "{kind: zero-1}" : "{kind: replicated}";
}

static void write_workload_section(const Job *job,
                                   const ReadJobOptions *options, GString *out)
{
    g_string_append(out, "workload:\n  kind: transformer\n  name: ");
    config_write_text(out, options->name);
    g_string_append(out, "\n  model: ");
    config_write_quoted(out, options->model_path);
    g_string_append_printf(
        out,
        "\n  sequence: %" G_GUINT64_FORMAT "\n"
        "  batch: {global: %" G_GUINT64_FORMAT ", micro: %" G_GUINT64_FORMAT
        "}\n"
        "  parallel: {tp: %" G_GUINT64_FORMAT ", cp: %" G_GUINT64_FORMAT
        ", pp: %" G_GUINT64_FORMAT ", ep: %" G_GUINT64_FORMAT
        ", sequence: %s}\n",
        number_of_argument(job, ARG_SEQUENCE), job->global_batch,
        number_of_argument(job, ARG_MICRO_BATCH),
        number_of_argument(job, ARG_TP), number_of_argument(job, ARG_CP),
        number_of_argument(job, ARG_PP), number_of_argument(job, ARG_EP),
        argument_is_given(job, ARG_DIVIDES_SEQUENCE) ? "true" : "false");
    if (job->n_chunks > 1)
        g_string_append_printf(out,
                               "  schedule: {kind: interleaved, chunks: "
                               "%" G_GUINT64_FORMAT "}\n",
                               job->n_chunks);
    g_string_append_printf(out,
                           "  shard: %s\n"
                           "  recompute: %s\n",
                           text_of_sharding(job), job->recompute->str);
}

static void write_run_file(const Job *job, const ReadJobOptions *options,
                           GString *out)
{
    const char *precision = argument_is_given(job, ARG_BF16)   ? "bf16"
                            : argument_is_given(job, ARG_FP16) ? "fp16"
                                                               : "fp32";
    /* Megatron-LM sums gradients of bf16 in fp32, and those of fp16 if an
     * option requests it. */
    gboolean is_wide = !argument_is_given(job, ARG_FP16) ||
                       argument_is_given(job, ARG_FP32_GRADIENTS);

    add_file_comment(job, out, "A training step");
    write_platform(job, out);
    write_workload_section(job, options, out);
    g_string_append_printf(
        out,
        "training: {precision: %s, gradient: %s, optimiser: %s, iterations: "
        "1}\n",
        precision, is_wide ? "fp32" : "fp16",
        g_str_equal(text_of_argument_or(job, ARG_OPTIMIZER, "adam"), "sgd")
            ? "sgd"
            : "adam");
}

/* ---- the reader ---------------------------------------------------------- */

static gboolean megatron_recognises(Source *source)
{
    gsize n;
    const char *text = (const char *)source_peek(source, PEEK_BYTES, &n);
    gsize i = 0;

    while (i < n && g_ascii_isspace(text[i]))
        i++;
    return i < n && text[i] != '{' && text[i] != '[' &&
           megatron_is_script(text, n);
}

static gboolean megatron_read_job(Source *source, const ReadJobOptions *options,
                                  ReadJob *ret, GError **error)
{
    gsize n;
    const char *text =
        (const char *)source_peek(source, SHELL_MAX_BYTES + 1, &n);
    g_autoptr(MegatronArguments) arguments =
        megatron_arguments_read(source_name(source), text, n, error);
    g_autoptr(GString) recompute = g_string_new(NULL);
    Job job = { .arguments = arguments, .recompute = recompute };

    if (!arguments || !check_needed_arguments(&job, error) ||
        !find_model_shape(&job, error) ||
        !find_number_of_gpus(&job, options->n_npus, error) ||
        !find_degrees_of_parallelism(&job, error) ||
        !find_pipeline_chunks(&job, error) ||
        !check_words_of_arguments(&job, error))
        return FALSE;
    find_recompute(&job);
    write_model_file(&job, options->name, ret->model);
    write_run_file(&job, options, ret->run);
    for (guint i = 0; i < arguments->notes->len; i++)
        g_ptr_array_add(ret->notes,
                        g_strdup(g_ptr_array_index(arguments->notes, i)));
    return TRUE;
}

const ReadOps reader_megatron = {
    .base = { .name = "megatron",
              .summary = "launch script of Megatron-LM, whose arguments become "
                         "a run of a transformer" },
    .recognises = megatron_recognises,
    .read_job = megatron_read_job,
};
