/*
 * sweep_id.c - the id of a point: a hash of everything that its rows depend on;
 * see sweep_id.h
 */
#include "sim/sweep/sweep_id.h"

#include "sim/core/csv.h"

static char *sha256_of_text(const GString *text)
{
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str,
                                         (gssize)text->len);
}

char *sweep_section_id(const SystemConfig *config, guint section)
{
    const ConfigField *field = &system_fields[section];
    const ConfigField alone[] = { *field, CONFIG_END };
    g_autoptr(GString) text = g_string_new(NULL);

    config_append_values(text, alone, config);
    if (field->offset == offsetof(SystemConfig, workload))
        workload_append_inputs(&config->workload, text);
    if (field->offset == offsetof(SystemConfig, stack))
        stack_append_input_checksums(&config->stack, text);
    return sha256_of_text(text);
}

char *sweep_point_id_of_sections(const char *axes, const gboolean *wanted,
                                 FoldMode fold, char *const *sections)
{
    g_autoptr(GString) text =
        g_string_new("acesim " ACESIM_VERSION " " ACESIM_MODEL "\n");

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_string_append_c(text, wanted[file] ? '1' : '0');
    g_string_append_printf(text, " %d %s\n", (int)fold, axes);
    for (guint i = 0; system_fields[i].key; i++)
        g_string_append(text, sections[i]);
    return sha256_of_text(text);
}

char *sweep_id(const char *axes, const gboolean *wanted, FoldMode fold,
               const SystemConfig *config)
{
    char *sections[SWEEP_ID_MAX_SECTIONS] = { NULL };
    char *id;

    for (guint i = 0; system_fields[i].key; i++) {
        g_assert(i < SWEEP_ID_MAX_SECTIONS);
        sections[i] = sweep_section_id(config, i);
    }
    id = sweep_point_id_of_sections(axes, wanted, fold, sections);
    for (guint i = 0; i < SWEEP_ID_MAX_SECTIONS; i++)
        g_free(sections[i]);
    return id;
}

/* Skips an axis whose key is already a column of the rows. */
char *sweep_axis_cells(const SweepPlan *plan, guint point)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < sweep_plan_count_axes(plan); i++)
        if (!rows_has_column(sweep_plan_axis_key(plan, i)))
            csv_add_text(out, sweep_plan_axis_cell(plan, point, i));
    return g_string_free(out, FALSE);
}

const char *sweep_model_hash(void)
{
    return ACESIM_MODEL;
}
