/*
 * trace.c - a workload from a trace in a foreign format
 *
 * The formats are in readers/. A trace becomes a program, as `acesim import`
 * writes it, and the program becomes a graph.  The trace has all dependencies,
 * so `training.overlap` and `training.optimised` have no effect.
 */
#include <string.h>

#include "sim/config/config.h"
#include "sim/config/config_node.h"
#include "sim/core/word_suggestions.h"
#include "workloads/loop_impl.h"
#include "workloads/readers/reader_table.h"
#include "workloads/recording/message_peers.h"
#include "workloads/recording/named_groups.h"
#include "workloads/recording/trace_to_program/program_writer.h"

typedef struct {
    WorkloadCommon common;
    int format; /* index of the format in read_names */
    const char *file;
} TraceParams;

static const ConfigField trace_fields[] = {
    { .key = "name",
      .help = "what reports call the workload",
      .type = CONFIG_NAME,
      .offset = offsetof(TraceParams, common.name) },
    { .key = "format",
      .help = "of the file; auto: as it begins",
      .type = CONFIG_ENUM,
      .offset = offsetof(TraceParams, format),
      .names = read_names,
      .fallback = "auto",
      .source = "the file" },
    { .key = "file",
      .help = "relative to the one in which this stands",
      .type = CONFIG_NAME,
      .offset = offsetof(TraceParams, file) },
    CONFIG_END,
};

/* Returns the value of key `file`. */
static const ConfigNode *file_key_node(const ConfigVariant *workload)
{
    for (guint i = 0; i < config_node_count(workload->node); i++) {
        const char *key = config_node_text(config_node_key(workload->node, i));

        if (key && g_str_equal(key, "file"))
            return config_node_value(workload->node, i);
    }
    g_assert_not_reached(); /* the key is required */
}

/* Returns the path of the trace as used in messages.  The caller owns it. */
static char *trace_path(const ConfigVariant *workload)
{
    const TraceParams *params = workload->params;
    g_autofree char *folder =
        g_path_get_dirname(config_node_file(file_key_node(workload)));

    if (g_path_is_absolute(params->file) || g_str_equal(folder, "."))
        return g_strdup(params->file);
    return g_build_filename(folder, params->file, NULL);
}

/* Opens the trace; reports an error at the value of `file`.  The caller owns
 * the source. */
static Source *open_trace_file(const ConfigVariant *workload, const char *path,
                               GError **error)
{
    g_autofree char *quoted = words_quote_text(path);
    g_autoptr(GError) reason = NULL;
    Source *source = source_open(path, &reason);

    if (source)
        return source;
    /* The path is followed by a colon. */
    g_assert(g_str_has_prefix(reason->message, path));
    config_set_error(error, file_key_node(workload), CONFIG_ERROR_FILE,
                     "file: %s%s", quoted, reason->message + strlen(path) + 1);
    return NULL;
}

/* Reads the trace.  Returns NULL and sets @error if the file is invalid.  The
 * caller owns the recording. */
static Recording *read_trace_file(const TraceParams *params, Source *source,
                                  const WorkloadSite *site, GError **error)
{
    const ReadOptions options = { .n_npus = site ? site->n_npus : 0 };
    g_autoptr(Recording) recording = recording_new();

    if (!read_recording_file(params->format, source, &options, recording,
                             error))
        return NULL;
    record_resolve_groups(recording);
    record_resolve_peers(recording);
    return g_steal_pointer(&recording);
}

/* Returns the program of @recording as YAML. */
static GString *write_program_text(const Recording *recording, const char *name,
                                   const char *path, const WorkloadSite *site,
                                   GError **error)
{
    g_autoptr(RecordWindow) window =
        record_select_window(recording, RECORD_ITERATION_MEDIAN, error);
    g_autoptr(RecordMatch) match = NULL;
    g_autoptr(Replay) take = NULL;
    g_autoptr(ImportedProgram) script = NULL;
    const WriteOptions options = { .name = name, .from = path };

    if (!window)
        return NULL;
    match = record_match_ranks(recording, window);
    take = replay_new(recording, window, match);
    script = imported_program_new(
        take, recording->ranks->len == 1 ? machine_n_npus(site) : 0, error);
    return script ? imported_program_write(script, &options) : NULL;
}

