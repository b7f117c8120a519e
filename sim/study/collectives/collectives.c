/* collectives.c - the time of one collective on a platform, by size */
#include "sim/study/collectives/collectives.h"

#include <inttypes.h>
#include <string.h>

#include "models/run/report/run_notes.h"
#include "models/run/stack_costs.h"
#include "sim/config/config.h"
#include "sim/config/quantity.h"
#include "sim/study/collectives/library_calls.h"
#include "sim/study/failed_runs.h"
#include "sim/study/load_run_file.h"

/* Name of the run file that is made here, for messages. */
#define TEXT_NAME "collectives"

static const char run_text[] =
    "endpoint: {kind: ideal}\n"
    "workload: {kind: collective, name: collective, collective: all-reduce, "
    "payload: 1 B}\n"
    "training: {iterations: 1}\n";

typedef struct {
    const CollectivesTask *task; /* borrowed */
    Collectives *result;         /* borrowed */
    char *endpoint;              /* owned: YAML */
    LibraryCalls calls;
} CollectivesStudy;

/* ---- making the run file of a size --------------------------------------- */

/* Returns @text as a quoted YAML string, so that it is read as a file name
 * whatever it contains. */
static char *quote_yaml_text(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "'", -1);
    g_autofree char *doubled = g_strjoinv("''", parts);

    return g_strdup_printf("'%s'", doubled);
}

static gboolean set_named_section(ConfigDoc *doc, const char *key,
                                  const char *origin, const char *name,
                                  GError **error)
{
    /* A text that begins with a brace is a section itself, not the name of a
     * file. */
    gboolean in_place = name[0] == '{';
    g_autofree char *text = in_place ? g_strdup(name) : quote_yaml_text(name);

    return config_doc_set(doc, key, origin, text, error);
}

static gboolean is_setting_of_key(const char *set, const char *key)
{
    gsize n = strlen(key);

    return strncmp(set, key, n) == 0 && (set[n] == '=' || set[n] == '.');
}

/* The section of settings that describes the caller of the library.  It is no
 * section of a run file. */
#define CALLS_KEY "calls"

/* Applies the settings of the key @only, or those of a run file if it is
 * NULL. */
static gboolean apply_user_settings(ConfigDoc *doc, char *const *sets,
                                    const char *only, GError **error)
{
    for (guint i = 0; sets && sets[i]; i++)
        if ((only ? is_setting_of_key(sets[i], only)
                  : !is_setting_of_key(sets[i], CALLS_KEY)) &&
            !load_apply_setting(doc, sets[i], error))
            return FALSE;
    return TRUE;
}

static gboolean read_library_calls(const CollectivesTask *task,
                                   LibraryCalls *ret, GError **error)
{
    static const ConfigField fields[] = {
        { .key = CALLS_KEY,
          .help = "how the host calls the library",
          .type = CONFIG_SECTION,
          .fields = library_calls_fields,
          .fallback = "{}" },
        CONFIG_END,
    };
    static const char empty[] = "{}\n";
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(TEXT_NAME, empty, strlen(empty), error);

    return doc && apply_user_settings(doc, task->sets, CALLS_KEY, error) &&
           config_doc_read(doc, fields, ret, error);
}

/* Returns the endpoint as YAML, which the caller owns: the baseline with all
 * SMs and the whole memory bandwidth of the platform after @task's settings. */
static char *make_endpoint_yaml(const CollectivesTask *task, GError **error)
{
    static const ConfigField fields[] = {
        { .key = "platform",
          .help = "where it runs",
          .type = CONFIG_SECTION,
          .fields = platform_fields },
        CONFIG_END,
    };
    static const char empty[] = "{}\n";
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(TEXT_NAME, empty, strlen(empty), error);
    PlatformConfig platform;

    if (!doc ||
        !set_named_section(doc, "platform", "PLATFORM", task->platform,
                           error) ||
        !apply_user_settings(doc, task->sets, "platform", error) ||
        !config_doc_read(doc, fields, &platform, error))
        return NULL;
    return g_strdup_printf("{kind: baseline, name: all SMs, sms: %" PRIu64
                           ", memory_bandwidth: %" PRIu64 " B/s, "
                           "only_while_communicating: true}",
                           platform.npu.n_sms,
                           platform.npu.hbm.bandwidth_bytes_per_s);
}

static gboolean set_collective_workload(const CollectivesStudy *study,
                                        ConfigDoc *doc, uint64_t bytes,
                                        GError **error)
{
    g_autofree char *payload = g_strdup_printf("%" PRIu64 " B", bytes);

    return config_doc_set(doc, "workload.payload", "--sizes", payload, error) &&
           config_doc_set(doc, "workload.collective", "--kind",
                          study->task->kind, error);
}

