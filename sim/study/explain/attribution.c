/* attribution.c - the parts of an iteration's time; see attribution.h */
#include "sim/study/explain/attribution.h"

#include "sim/config/quantity.h"

const AttributionGroup attribution_groups[] = {
    { "compute", "compute" },
    { "slowed", "compute slowed by communication" },
    { "link", "waiting for link bandwidth" },
    { "latency", "waiting for link latency" },
    { "endpoint", "waiting for the endpoint" },
    { "bubble", "pipeline bubble" },
    { "tp", "exposed, tensor parallel" },
    { "cp", "exposed, context parallel" },
    { "ep", "exposed, expert parallel" },
    { "pp", "exposed, pipeline parallel" },
    { "dp", "exposed, data parallel" },
    { "other", "other waits" },
    { 0 },
};

/* The parts of a language model, which are columns of runs.csv. */
static const struct {
    const char *column, *name, *label, *group;
} model_parts[] = {
    { "compute_time_us", "compute", "kernels", "compute" },
    { "bubble_warm_up_us", "bubble.warm_up", "bubble: warm-up", "bubble" },
    { "bubble_cool_down_us", "bubble.cool_down", "bubble: cool-down",
      "bubble" },
    { "bubble_imbalance_us", "bubble.imbalance", "bubble: imbalance",
      "bubble" },
    { "exposed_tp_us", "exposed.tp", "exposed tensor-parallel communication",
      "tp" },
    { "exposed_cp_us", "exposed.cp", "exposed context-parallel communication",
      "cp" },
    { "exposed_ep_us", "exposed.ep", "exposed expert-parallel communication",
      "ep" },
    { "exposed_pp_us", "exposed.pp", "exposed messages between stages", "pp" },
    { "exposed_dp_us", "exposed.dp", "exposed data-parallel communication",
      "dp" },
    { "other_wait_us", "exposed.other", "other waits", "other" },
};

static void clear_attribution_part(gpointer data)
{
    AttributionPart *part = data;

    g_free(part->name);
    g_free(part->label);
}

static GArray *new_attribution_parts(void)
{
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(AttributionPart));

    g_array_set_clear_func(parts, clear_attribution_part);
    return parts;
}

/* ---- the rows of a critical path as parts -------------------------------- */

static const char *attribution_group_of_path_row(uint32_t row)
{
    if (!path_row_is_wait(row))
        return row >= PATH_SIDE_SLOWDOWN ? "slowed" : "compute";
    if (row >= PATH_LATENCIES)
        return "latency";
    if (row >= PATH_LINKS || row == PATH_NETWORK)
        return "link";
    return row < PATH_SIDE ? "endpoint" : "other";
}

static void add_path_row(GArray *parts, const Explanation *explanation,
                         uint32_t row)
{
    gboolean is_wait = path_row_is_wait(row);
    g_autofree char *id = critical_path_row_id(explanation, row);
    g_autofree char *what = critical_path_row_name(explanation, row);
    AttributionPart part = {
        .name = g_strconcat(is_wait ? "exposed." : "compute.", id, NULL),
        .label = g_strconcat(is_wait                     ? "waiting for "
                             : row >= PATH_SIDE_SLOWDOWN ? "slowed by "
                                                         : "compute: ",
                             what, NULL),
        .group = attribution_group_of_path_row(row),
        .time_ps = explanation->rows_ps[row],
    };

    g_array_append_val(parts, part);
}

GArray *attribution_of_path(const Explanation *explanation)
{
    GArray *parts = new_attribution_parts();

    for (guint i = 0; i < explanation->n_rows; i++)
        if (explanation->rows_ps[explanation->order[i]] > 0)
            add_path_row(parts, explanation, explanation->order[i]);
    return parts;
}

GArray *attribution_simulate(const SystemConfig *config, RunOptions run_options,
                             SimTime *ret_iteration_ps, GError **error)
{
    g_autoptr(System) system = system_new(config, run_options, error);
    g_autoptr(Explanation) e =
        system ? explain_run_path(system, run_options, (RunWatch){ 0 }, error)
               : NULL;

    if (!e)
        return NULL;
    *ret_iteration_ps = e->r.iteration_ps;
    return attribution_of_path(e);
}

/* ---- the columns of a language model as parts ---------------------------- */

/* Sets *@ret to the cell of a time in microseconds, without rounding. */
static gboolean read_time_cell(const CsvTable *table, guint row,
                               const char *name, SimTime *ret)
{
    g_autofree char *text = NULL;
    guint column;

    if (!csv_table_column(table, name, &column, NULL))
        return FALSE;
    text = g_strconcat(csv_table_text(table, row, column), " us", NULL);
    return quantity_parse(text, CONFIG_TIME, ret, NULL);
}

GArray *attribution_of_model_row(const CsvTable *table, guint row)
{
    g_autoptr(GArray) parts = new_attribution_parts();

    for (guint i = 0; i < G_N_ELEMENTS(model_parts); i++) {
        AttributionPart part = { .group = model_parts[i].group };

        if (!read_time_cell(table, row, model_parts[i].column, &part.time_ps))
            return NULL;
        if (part.time_ps == 0)
            continue;
        part.name = g_strdup(model_parts[i].name);
        part.label = g_strdup(model_parts[i].label);
        g_array_append_val(parts, part);
    }
    return g_steal_pointer(&parts);
}

/* ---- rows of attribution.csv --------------------------------------------- */

typedef struct {
    const AttributionPart *part;
    SimTime sum_ps;
} AttributionRow;

static void append_name_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, ((const AttributionRow *)row)->part->name);
}

static void append_label_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, ((const AttributionRow *)row)->part->label);
}

static void append_group_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, ((const AttributionRow *)row)->part->group);
}

static void append_time_cell(GString *out, gconstpointer row)
{
    csv_add_fixed(out, ((const AttributionRow *)row)->part->time_ps, 6);
}

static void append_share_cell(GString *out, gconstpointer row)
{
    const AttributionRow *at = row;

    csv_add_ratio(out, at->part->time_ps, at->sum_ps, 6);
}

const Column attribution_columns[] = {
    { "part", UNIT_TEXT, append_name_cell },
    { "label", UNIT_TEXT, append_label_cell },
    { "group", UNIT_TEXT, append_group_cell },
    { "time_us", UNIT_US, append_time_cell },
    { "share", UNIT_RATIO, append_share_cell },
    { 0 },
};

void attribution_append_rows(GString *out, const char *cells,
                             const GArray *parts)
{
    AttributionRow at = { 0 };

    for (guint i = 0; i < parts->len; i++)
        at.sum_ps += g_array_index(parts, AttributionPart, i).time_ps;
    for (guint i = 0; i < parts->len; i++) {
        at.part = &g_array_index(parts, AttributionPart, i);
        g_string_append(out, cells);
        columns_append_row(out, attribution_columns, &at);
    }
}