typedef struct {
    ConfigVariant program;
} Root;

/* Returns the YAML program indented, as the value of key `program`. */
static GString *indent_program_text(const GString *text)
{
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    GString *value = g_string_new("program:\n");

    for (char **line = lines; *line; line++)
        g_string_append_printf(value, "  %s\n", *line);
    return value;
}

/* Makes later error messages about the graph refer to the place where the file
 * is named. */
static void set_graph_error_nodes(OpGraph *graph, const ConfigNode *node)
{
    for (uint32_t i = 0; i < graph->ops->len; i++)
        op_graph_set_node(graph, i, node);
    for (uint32_t i = 0; i < graph->groups->len; i++)
        g_array_index(graph->groups, OpGroup, i).node = node;
    for (uint32_t i = 0; i < graph->roles->len; i++)
        g_array_index(graph->roles, OpRole, i).node = node;
}

/* Parses the program in @text and builds its graph. */
static gboolean build_program_graph(const GString *text, const char *path,
                                    const TrainingConfig *training,
                                    const WorkloadSite *site, OpGraph *graph,
                                    GError **error)
{
    const ConfigField fields[] = { { .key = "program",
                                     .help = "made of a file",
                                     .type = CONFIG_KIND,
                                     .offset = offsetof(Root, program),
                                     .registry = &workload_registry },
                                   CONFIG_END };
    g_autofree char *name = g_strdup_printf("%s, as a program", path);
    g_autoptr(GString) value = indent_program_text(text);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(name, value->str, value->len, error);
    const LoopOps *loop;
    Root root;

    if (!doc || !config_doc_read(doc, fields, &root, error))
        return FALSE;
    loop = (const LoopOps *)root.program.kind;
    return loop->build(&root.program, training, site, graph, error);
}

static gboolean check_compute_setting(const ConfigVariant *workload,
                                      const char *path,
                                      const TrainingConfig *training,
                                      GError **error)
{
    if (training->compute == COMPUTE_MEASURED)
        return TRUE;
    config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                     "file: '%s' has times of kernels and no shapes: set "
                     "'training.compute' to measured",
                     path);
    return FALSE;
}

static gboolean trace_build(const ConfigVariant *workload,
                            const TrainingConfig *training,
                            const WorkloadSite *site, OpGraph *graph,
                            GError **error)
{
    const TraceParams *params = workload->params;
    g_autofree char *path = trace_path(workload);
    g_autoptr(Source) source = open_trace_file(workload, path, error);
    g_autoptr(Recording) recording = NULL;
    GString *text;
    gboolean ok;

    if (!source || !check_compute_setting(workload, path, training, error))
        return FALSE;
    recording = read_trace_file(params, source, site, error);
    if (!recording)
        return FALSE;
    text =
        write_program_text(recording, params->common.name, path, site, error);
    if (!text)
        return FALSE;
    ok = build_program_graph(text, path, training, site, graph, error);
    set_graph_error_nodes(graph, workload->node);
    g_string_free(text, TRUE);
    return ok;
}

/* Appends a checksum of the trace, so that a file with other content is another
 * workload.  A file that cannot be read is reported when the graph is built. */
static void trace_append_inputs(const ConfigVariant *workload, GString *out)
{
    g_autofree char *path = trace_path(workload);
    g_autoptr(Source) source = source_open(path, NULL);
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    const uint8_t *bytes;
    gsize n = 0;

    while (source && (bytes = source_peek(source, 1, &n)) && n > 0) {
        g_checksum_update(sum, bytes, (gssize)n);
        source_skip(source, n);
    }
    g_string_append_printf(out, "file %s\n",
                           source ? g_checksum_get_string(sum) : "not read");
    g_checksum_free(sum);
}

const LoopOps loop_trace = {
    .base = { .name = "trace",
              .summary = "a file in the format of another program",
              .fields = trace_fields,
              .size = sizeof(TraceParams) },
    .build = trace_build,
    .append_inputs = trace_append_inputs,
};