static ConfigDoc *make_run_document(const CollectivesStudy *study,
                                    uint64_t bytes, SystemConfig *config,
                                    GError **error)
{
    const CollectivesTask *task = study->task;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(TEXT_NAME, run_text, strlen(run_text), error);

    if (!doc ||
        !set_named_section(doc, "platform", "PLATFORM", task->platform,
                           error) ||
        (task->stack &&
         !set_named_section(doc, "stack", "--stack", task->stack, error)) ||
        !config_doc_set(doc, "endpoint", TEXT_NAME, study->endpoint, error) ||
        !set_collective_workload(study, doc, bytes, error) ||
        !apply_user_settings(doc, task->sets, NULL, error) ||
        !config_doc_read(doc, system_fields, config, error))
        return NULL;
    return g_steal_pointer(&doc);
}

/* ---- simulating one run per size ----------------------------------------- */

/* The lines of a run's result: "ok" and the values, or "no" and the reason. */
enum {
    LINE_STATUS,
    LINE_TIME,
    LINE_NPUS,
    LINE_CHANNELS,
    LINE_ALGORITHM,
    LINE_PROTOCOL,
    LINE_NOTES,
    N_LINES
};
#define LINE_REASON LINE_TIME

/* Returns the stack's decisions on the collective, or NULL if there are
 * none. */
static const CollRecipe *find_collective_recipe(const System *system)
{
    const OpGraph *graph = system_graph(system);

    for (uint32_t i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->type == OP_COLLECTIVE)
            return system_recipe(system, i);
    return NULL;
}

/* Returns a note on the part of the host in the time of a collective, which the
 * caller owns, or an empty text if it has none. */
static char *note_of_library_calls(const LibraryCalls *calls, SimTime calls_ps,
                                   SimTime npu_ps)
{
    g_autofree char *time = quantity_format(calls_ps, CONFIG_TIME);

    if (calls_ps == 0 || (!calls->waits && calls_ps <= npu_ps))
        return g_strdup("");
    return g_strdup_printf(
        calls->waits ? "with %s in which a thread of the host calls the library"
                     : "bound by a thread of the host, which calls the library "
                       "for its NPUs in %s (calls.gpus_per_thread=1: each NPU "
                       "has a thread)",
        time);
}

/* Writes the result.  NCCL's channels are blocks, one per SM.  A recipe may
 * have fewer channels than .n_sms, because equal channels are merged into
 * one. */
static void write_size_result(const System *system, const LibraryCalls *calls,
                              GString *out)
{
    SystemResult result = system_result(system);
    SimTime calls_ps = library_calls_time_ps(calls, system);
    const CollRecipe *recipe = find_collective_recipe(system);
    const CollProtocol *protocol = recipe ? recipe->protocol : NULL;
    g_autoptr(RunNotes) notes = run_notes_new(system);
    g_autofree char *line = run_notes_line(notes, system_config(system));
    g_autofree char *calls_note =
        note_of_library_calls(calls, calls_ps, result.iteration_ps);

    g_string_append_printf(
        out, "ok\n%" PRIu64 "\n%" PRIu32 "\n%" PRIu32 "\n%s\n%s\n%s%s%s",
        library_calls_add(calls, calls_ps, result.iteration_ps), result.n_npus,
        recipe ? recipe->n_sms : 0, recipe ? recipe->algorithm : "",
        protocol ? protocol->name : "", line,
        *line != '\0' && *calls_note != '\0' ? "; " : "", calls_note);
}

static void simulate_one_size(gpointer self, guint i, GString *out)
{
    const CollectivesStudy *study = self;
    SystemConfig config;
    g_autoptr(GError) error = NULL;
    g_autoptr(System) system = NULL;
    g_autoptr(ConfigDoc) doc = NULL;

    doc = make_run_document(
        study, g_array_index(study->task->sizes, uint64_t, i), &config, &error);
    if (doc)
        system = system_new(&config, study->task->run_options, &error);
    if (system && system_run(system, &error))
        write_size_result(system, &study->calls, out);
    else
        g_string_append_printf(out, "no\n%s", error->message);
}

