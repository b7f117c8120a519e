/*
 * report_json.c - the data of a report as one JSON block
 *
 * Columns are arrays; texts are indices into the distinct values of a column,
 * and null is a missing number.  Parts, groups, changes and settings are listed
 * once and then referred to by index, so that a point takes some 250 bytes.  No
 * byte of the block is a `<`, so that it cannot end its element.
 */
#include "sim/view/report/report_impl.h"

#include <math.h>
#include <string.h>

#include "sim/core/json_writer.h"
#include "sim/sweep/point_command.h"

#define JSON_REPORT_FORMAT 1

/* Texts in the order of their first appearance. */
typedef struct {
    GHashTable *index; /* owned: borrowed text -> 1 + number */
    GPtrArray *texts;  /* owned, of borrowed text */
} TextList;

static TextList text_list_new(void)
{
    return (TextList){ g_hash_table_new(g_str_hash, g_str_equal),
                       g_ptr_array_new() };
}

static void text_list_clear(TextList *list)
{
    g_hash_table_unref(list->index);
    g_ptr_array_unref(list->texts);
}

static guint text_list_add(TextList *list, const char *text)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(list->index, text));

    if (number > 0)
        return number - 1;
    g_ptr_array_add(list->texts, (gpointer)text);
    g_hash_table_insert(list->index, (gpointer)text,
                        GUINT_TO_POINTER(list->texts->len));
    return list->texts->len - 1;
}

static void append_json_key(GString *out, const char *key)
{
    json_append_quoted(out, key);
    g_string_append_c(out, ':');
}

static void append_json_text(GString *out, const char *key, const char *text)
{
    append_json_key(out, key);
    json_append_quoted(out, text);
    g_string_append(out, ",\n");
}

static void append_text_array(GString *out, const GPtrArray *texts)
{
    g_string_append_c(out, '[');
    for (guint i = 0; i < texts->len; i++) {
        g_string_append(out, i > 0 ? "," : "");
        json_append_quoted(out, g_ptr_array_index(texts, i));
    }
    g_string_append_c(out, ']');
}

/* Ends a list in place of the comma behind its last item. */
static void end_json_list(GString *out, const char *end)
{
    while (out->len > 0 && strchr(",\n", out->str[out->len - 1]))
        g_string_truncate(out, out->len - 1);
    g_string_append(out, end);
}

/* ---- columns ------------------------------------------------------------- */

static void append_computed_data(GString *out, const ReportPage *page,
                                 const ReportColumn *column)
{
    for (guint i = 0; i < page->rows->len; i++) {
        double value = column->values[g_array_index(page->rows, guint, i)];

        if (isnan(value))
            g_string_append(out, "null,");
        else
            g_string_append_printf(out, "%.4f,", value);
    }
}

static void append_number_data(GString *out, const ReportPage *page,
                               const ReportColumn *column)
{
    for (guint i = 0; i < page->rows->len; i++) {
        const char *text = results_cell_text(
            page->r, g_array_index(page->rows, guint, i), column->column);
        double ignored;

        g_string_append_printf(
            out, "%s,", results_parse_number(text, &ignored) ? text : "null");
    }
}

static void append_text_data(GString *out, const ReportPage *page,
                             const ReportColumn *column)
{
    TextList values = text_list_new();
    g_autoptr(GString) data = g_string_new(NULL);

    for (guint i = 0; i < page->rows->len; i++)
        g_string_append_printf(
            data, "%u,",
            text_list_add(&values,
                          results_cell_text(page->r,
                                            g_array_index(page->rows, guint, i),
                                            column->column)));
    append_json_key(out, "values");
    append_text_array(out, values.texts);
    g_string_append_c(out, ',');
    append_json_key(out, "data");
    g_string_append_printf(out, "[%s", data->str);
    text_list_clear(&values);
}

static void append_column_as_json(GString *out, const ReportPage *page,
                                  const ReportColumn *column)
{
    g_string_append_c(out, '{');
    append_json_key(out, "name");
    json_append_quoted(out, column->name);
    g_string_append_c(out, ',');
    append_json_key(out, "label");
    json_append_quoted(out, column->label);
    if (column->unit) {
        g_string_append_c(out, ',');
        append_json_key(out, "unit");
        json_append_quoted(out, column->unit);
    }
    if (column->better) {
        g_string_append_c(out, ',');
        append_json_key(out, "better");
        json_append_quoted(out, column->better);
    }
    g_string_append_printf(out, ",\"kind\":\"%s\",\"shown\":%u,\"optional\":%u",
                           column->is_axis ? "axis" : "metric",
                           column->is_shown, column->is_optional);
    if (column->digits != G_MAXUINT)
        g_string_append_printf(out, ",\"divide\":%.10g,\"digits\":%u",
                               column->is_percent ? 0.01 : column->scale,
                               column->digits);
    if (column->column == page->r->n_npus)
        g_string_append(out, ",\"after\":\" NPUs\"");
    else if (column->is_axis && column->is_number) {
        g_string_append_c(out, ',');
        append_json_key(out, "before");
        json_append_quoted(out, column->label);
    }
    g_string_append_c(out, ',');
    if (!column->is_number) {
        append_text_data(out, page, column);
    } else {
        append_json_key(out, "data");
        g_string_append_c(out, '[');
        if (column->values)
            append_computed_data(out, page, column);
        else
            append_number_data(out, page, column);
    }
    end_json_list(out, "]},\n");
}

