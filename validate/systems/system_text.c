/* system_text.c - errors and order of training systems, as tables and CSV */
#include <math.h>

#include "validate/deviation.h"
#include "validate/systems/system_study.h"
#include "validate/text_table.h"

/* ---- errors and order of training systems -------------------------------- */

SystemErrors system_study_errors(const SystemStudy *study, SystemUse use,
                                 const char *rival)
{
    SystemErrors ret = { 0 };

    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = system_row_at(study, i);
        double percent = fabs(row->error_percent);

        if (row->use != use || !g_str_has_prefix(row->rival, rival))
            continue;
        ret.n++;
        ret.mean_percent += (percent - ret.mean_percent) / ret.n;
        if (percent < ret.worst_percent)
            continue;
        ret.worst_percent = percent;
        ret.worst = row->keys;
    }
    return ret;
}

static gboolean rows_are_comparable(const SystemRow *a, const SystemRow *b)
{
    return a->use != SYSTEM_SHOWN_ONLY && b->use != SYSTEM_SHOWN_ONLY &&
           g_str_equal(a->field, b->field) && !g_str_equal(a->rival, b->rival);
}

static gboolean times_differ_clearly(const SystemRow *fast,
                                     const SystemRow *slow, double percent)
{
    double spread = 2 * hypot(fast->spread_percent, slow->spread_percent);

    return compare_deviation_percent(slow->measured_ms, fast->measured_ms) >
           MAX(percent, spread);
}

SystemOrder system_study_order(const SystemStudy *study, double percent)
{
    SystemOrder ret = { 0 };

    for (guint i = 0; i < study->rows->len; i++)
        for (guint k = 0; k < study->rows->len; k++) {
            const SystemRow *fast = system_row_at(study, i);
            const SystemRow *slow = system_row_at(study, k);

            if (!rows_are_comparable(fast, slow) ||
                !times_differ_clearly(fast, slow, percent))
                continue;
            ret.n++;
            ret.n_right += fast->simulated_ms < slow->simulated_ms ? 1 : 0;
        }
    return ret;
}

/* Returns whether no rival of @row is faster. */
static gboolean is_fastest_row(const SystemStudy *study, const SystemRow *row,
                               gboolean simulated)
{
    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *other = system_row_at(study, i);

        if (rows_are_comparable(row, other) &&
            (simulated ? other->simulated_ms < row->simulated_ms
                       : other->measured_ms < row->measured_ms))
            return FALSE;
    }
    return TRUE;
}

SystemOrder system_study_best(const SystemStudy *study)
{
    SystemOrder ret = { 0 };

    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = system_row_at(study, i);

        if (row->use == SYSTEM_SHOWN_ONLY || !is_fastest_row(study, row, FALSE))
            continue;
        ret.n++;
        ret.n_right += is_fastest_row(study, row, TRUE) ? 1 : 0;
    }
    return ret;
}

/* ---- tables and CSV of training systems ---------------------------------- */

static void render_system_rows(const SystemStudy *study, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lrrrl");

    text_table_add_row(table, "%s\tmeasured ms\tsimulated ms\terror %%\t",
                       study->table->name);
    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = system_row_at(study, i);

        if (row->use == SYSTEM_ORDER)
            text_table_add_row(table, "%s\t%.1f\t%.1f\t-\torder only",
                               row->keys, row->measured_ms, row->simulated_ms);
        else
            text_table_add_row(
                table, "%s\t%.1f\t%.1f\t%+.1f\t%s", row->keys, row->measured_ms,
                row->simulated_ms, row->error_percent,
                row->use == SYSTEM_HELD_OUT ? "" : system_use_names[row->use]);
    }
    text_table_render(table, out);
}

static void render_ablation_rows(const SystemStudy *study, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lrrr");

    if (study->ablations->len == 0)
        return;
    g_string_append_c(out, '\n');
    text_table_add_row(table, "%s without\trows\terror %%\twithout it",
                       study->table->name);
    for (guint i = 0; i < study->ablations->len; i++) {
        const SystemAblation *ablation =
            &g_array_index(study->ablations, SystemAblation, i);

        text_table_add_row(table, "%s\t%u\t%.1f / %.1f\t%.1f / %.1f",
                           ablation->part, ablation->n, ablation->mean_percent,
                           ablation->worst_percent, ablation->mean_without,
                           ablation->worst_without);
    }
    text_table_render(table, out);
}

void system_study_render(const SystemStudy *study, GString *out)
{
    render_system_rows(study, out);
    render_ablation_rows(study, out);
}

void system_study_csv(const SystemStudy *study, GString *out)
{
    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = system_row_at(study, i);

        csv_add_text(out, study->table->name);
        csv_add_text(out, row->keys);
        csv_add_text(out, system_use_names[row->use]);
        g_string_append_printf(out, "%.4f,%.4f,%.2f,", row->measured_ms,
                               row->simulated_ms, row->error_percent);
        csv_end_row(out);
    }
}
