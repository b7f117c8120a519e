/*
 * folder_plan.c - the sweep that wrote a results folder, read again; see
 * folder_plan.h
 */
#include "sim/sweep/folder_plan.h"

#include <string.h>

#include "sim/core/csv.h"
#include "sim/sweep/sweep_id.h"
#include "sim/sweep/sweep_info.h"

/* Returns the values of --set among the arguments of a sweep. */
static char **list_sets_of_command(char *const *command)
{
    GPtrArray *sets = g_ptr_array_new();

    for (guint i = 0; command[i]; i++) {
        const char *text = command[i];

        if ((g_str_equal(text, "--set") || g_str_equal(text, "-s")) &&
            command[i + 1])
            g_ptr_array_add(sets, g_strdup(command[++i]));
        else if (g_str_has_prefix(text, "--set="))
            g_ptr_array_add(sets, g_strdup(text + strlen("--set=")));
        else if (g_str_has_prefix(text, "-s") && text[2] != '\0')
            g_ptr_array_add(sets, g_strdup(text + 2));
    }
    g_ptr_array_add(sets, NULL);
    return (char **)g_ptr_array_free(sets, FALSE);
}

/* Returns the path of the sweep file: as the user gave it if it is the same
 * file from here, so that a report has no absolute paths. */
static char *find_sweep_file(const char *info)
{
    g_autofree char *given = sweep_info_read_text(info, "sweep", NULL);
    g_autofree char *whole = sweep_info_read_text(info, "path", NULL);
    g_autofree char *here = given ? g_canonicalize_filename(given, NULL) : NULL;

    if (given && whole && g_str_equal(here, whole))
        return g_steal_pointer(&given);
    return g_steal_pointer(&whole);
}

/* Returns whether the axes of @point have the values of its row. */
static gboolean is_row_of_point(const SweepResults *results,
                                const SweepPlan *plan, guint point)
{
    g_autofree char *cells = sweep_axis_cells(plan, point);
    g_autoptr(GString) row = g_string_new(NULL);

    for (guint i = 0; i < results->workload; i++)
        csv_add_text(row, results_cell_text(results, point, i));
    return g_str_equal(row->str, cells);
}

static gboolean has_rows_of_plan(const SweepResults *results,
                                 const SweepPlan *plan)
{
    if (csv_table_n_rows(results->table) != sweep_plan_count_points(plan))
        return FALSE;
    for (guint i = 0; i < csv_table_n_rows(results->table); i++)
        if (!is_row_of_point(results, plan, i))
            return FALSE;
    return TRUE;
}

FolderPlan *folder_plan_open(const SweepResults *results)
{
    FolderPlan *plan = g_new0(FolderPlan, 1);
    g_autofree char *info =
        g_build_filename(results->folder, "info.json", NULL);
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) command = NULL;

    plan->sets = g_new0(char *, 1);
    if (!g_file_test(info, G_FILE_TEST_EXISTS) ||
        !(command = sweep_info_read_list(info, "command", NULL)) ||
        !(plan->sweep = find_sweep_file(info)) || *plan->sweep == '\0') {
        plan->reason = g_strdup("info.json does not name the sweep");
        return plan;
    }
    g_strfreev(plan->sets);
    plan->sets = list_sets_of_command(command);
    plan->plan = sweep_plan_load(plan->sweep, plan->sets, &error);
    if (!plan->plan) {
        plan->reason = g_strdup(error->message);
    } else if (!has_rows_of_plan(results, plan->plan)) {
        plan->reason = g_strdup_printf("%s has other points now", plan->sweep);
        g_clear_pointer(&plan->plan, sweep_plan_free);
    }
    return plan;
}

void folder_plan_free(FolderPlan *plan)
{
    if (!plan)
        return;
    sweep_plan_free(plan->plan);
    g_strfreev(plan->sets);
    g_free(plan->reason);
    g_free(plan->sweep);
    g_free(plan);
}
