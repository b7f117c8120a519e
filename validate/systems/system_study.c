/* system_study.c - training systems of papers, as published, beside acesim */
#include "validate/systems/system_study.h"

#include <math.h>

#include "validate/compare.h"
#include "validate/text_table.h"

#define US_PER_MS 1e3

const char *const system_use_names[SYSTEM_N_USES + 1] = { "fitted", "held",
                                                          "told", "order",
                                                          NULL };

static SystemRow *row_at(const SystemStudy *study, guint i)
{
    return &g_array_index(study->rows, SystemRow, i);
}

static void clear_row(gpointer data)
{
    SystemRow *row = data;

    g_free(row->keys);
    g_free(row->field);
    g_free(row->rival);
}

/* ---- reading ------------------------------------------------------------ */

/* A file of rows: how many columns are axes, and where these are in the
 * sweep's. */
typedef struct {
    const CsvTable *data, *runs; /* borrowed */
    const char *rival;
    guint n_axes;
    guint *in_runs; /* owned, by axis */
} Join;

static void join_clear(Join *join)
{
    g_free(join->in_runs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Join, join_clear)

static gboolean join_columns(Join *join, GError **error)
{
    if (!csv_table_column(join->data, "column", &join->n_axes, error))
        return FALSE;
    join->in_runs = g_new0(guint, join->n_axes + 1);
    for (guint i = 0; i < join->n_axes; i++)
        if (!csv_table_column(join->runs, csv_table_column_name(join->data, i),
                              &join->in_runs[i], error))
            return FALSE;
    return TRUE;
}

static gboolean is_point(const Join *join, guint row, guint run)
{
    for (guint i = 0; i < join->n_axes; i++)
        if (!g_str_equal(csv_table_text(join->data, row, i),
                         csv_table_text(join->runs, run, join->in_runs[i])))
            return FALSE;
    return TRUE;
}

static gboolean find_point(const Join *join, guint row, const char *keys,
                           guint *ret, GError **error)
{
    for (guint i = 0; i < csv_table_n_rows(join->runs); i++) {
        if (!is_point(join, row, i))
            continue;
        *ret = i;
        return TRUE;
    }
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "row %u (%s): the sweep has no such point", row + 1, keys);
    return FALSE;
}

static void name_row(const Join *join, guint row, SystemRow *ret)
{
    GString *keys = g_string_new(NULL);
    GString *field = g_string_new(NULL);

    ret->rival = g_strdup("");
    for (guint i = 0; i < join->n_axes; i++) {
        const char *text = csv_table_text(join->data, row, i);
        gboolean is_rival =
            g_strcmp0(csv_table_column_name(join->data, i), join->rival) == 0;

        g_string_append_printf(keys, "%s%s", i > 0 ? ", " : "", text);
        if (!is_rival) {
            g_string_append_printf(field, "%s, ", text);
            continue;
        }
        g_free(ret->rival);
        ret->rival = g_strdup(text);
    }
    ret->keys = g_string_free(keys, FALSE);
    ret->field = g_string_free(field, FALSE);
}

static gboolean read_use(const CsvTable *data, guint row, SystemUse *ret,
                         GError **error)
{
    const char *text = simulator_text(data, row, "use", error);

    if (!text)
        return FALSE;
    for (guint i = 0; i < SYSTEM_N_USES; i++) {
        if (!g_str_equal(text, system_use_names[i]))
            continue;
        *ret = (SystemUse)i;
        return TRUE;
    }
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "row %u: use: '%s' is not fitted, held, told or order", row + 1,
                text);
    return FALSE;
}

/* @ret is named. */
static gboolean read_row(const Join *join, guint row, SystemRow *ret,
                         GError **error)
{
    const char *column = simulator_text(join->data, row, "column", error);
    double simulated_us;
    guint run;

    if (!column || !read_use(join->data, row, &ret->use, error) ||
        !simulator_number(join->data, row, "measured_ms", &ret->measured_ms,
                          error) ||
        !find_point(join, row, ret->keys, &run, error) ||
        !simulator_number(join->runs, run, column, &simulated_us, error))
        return FALSE;
    ret->simulated_ms = simulated_us / US_PER_MS;
    ret->error_percent =
        compare_deviation_percent(ret->simulated_ms, ret->measured_ms);
    return TRUE;
}