/* ---- commands ------------------------------------------------------------ */

/* Appends the command and the settings in their order. */
static void append_commands_as_json(GString *out, const ReportPage *page)
{
    const SweepPlan *plan = page->plan->plan;
    g_autofree char *base = plan ? point_command_base(plan) : NULL;
    g_autofree char *quoted = base ? point_command_quote(base) : NULL;
    g_autofree char *command = g_strconcat("acesim run ", quoted, NULL);

    append_json_key(out, "command");
    json_append_quoted(out, base ? command : "");
    g_string_append(out, ",\n");
    append_json_key(out, "settings");
    g_string_append_c(out, '[');
    for (guint i = 0; base && i < sweep_plan_count_settings(plan); i++) {
        g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
        guint axis;
        const char *set = sweep_plan_setting(plan, i, &axis);
        g_autofree char *text = set ? point_command_quote(set) : NULL;

        if (set)
            g_ptr_array_add(texts, g_strconcat(" --set ", text, NULL));
        for (guint v = 0; !set && v < sweep_plan_axis_n_values(plan, axis); v++)
            g_ptr_array_add(texts, point_command_value_text(plan, axis, v));
        g_string_append(out, "{\"set\":");
        append_text_array(out, texts);
        g_string_append(out, ",\"data\":[");
        for (guint k = 0; !set && k < page->rows->len; k++)
            g_string_append_printf(
                out, "%u,",
                sweep_plan_value_index(
                    plan, g_array_index(page->rows, guint, k), axis));
        end_json_list(out, "]},");
    }
    end_json_list(out, "],\n");
}

/* ---- parts and what-ifs -------------------------------------------------- */

static void append_attribution_as_json(GString *out, const ReportPage *page)
{
    TextList names = text_list_new();
    g_autoptr(GPtrArray) parts_of_name = g_ptr_array_new();
    g_autoptr(GString) points = g_string_new("[");

    for (guint i = 0; i < page->rows->len; i++) {
        const GArray *parts =
            page->why->parts->pdata[g_array_index(page->rows, guint, i)];

        if (!parts) {
            g_string_append(points, "null,\n");
            continue;
        }
        g_string_append_c(points, '[');
        for (guint k = 0; k < parts->len; k++) {
            const AttributionPart *part =
                &g_array_index(parts, AttributionPart, k);
            guint number = text_list_add(&names, part->name);

            if (number == parts_of_name->len)
                g_ptr_array_add(parts_of_name, (gpointer)part);
            g_string_append_printf(points, "[%u,%" G_GUINT64_FORMAT "],",
                                   number, part->time_ps);
        }
        end_json_list(points, "],\n");
    }
    end_json_list(points, "]");
    g_string_append(out, "\"groups\":[");
    for (guint g = 0; page->used_groups[g]; g++)
        g_string_append_printf(out, "{\"name\":\"%s\",\"label\":\"%s\"},",
                               page->used_groups[g]->name,
                               page->used_groups[g]->label);
    end_json_list(out, "],\n\"parts\":[");
    for (guint i = 0; i < parts_of_name->len; i++) {
        const AttributionPart *part = g_ptr_array_index(parts_of_name, i);

        g_string_append(out, "{\"name\":");
        json_append_quoted(out, part->name);
        g_string_append(out, ",\"label\":");
        json_append_quoted(out, part->label);
        g_string_append_printf(out, ",\"group\":\"%s\"},\n", part->group);
    }
    end_json_list(out, "],\n\"attribution\":");
    g_string_append(out, points->str);
    g_string_append(out, ",\n");
    text_list_clear(&names);
}

static void append_what_ifs(GString *out, const ReportPage *page)
{
    TextList sets = text_list_new();
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    g_autoptr(GString) points = g_string_new("{");

    for (guint i = 0; i < page->rows->len; i++) {
        const GArray *what_ifs =
            page->why->what_ifs->pdata[g_array_index(page->rows, guint, i)];

        if (!what_ifs || what_ifs->len == 0)
            continue;
        g_string_append_printf(points, "\"%u\":[", i);
        for (guint k = 0; k < what_ifs->len; k++) {
            const PointWhatIf *point_what_if =
                &g_array_index(what_ifs, PointWhatIf, k);
            guint number = text_list_add(&sets, point_what_if->set);

            if (number == labels->len)
                g_ptr_array_add(labels, point_what_if->label);
            g_string_append_printf(points, "[%u,%.6f],", number,
                                   (double)point_what_if->iteration_ps / 1e6);
        }
        end_json_list(points, "],\n");
    }
    end_json_list(points, "}");
    g_string_append(out, "\"factors\":[");
    for (guint i = 0; i < labels->len; i++) {
        g_string_append(out, "{\"label\":");
        json_append_quoted(out, g_ptr_array_index(labels, i));
        g_string_append(out, ",\"set\":");
        json_append_quoted(out, g_ptr_array_index(sets.texts, i));
        g_string_append(out, "},\n");
    }
    end_json_list(out, "],\n\"what_if\":");
    g_string_append(out, points->str);
    text_list_clear(&sets);
}

