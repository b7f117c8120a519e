/* run_csv.c - see run_csv.h */
#include "sim/sweep/reading/run_csv.h"

#include "sim/core/csv.h"
#include "sim/sweep/point_text.h"

#define PART_BYTES (256 * 1024)

static void add_header(GString *out, const SweepPlan *plan, RowsFile file)
{
    for (guint i = 0; i < sweep_plan_n_axes(plan); i++)
        if (!rows_is_column(sweep_plan_key(plan, i)))
            csv_add_text(out, sweep_plan_key(plan, i));
    rows_add_header(out, file);
}

/* Sets @text to the result of @point, or to "" if the point is not done. */
static gboolean read_point(const SweepRun *run, guint point, GString *text,
                           GError **error)
{
    guint record = g_array_index(run->records, guint, point);
    const GString *other =
        g_hash_table_lookup(run->others, GUINT_TO_POINTER(point));

    g_string_truncate(text, 0);
    if (record > 0)
        return journal_read_text(run->journal, record, text, error);
    if (other)
        g_string_append_len(text, other->str, (gssize)other->len);
    return TRUE;
}

static gboolean add_point(const SweepRun *run, guint point, RowsFile file,
                          GString *text, GString *out, GError **error)
{
    const char *parts[POINT_TEXT_N_PARTS];

    if (!read_point(run, point, text, error))
        return FALSE;
    if (point_text_split(text->str, text->len, parts))
        g_string_append(out, parts[file]);
    return TRUE;
}

gboolean sweep_run_csv(const SweepRun *run, RowsFile file, SweepCsvFn take,
                       gpointer self, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    guint n = run->records->len;

    add_header(out, run->plan, file);
    if (!take(self, out, error))
        return FALSE;
    g_string_truncate(out, 0);
    for (guint i = 0; i < n; i++) {
        if (!add_point(run, i, file, text, out, error))
            return FALSE;
        if (out->len < PART_BYTES && i + 1 < n)
            continue;
        if (!take(self, out, error))
            return FALSE;
        g_string_truncate(out, 0);
    }
    return TRUE;
}
