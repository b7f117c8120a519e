/*
 * foreign_files.c - recognises input files of other programs; see
 * foreign_files.h
 */
#include "sim/config/files/foreign_files.h"

#include <string.h>

#include "sim/config/config_node_impl.h"

#define MOST_KEYS 9

typedef struct {
    const char *description;     /* the name of the kind of file, and advice */
    guint n_needed;              /* the number of keys that identify it */
    const char *keys[MOST_KEYS]; /* ends with NULL */
} ForeignFileKind;

#define LAYERS                                                                 \
    "; a workload of acesim lists layers with their shapes: start from "       \
    "configs/workloads/bert-base-s128.yaml, and see acesim list layers"
#define MACHINE                                                                \
    "; a platform of acesim has a topology and an NPU: start from one of "     \
    "acesim list machines, and set what differs by --set"

#define MODEL                                                                  \
    "the config.json of a Hugging Face model; give it as the `model` of a "    \
    "workload of kind transformer"

static const ForeignFileKind foreigns[] = {
    { MODEL "; it needs a `model_type`",
      2,
      { "architectures", "model_type", "hidden_size", "num_hidden_layers",
        "num_attention_heads", "transformers_version", "vocab_size",
        "n_embd" } },
    { "a model (application) of Calculon" LAYERS,
      3,
      { "hidden", "feedforward", "seq_size", "attn_heads", "attn_size",
        "num_blocks" } },
    { "a system of Calculon" MACHINE,
      2,
      { "matrix", "vector", "mem1", "mem2", "networks", "processing_mode" } },
    { "an execution of Calculon; in acesim the groups of a workload and "
      "`training` describe how it is divided",
      3,
      { "num_procs", "tensor_par", "pipeline_par", "data_par", "batch_size",
        "microbatch_size", "datatype" } },
    { "a network of ASTRA-sim 2" MACHINE,
      3,
      { "npus_count", "topology", "bandwidth", "latency" } },
    { "a system of ASTRA-sim 2; in acesim `collectives` and `endpoint` say how "
      "collectives are done",
      2,
      { "scheduling-policy", "endpoint-delay", "active-chunks-per-dimension",
        "all-reduce-implementation", "preferred-dataset-splits" } },
};

static const char *const our_keys[] = { "platform", "endpoint", "workload",
                                        "topology", "npu",      "layers",
                                        "axes",     "base",     "training",
                                        NULL };

static gboolean yaml_map_has_key(const ConfigNode *map, const char *key)
{
    guint i;

    return config_node_find_key(map, key, &i);
}

/* Returns what the map @root is and what to do, "a config.json of ...; ...".
 * Returns NULL if it does not have enough keys of another program.  The text
 * is static. */
static const char *foreign_files_describe(const ConfigNode *root)
{
    if (!root || root->kind != CONFIG_NODE_MAP ||
        yaml_map_has_key(root, "kind"))
        return NULL;
    for (guint f = 0; f < G_N_ELEMENTS(foreigns); f++) {
        guint n = 0;

        for (guint k = 0; k < MOST_KEYS && foreigns[f].keys[k]; k++)
            n += yaml_map_has_key(root, foreigns[f].keys[k]) ? 1 : 0;
        if (n >= foreigns[f].n_needed)
            return foreigns[f].description;
    }
    return NULL;
}

/* Returns whether a line of @message is about a key of the file @name. */
static gboolean message_is_about_keys_of_file(const char *message,
                                              const char *name)
{
    g_auto(GStrv) lines = g_strsplit(message, "\n", -1);
    g_autofree char *begin = g_strconcat(name, ":", NULL);

    for (guint i = 0; lines[i]; i++)
        if (g_str_has_prefix(lines[i], begin) &&
            (strstr(lines[i], ": unknown key ") ||
             strstr(lines[i], ": missing key ")))
            return TRUE;
    return FALSE;
}

/* Returns what the file of @source is and what to do, or NULL.  A translated
 * model has all keys of a model and no others, so an error about its keys means
 * that it is used as something else. */
static const char *describe_misused_file(const ConfigSource *source,
                                         const GError *error)
{
    if (!source->is_translated)
        return foreign_files_describe(source->root);
    return source->root && error &&
                   message_is_about_keys_of_file(error->message, source->name)
               ? MODEL
               : NULL;
}

void foreign_files_explain_config_error(const ConfigDoc *doc, GError **error)
{
    for (guint i = 0; i < doc->sources->len; i++) {
        const ConfigSource *source = g_ptr_array_index(doc->sources, i);
        const char *what = describe_misused_file(source, error ? *error : NULL);

        if (!what)
            continue;
        g_clear_error(error);
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_UNKNOWN_KEY,
                    "%s:1:1: this is %s", source->name, what);
        return;
    }
}

static gboolean is_acesim_file(const ConfigNode *root)
{
    gboolean ours =
        root->kind == CONFIG_NODE_MAP && yaml_map_has_key(root, "kind");

    for (guint k = 0; root->kind == CONFIG_NODE_MAP && our_keys[k]; k++)
        ours |= yaml_map_has_key(root, our_keys[k]);
    return ours;
}

void foreign_files_explain_trace_error(const char *path, GError **error)
{
    g_autoptr(ConfigDoc) doc = config_doc_load(path, NULL);
    const char *what = doc && !doc->root->source->is_translated
                           ? foreign_files_describe(doc->root)
                       : doc ? MODEL
                             : NULL;

    if (!what && doc && is_acesim_file(doc->root))
        what = "a configuration of acesim, which is not imported; acesim check "
               "and acesim run read it";
    if (!what)
        return;
    g_clear_error(error);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_UNKNOWN_KEY,
                "%s:1:1: this is %s", path, what);
}
