/*
 * trace.c - a workload in somebody else's format
 *
 * What can be read is in readers/.  The file says itself what waits for what,
 * so `training.overlap` and `training.optimised` have nothing to change.
 */
#include <string.h>

#include "sim/config/config_node.h"
#include "sim/core/file.h"
#include "sim/core/words.h"
#include "workloads/loop_impl.h"
#include "workloads/readers/reader.h"

typedef struct {
    WorkloadCommon common;
    int format; /* index into reader_names */
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
      .names = reader_names,
      .fallback = "auto",
      .source = "the file" },
    { .key = "file",
      .help = "relative to the one in which this stands",
      .type = CONFIG_NAME,
      .offset = offsetof(TraceParams, file) },
    CONFIG_END,
};

/* The value of key `file`. */
static const ConfigNode *file_node(const ConfigVariant *workload)
{
    for (guint i = 0; i < config_node_n(workload->node); i++) {
        const char *key = config_node_text(config_node_key(workload->node, i));

        if (key && g_str_equal(key, "file"))
            return config_node_value(workload->node, i);
    }
    g_assert_not_reached(); /* it is required */
}

/* As messages say it.  Owner: the caller. */
static char *path_of(const ConfigVariant *workload)
{
    const TraceParams *p = workload->params;
    g_autofree char *folder =
        g_path_get_dirname(config_node_file(file_node(workload)));

    if (g_path_is_absolute(p->file) || g_str_equal(folder, "."))
        return g_strdup(p->file);
    return g_build_filename(folder, p->file, NULL);
}

static char *read_text(const ConfigVariant *workload, const char *path,
                       gsize *n_bytes, GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autofree char *quoted = words_quote(path);
    char *text = file_read(path, READER_MAX_FILE_BYTES, n_bytes, &reason);

    if (!text)
        config_set_error(error, workload->node, CONFIG_ERROR_FILE,
                         "file: %s %s", quoted, reason->message);
    else if (memchr(text, '\0', *n_bytes))
        config_set_error(error, workload->node, CONFIG_ERROR_SYNTAX,
                         "file: %s has NULs, and is no text", quoted);
    else
        return text;
    g_free(text);
    return NULL;
}

static gboolean trace_build(const ConfigVariant *workload,
                            const TrainingConfig *training,
                            const WorkloadSite *site, OpGraph *graph,
                            GError **error)
{
    const TraceParams *p = workload->params;
    g_autofree char *path = path_of(workload);
    gsize n_bytes = 0;
    g_autofree char *text = read_text(workload, path, &n_bytes, error);
    ReaderFile file = { .name = path, .text = text, .n_bytes = n_bytes };
    const ReaderOps *reader =
        text ? reader_find(p->format, &file, error) : NULL;

    (void)site;
    return reader && reader->read(&file, training, graph, error);
}

/* Another text is another workload; one that cannot be read is told of when it
 * is built. */
static void trace_append_inputs(const ConfigVariant *workload, GString *out)
{
    g_autofree char *path = path_of(workload);
    gsize n_bytes = 0;
    g_autofree char *text =
        file_read(path, READER_MAX_FILE_BYTES, &n_bytes, NULL);
    g_autofree char *sum =
        text ? g_compute_checksum_for_data(G_CHECKSUM_SHA256,
                                           (const guchar *)text, n_bytes)
             : NULL;

    g_string_append_printf(out, "file %s\n", sum ? sum : "not read");
}

const LoopOps loop_trace = {
    .base = { .name = "trace",
              .summary = "a file in somebody else's format",
              .fields = trace_fields,
              .size = sizeof(TraceParams) },
    .build = trace_build,
    .append_inputs = trace_append_inputs,
};