/* ---- compared points ----------------------------------------------------- */

/* Appends the index of a row among the rows of the page, or -1. */
static void append_row_index(GString *out, const char *key,
                             const guint *index_of, guint row)
{
    g_string_append_printf(out, ",\"%s\":%d", key,
                           row == G_MAXUINT || index_of[row] == G_MAXUINT
                               ? -1
                               : (int)index_of[row]);
}

/* Appends a group of compared points. */
static void append_group_as_json(GString *out, const ReportGroup *group,
                                 const guint *index_of)
{
    g_string_append(out, "{\"points\":[");
    for (guint i = 0; i < group->rows->len; i++) {
        guint index = index_of[g_array_index(group->rows, guint, i)];

        if (index != G_MAXUINT)
            g_string_append_printf(out, "%u,", index);
    }
    end_json_list(out, "]");
    append_row_index(out, "offload", index_of, group->offload);
    append_row_index(out, "baseline", index_of, group->published);
    append_row_index(out, "best", index_of, group->best);
    append_row_index(out, "ideal", index_of, group->ideal_row);
    g_string_append(out, "},\n");
}

/* Appends the groups of which points are on the page, and the group of each
 * point. */
static void append_comparison_as_json(GString *out, const ReportPage *page)
{
    guint n = csv_table_n_rows(page->r->table), n_groups = 0;
    g_autofree guint *index_of = g_new(guint, MAX(n, 1));
    g_autofree guint *number_of = g_new(guint, MAX(page->groups->len, 1));
    g_autoptr(GString) groups = g_string_new(NULL);

    for (guint row = 0; row < n; row++)
        index_of[row] = G_MAXUINT;
    for (guint i = 0; i < page->rows->len; i++)
        index_of[g_array_index(page->rows, guint, i)] = i;
    for (guint g = 0; g < page->groups->len; g++)
        number_of[g] = G_MAXUINT;
    g_string_append(out, "\"compare\":{\"of\":[");
    for (guint i = 0; i < page->rows->len; i++) {
        guint group = page->group_of[g_array_index(page->rows, guint, i)];

        if (group != G_MAXUINT && number_of[group] == G_MAXUINT) {
            number_of[group] = n_groups++;
            append_group_as_json(groups, report_group(page, group), index_of);
        }
        g_string_append_printf(out, "%d,",
                               group == G_MAXUINT ? -1 : (int)number_of[group]);
    }
    end_json_list(out, "],\"groups\":[");
    g_string_append(out, groups->str);
    end_json_list(out, "]},\n");
}

/* Appends the rows of runs.csv that the points are, unless they are all. */
static void append_row_numbers_as_json(GString *out, const ReportPage *page)
{
    if (page->rows->len == csv_table_n_rows(page->r->table))
        return;
    g_string_append(out, "\"rows\":[");
    for (guint i = 0; i < page->rows->len; i++)
        g_string_append_printf(out, "%u,", g_array_index(page->rows, guint, i));
    end_json_list(out, "],\n");
}

GString *report_json_text(const ReportPage *page)
{
    GString *out = g_string_new("{");
    g_autofree char *name = g_path_get_basename(page->r->folder);
    GString *safe = g_string_new(NULL);

    g_string_append_printf(out, "\"format\":%d,\n", JSON_REPORT_FORMAT);
    append_json_text(out, "acesim", ACESIM_VERSION);
    append_json_text(out, "sweep", name);
    append_json_text(out, "question", page->question);
    append_json_text(out, "answer", page->answer);
    append_json_text(out, "support", page->support);
    append_json_key(out, "notes");
    append_text_array(out, page->notes);
    g_string_append_printf(out, ",\n\"n\":%u,\n\"error\":{\"ratio\":%.4f,",
                           page->rows->len, page->error_ratio);
    append_json_key(out, "source");
    json_append_quoted(out, page->error_family ? page->error_family
                                               : page->error_source);
    g_string_append(out, "},\n");
    append_commands_as_json(out, page);
    append_row_numbers_as_json(out, page);
    g_string_append(out, "\"columns\":[");
    for (guint i = 0; i < page->columns->len; i++)
        append_column_as_json(out, page, report_column(page, i));
    end_json_list(out, "],\n");
    append_comparison_as_json(out, page);
    append_attribution_as_json(out, page);
    append_what_ifs(out, page);
    g_string_append(out, "}\n");
    for (const char *p = out->str; *p != '\0'; p++)
        if (*p == '<')
            g_string_append(safe, "\\u003c");
        else
            g_string_append_c(safe, *p);
    g_string_free(out, TRUE);
    return safe;
}
