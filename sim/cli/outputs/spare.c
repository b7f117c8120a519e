/* spare.c - what a command writes is nothing that its run is read from */
#include "sim/cli/outputs/spare.h"

#include "sim/study/load.h"
#include "sim/sweep/sweep_plan.h"

static gboolean are_none(const ApartOutput *outputs)
{
    while (outputs->option && !outputs->path)
        outputs++;
    return !outputs->option;
}

gboolean spare_files(const ApartOutput *outputs, const NamedFiles *files,
                     GError **error)
{
    g_autofree const char **names = named_files_list(files);

    for (const char **name = names; *name; name++)
        if (!apart_from(outputs, *name, error))
            return FALSE;
    return TRUE;
}

gboolean spare_doc(const ApartOutput *outputs, const ConfigDoc *doc,
                   GError **error)
{
    g_autoptr(NamedFiles) files = NULL;

    if (are_none(outputs))
        return TRUE;
    files = named_files_new();
    named_files_add(files, doc);
    return spare_files(outputs, files, error);
}

static void add_sweep(NamedFiles *files, const char *path, char *const *sets,
                      guint point)
{
    g_autoptr(SweepPlan) plan = sweep_plan_load(path, sets, NULL);
    guint n = plan ? sweep_plan_n_points(plan) : 0;
    SystemConfig config;

    for (guint i = point > 0 ? point - 1 : 0;
         i < (point > 0 ? MIN(point, n) : n); i++) {
        g_autoptr(ConfigDoc) doc = sweep_plan_point(plan, i, NULL);

        if (doc && config_doc_read(doc, system_fields, &config, NULL))
            named_files_add(files, doc);
    }
}

gboolean spare_run(const ApartOutput *outputs, const char *path,
                   char *const *sets, guint point, GError **error)
{
    g_autoptr(NamedFiles) files = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    SystemConfig config;

    if (!apart_from(outputs, path, error) || !apart_outputs(outputs, error))
        return FALSE;
    if (are_none(outputs))
        return TRUE;
    files = named_files_new();
    doc = load_run(path, sets, &config, NULL);
    if (doc)
        named_files_add(files, doc);
    else
        add_sweep(files, path, sets, point);
    return spare_files(outputs, files, error);
}
