/*
 * sweep_csv.c - writes the rows of a sweep's points as a CSV, in the order of
 * the points; see sweep_csv.h
 */
#include "sim/sweep/reading/sweep_csv.h"

#include "sim/core/csv.h"
#include "sim/sweep/sweep_point_text.h"

#define PART_BYTES (256 * 1024)

static void append_csv_header(GString *out, const SweepPlan *plan,
                              RowsFile file, gboolean has_model)
{
    for (guint i = 0; i < sweep_plan_count_axes(plan); i++)
        if (!rows_has_column(sweep_plan_axis_key(plan, i)))
            csv_add_text(out, sweep_plan_axis_column(plan, i));
    rows_append_header(out, file, has_model);
}

/* Sets @text to the result of @point, or to "" if the point is not done. */
static gboolean read_point_result(const SweepRun *run, guint point,
                                  GString *text, GError **error)
{
    guint record = g_array_index(run->records, guint, point);
    const GString *other =
        g_hash_table_lookup(run->others, GUINT_TO_POINTER(point));

    g_string_truncate(text, 0);
    if (record > 0)
        return journal_append_record_text(run->journal, record, text, error);
    if (other)
        g_string_append_len(text, other->str, (gssize)other->len);
    return TRUE;
}

static gboolean append_point_rows(const SweepRun *run, guint point,
                                  RowsFile file, gboolean has_model,
                                  GString *text, GString *out, GError **error)
{
    const char *parts[POINT_TEXT_N_PARTS];

    if (!read_point_result(run, point, text, error))
        return FALSE;
    if (!point_text_split(text->str, text->len, parts) || *parts[file] == '\0')
        return TRUE;
    if (file == ROWS_RUNS && !has_model)
        rows_append_without_model(out, parts[file]);
    else
        g_string_append(out, parts[file]);
    return TRUE;
}

/* Sets *@ret to whether the row of some point is that of a language model. */
static gboolean find_model_row(const SweepRun *run, GString *text,
                               gboolean *ret, GError **error)
{
    const char *parts[POINT_TEXT_N_PARTS];

    *ret = FALSE;
    for (guint i = 0; i < run->records->len && !*ret; i++) {
        if (!read_point_result(run, i, text, error))
            return FALSE;
        *ret = point_text_split(text->str, text->len, parts) &&
               *parts[ROWS_RUNS] != '\0' &&
               rows_row_has_model_cells(parts[ROWS_RUNS]);
    }
    return TRUE;
}

gboolean sweep_run_write_csv(const SweepRun *run, RowsFile file,
                             SweepCsvFn take, gpointer self, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    guint n = run->records->len;
    gboolean has_model = FALSE;

    if (file == ROWS_RUNS && !find_model_row(run, text, &has_model, error))
        return FALSE;
    append_csv_header(out, run->plan, file, has_model);
    if (!take(self, out, error))
        return FALSE;
    g_string_truncate(out, 0);
    for (guint i = 0; i < n; i++) {
        if (!append_point_rows(run, i, file, has_model, text, out, error))
            return FALSE;
        if (out->len < PART_BYTES && i + 1 < n)
            continue;
        if (!take(self, out, error))
            return FALSE;
        g_string_truncate(out, 0);
    }
    return TRUE;
}