static void receive_size_result(gpointer self, guint i, const GString *text,
                                const char *reason)
{
    const CollectivesStudy *study = self;
    CollectivesRow *row =
        &g_array_index(study->result->rows, CollectivesRow, i);
    g_auto(GStrv) lines =
        g_strsplit(text ? text->str : "", "\n", reason ? 1 : N_LINES);

    row->algorithm = g_strdup("");
    row->protocol = g_strdup("");
    row->notes = g_strdup("");
    if (reason || !g_str_equal(lines[LINE_STATUS], "ok")) {
        row->reason = g_strdup(reason ?: lines[LINE_REASON]);
        row->has_crashed = reason != NULL;
        return;
    }
    g_assert(g_strv_length(lines) == N_LINES);
    row->time_ps = g_ascii_strtoull(lines[LINE_TIME], NULL, 10);
    row->n_channels = g_ascii_strtoull(lines[LINE_CHANNELS], NULL, 10);
    study->result->n_npus = g_ascii_strtoull(lines[LINE_NPUS], NULL, 10);
    g_free(row->algorithm);
    row->algorithm = g_strdup(lines[LINE_ALGORITHM]);
    g_free(row->protocol);
    row->protocol = g_strdup(lines[LINE_PROTOCOL]);
    g_free(row->notes);
    row->notes = g_strdup(lines[LINE_NOTES]);
}

gboolean collectives_check_none_failed(const Collectives *collectives,
                                       GError **error)
{
    g_autofree char *first = NULL;
    FailedRuns failed_runs = { 0 };

    for (guint i = 0; i < collectives->rows->len; i++) {
        const CollectivesRow *row = collectives_row(collectives, i);

        if (row->has_crashed && !first)
            first = quantity_format(row->bytes, CONFIG_BYTES);
        failed_runs_count_run(&failed_runs, first,
                              row->has_crashed ? row->reason : NULL);
    }
    return failed_runs_check_none(&failed_runs, "sizes", error);
}

static gboolean check_any_size_has_result(const Collectives *collectives,
                                          GError **error)
{
    for (guint i = 0; i < collectives->rows->len; i++)
        if (!collectives_row(collectives, i)->reason)
            return TRUE;
    if (!collectives_check_none_failed(collectives, error))
        return FALSE;
    g_set_error_literal(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                        collectives_row(collectives, 0)->reason);
    return FALSE;
}

static void clear_result_row(gpointer data)
{
    CollectivesRow *row = data;

    g_free(row->algorithm);
    g_free(row->protocol);
    g_free(row->notes);
    g_free(row->reason);
}

/* A barrier has no payload, so it is timed once, whatever the sizes. */
static gboolean is_without_payload(const CollectivesTask *task)
{
    return g_str_equal(task->kind, coll_kind_name(COLL_BARRIER));
}

static Collectives *new_collectives_result(const CollectivesTask *task,
                                           const SystemConfig *config)
{
    Collectives *ret = g_new0(Collectives, 1);
    guint n = is_without_payload(task) ? 1 : task->sizes->len;

    ret->name = g_strdup(config->platform.name);
    ret->kind = g_strdup(task->kind);
    ret->rows = g_array_sized_new(FALSE, TRUE, sizeof(CollectivesRow), n);
    g_array_set_clear_func(ret->rows, clear_result_row);
    g_array_set_size(ret->rows, n);
    for (guint i = 0; i < n && !is_without_payload(task); i++)
        g_array_index(ret->rows, CollectivesRow, i).bytes =
            g_array_index(task->sizes, uint64_t, i);
    return ret;
}

Collectives *collectives_run(const CollectivesTask *task, RunManyFn run_many,
                             GError **error)
{
    g_autofree char *endpoint = make_endpoint_yaml(task, error);
    g_autoptr(Collectives) ret = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    CollectivesStudy study = { .task = task, .endpoint = endpoint };
    RunMany many = { .work = simulate_one_size,
                     .piece_ended = receive_size_result,
                     .self = &study };
    SystemConfig config;

    if (!endpoint || !read_library_calls(task, &study.calls, error))
        return NULL;
    /* Errors that do not depend on the size are reported once, here. */
    doc = make_run_document(&study, g_array_index(task->sizes, uint64_t, 0),
                            &config, error);
    if (!doc)
        return NULL;
    ret = new_collectives_result(task, &config);
    study.result = ret;
    many.n = ret->rows->len;
    if (!run_many(&many, error) || !check_any_size_has_result(ret, error))
        return NULL;
    return g_steal_pointer(&ret);
}

void collectives_free(Collectives *collectives)
{
    if (!collectives)
        return;
    g_free(collectives->name);
    g_free(collectives->kind);
    g_array_unref(collectives->rows);
    g_free(collectives);
}
