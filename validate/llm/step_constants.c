/*
 * step_constants.c - reads the constants fitted to training steps; see
 * step_constants.h
 */
#include "validate/llm/step_constants.h"

CsvTable *step_constants_load(GError **error)
{
    return csv_table_load("validate/data/llm/constants.csv", error);
}

char *step_constants_yaml(const CsvTable *table, const StepRow *row,
                          const char *left_out, GError **error)
{
    GString *out = g_string_new(NULL);
    gboolean ok = TRUE;

    for (guint i = 0; i < csv_table_n_rows(table) && ok; i++) {
        const char *cells[5];
        static const char *const columns[] = { "family", "set", "left_out",
                                               "key", "value" };

        for (guint c = 0; c < G_N_ELEMENTS(columns) && ok; c++) {
            cells[c] = simulator_cell_text(table, i, columns[c], error);
            ok = cells[c] != NULL;
        }
        if (!ok || !g_str_equal(cells[0], step_row_model_family(row)) ||
            (*cells[1] != '\0' && !g_str_equal(cells[1], row->set)) ||
            !g_str_equal(cells[2], left_out))
            continue;
        g_string_append_printf(out, ", %s: %s", cells[3], cells[4]);
    }
    if (ok && out->len == 0) {
        g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                    "constants.csv: none of %s without '%s'",
                    step_row_model_family(row), left_out);
        ok = FALSE;
    }
    return g_string_free(out, !ok);
}
