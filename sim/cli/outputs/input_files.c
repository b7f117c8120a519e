/*
 * input_files.c - collects the files that a command reads, so that its outputs
 * do not overwrite them; see input_files.h
 */
#include "sim/cli/outputs/input_files.h"

#include "sim/study/load_run_file.h"
#include "sim/sweep/sweep_plan.h"

static gboolean has_no_output(const NamedOutput *outputs)
{
    while (outputs->option && !outputs->path)
        outputs++;
    return !outputs->option;
}

gboolean input_files_check(const NamedOutput *outputs, const NamedFiles *files,
                           GError **error)
{
    g_autofree const char **names = named_files_list(files);

    for (const char **name = names; *name; name++)
        if (!distinct_files_check_input(outputs, *name, error))
            return FALSE;
    return distinct_files_check_outputs(outputs, error);
}

gboolean input_files_check_doc(const NamedOutput *outputs, const ConfigDoc *doc,
                               GError **error)
{
    g_autoptr(NamedFiles) files = NULL;

    if (has_no_output(outputs))
        return TRUE;
    files = named_files_new();
    named_files_add(files, doc);
    return input_files_check(outputs, files, error);
}

/* ---- files given by options instead of a run file ------------------------ */

/* Returns @value as YAML: a map in place unchanged, and a file name in
 * quotes. */
static char *quote_value_as_yaml(const char *value)
{
    g_auto(GStrv) parts = g_strsplit(value, "'", -1);
    g_autofree char *doubled = g_strjoinv("''", parts);

    return value[0] == '{' ? g_strdup(value) : g_strdup_printf("'%s'", doubled);
}

void input_files_add_parts(NamedFiles *files, const InputPart *parts,
                           char *const *sets)
{
    static const char empty[] = "{}\n";
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("options", empty, sizeof empty - 1, NULL);
    g_autoptr(GError) reason = NULL;
    SystemConfig config;

    for (; doc && parts->key; parts++) {
        g_autofree char *text =
            parts->value ? quote_value_as_yaml(parts->value) : NULL;

        if (text && !config_doc_set(doc, parts->key, "options", text, NULL))
            return;
    }
    for (; doc && sets && *sets; sets++)
        if (!load_apply_setting(doc, *sets, NULL))
            return;
    /* Problems are reported by the command itself. */
    if (doc && !config_doc_read(doc, system_fields, &config, &reason))
        g_clear_error(&reason);
    if (doc)
        named_files_add(files, doc);
}

/* ---- files of runs and sweeps -------------------------------------------- */

static void add_sweep_input_files(NamedFiles *files, const char *path,
                                  char *const *sets, guint point)
{
    g_autoptr(SweepPlan) plan = sweep_plan_load(path, sets, NULL);
    guint n = plan ? sweep_plan_count_points(plan) : 0;
    SystemConfig config;

    for (guint i = point > 0 ? point - 1 : 0;
         i < (point > 0 ? MIN(point, n) : n); i++) {
        g_autoptr(ConfigDoc) doc = sweep_plan_point_document(plan, i, NULL);

        if (doc && config_doc_read(doc, system_fields, &config, NULL))
            named_files_add(files, doc);
    }
}

void input_files_add_run(NamedFiles *files, const char *path, char *const *sets,
                         guint point)
{
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = load_run(path, sets, &config, NULL);

    named_files_add_path(files, path);
    if (doc)
        named_files_add(files, doc);
    else
        add_sweep_input_files(files, path, sets, point);
}

gboolean input_files_check_run(const NamedOutput *outputs, const char *path,
                               char *const *sets, guint point, GError **error)
{
    g_autoptr(NamedFiles) files = NULL;

    if (has_no_output(outputs))
        return TRUE;
    files = named_files_new();
    input_files_add_run(files, path, sets, point);
    return input_files_check(outputs, files, error);
}
