/* sweep_id.c - what a point's rows depend on, as one number */
#include "sim/sweep/sweep_id.h"

#include "sim/core/csv.h"

char *sweep_id(const char *axes, const gboolean *wanted, FoldMode fold,
               const SystemConfig *config)
{
    g_autoptr(GString) text =
        g_string_new("acesim " ACESIM_VERSION " " ACESIM_MODEL "\n");

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_string_append_c(text, wanted[file] ? '1' : '0');
    g_string_append_printf(text, " %d %s\n", (int)fold, axes);
    config_append_values(text, system_fields, config);
    workload_append_inputs(&config->workload, text);
    stack_append_inputs(&config->stack, text);
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str,
                                         (gssize)text->len);
}

/* A key that is a column of its own is not said twice. */
char *sweep_cells(const SweepPlan *plan, guint point)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < sweep_plan_n_axes(plan); i++)
        if (!rows_is_column(sweep_plan_key(plan, i)))
            csv_add_text(out, sweep_plan_label(plan, point, i));
    return g_string_free(out, FALSE);
}

const char *sweep_model(void)
{
    return ACESIM_MODEL;
}