SystemStudy *system_study_new(const SystemTable *table, const CsvTable *data,
                              const CsvTable *runs, GError **error)
{
    g_autoptr(SystemStudy) study = g_new0(SystemStudy, 1);
    g_auto(Join) join = { .data = data, .runs = runs, .rival = table->rival };

    study->table = table;
    study->rows = g_array_new(FALSE, TRUE, sizeof(SystemRow));
    g_array_set_clear_func(study->rows, clear_row);
    if (!join_columns(&join, error))
        return NULL;
    for (guint i = 0; i < csv_table_n_rows(data); i++) {
        g_array_set_size(study->rows, i + 1);
        name_row(&join, i, row_at(study, i));
        if (!read_row(&join, i, row_at(study, i), error))
            return NULL;
    }
    return g_steal_pointer(&study);
}

SystemStudy *system_study_run(const Simulator *simulator,
                              const SystemTable *table, GError **error)
{
    g_autofree char *file =
        g_strdup_printf("validate/data/systems/%s.csv", table->name);
    g_autofree char *sweep =
        g_strdup_printf("configs/systems/%s.yaml", table->name);
    g_autofree char *name = g_strdup_printf("systems/%s", table->name);
    g_autoptr(CsvTable) data = csv_table_load(file, error);
    g_autoptr(CsvTable) runs =
        data ? simulator_sweep(simulator, name, sweep, NULL, error) : NULL;
    SystemStudy *study =
        runs ? system_study_new(table, data, runs, error) : NULL;

    if (!study)
        g_prefix_error(error, "%s: ", table->name);
    return study;
}

void system_study_free(SystemStudy *study)
{
    g_array_unref(study->rows);
    g_free(study);
}

/* ---- what came of it ---------------------------------------------------- */

SystemErrors system_errors(const SystemStudy *study, SystemUse use)
{
    SystemErrors ret = { 0 };

    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = row_at(study, i);
        double percent = fabs(row->error_percent);

        if (row->use != use)
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

static gboolean are_rivals(const SystemRow *a, const SystemRow *b)
{
    return a->use != SYSTEM_TOLD && b->use != SYSTEM_TOLD &&
           g_str_equal(a->field, b->field) && !g_str_equal(a->rival, b->rival);
}

SystemOrder system_order(const SystemStudy *study, double percent)
{
    SystemOrder ret = { 0 };

    for (guint i = 0; i < study->rows->len; i++)
        for (guint k = 0; k < study->rows->len; k++) {
            const SystemRow *fast = row_at(study, i);
            const SystemRow *slow = row_at(study, k);

            if (!are_rivals(fast, slow) ||
                compare_deviation_percent(slow->measured_ms,
                                          fast->measured_ms) <= percent)
                continue;
            ret.n++;
            ret.n_right += fast->simulated_ms < slow->simulated_ms;
        }
    return ret;
}

/* Whether none of its rivals is faster. */
static gboolean is_best(const SystemStudy *study, const SystemRow *row,
                        gboolean simulated)
{
    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *other = row_at(study, i);

        if (are_rivals(row, other) &&
            (simulated ? other->simulated_ms < row->simulated_ms
                       : other->measured_ms < row->measured_ms))
            return FALSE;
    }
    return TRUE;
}

SystemOrder system_best(const SystemStudy *study)
{
    SystemOrder ret = { 0 };

    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = row_at(study, i);

        if (row->use == SYSTEM_TOLD || !is_best(study, row, FALSE))
            continue;
        ret.n++;
        ret.n_right += is_best(study, row, TRUE);
    }
    return ret;
}

/* ---- words -------------------------------------------------------------- */

void system_render(const SystemStudy *study, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lrrrl");

    text_table_add(table, "%s\tmeasured ms\tsimulated ms\terror %%\t",
                   study->table->name);
    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = row_at(study, i);

        if (row->use == SYSTEM_ORDER)
            text_table_add(table, "%s\t%.1f\t%.1f\t-\torder only", row->keys,
                           row->measured_ms, row->simulated_ms);
        else
            text_table_add(
                table, "%s\t%.1f\t%.1f\t%+.1f\t%s", row->keys, row->measured_ms,
                row->simulated_ms, row->error_percent,
                row->use == SYSTEM_HELD ? "" : system_use_names[row->use]);
    }
    text_table_render(table, out);
}

void system_csv(const SystemStudy *study, GString *out)
{
    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = row_at(study, i);

        csv_add_text(out, study->table->name);
        csv_add_text(out, row->keys);
        csv_add_text(out, system_use_names[row->use]);
        g_string_append_printf(out, "%.4f,%.4f,%.2f,", row->measured_ms,
                               row->simulated_ms, row->error_percent);
        csv_end_row(out);
    }
}
