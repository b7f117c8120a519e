/*
 * json_rows.c - writes the results of runs and sweeps as JSON; see json_rows.h
 */
#include "sim/view/json_rows.h"

#include "models/run/report/faster_algorithm_note.h"
#include "models/run/report/run_notes.h"
#include "sim/study/rows/run_rows.h"

/* ---- the cells of a row as JSON ------------------------------------------ */

/* Adds all cells except that of column @omitted_column, which may be NULL. */
static void json_add_row_cells(Json *json, const Column *columns,
                               const CsvTable *table, guint row,
                               const char *omitted_column)
{
    for (guint i = 0; i < csv_table_n_columns(table); i++) {
        const char *name = csv_table_column_name(table, i);
        const char *cell = csv_table_text(table, row, i);
        const Column *column = columns_find(columns, name);
        gboolean is_number = column ? column->unit != UNIT_TEXT
                                    : csv_table_is_number_column(table, i);

        if (g_strcmp0(name, omitted_column) == 0)
            continue;
        if (*cell == '\0')
            json_add_raw(json, name, "null");
        else if (is_number)
            json_add_raw(json, name, cell);
        else
            json_add_text(json, name, cell);
    }
}

void json_add_row(Json *json, const Column *columns, const CsvTable *table,
                  guint row)
{
    json_add_row_cells(json, columns, table, row, NULL);
}

static CsvTable *parse_csv_rows(const GString *rows)
{
    CsvTable *table = csv_table_parse("rows", rows->str, rows->len, NULL);

    g_assert(table); /* cannot fail: the program wrote the rows */
    return table;
}

/* Adds all rows, without the column called @omitted_column unless that is
 * NULL. */
static void json_add_table_rows(Json *json, const char *key,
                                const Column *columns, const GString *rows,
                                const char *omitted_column)
{
    g_autoptr(CsvTable) table = parse_csv_rows(rows);

    json_begin_array(json, key);
    for (guint i = 0; i < csv_table_n_rows(table); i++) {
        json_begin_object(json, NULL);
        json_add_row_cells(json, columns, table, i, omitted_column);
        json_end_object(json);
    }
    json_end_array(json);
}

/* ---- the results of a run as JSON ---------------------------------------- */

static void json_add_explanation(Json *json, const Explanation *explanation)
{
    g_autoptr(GString) parts = g_string_new(NULL);
    g_autoptr(GString) behind = g_string_new(NULL);
    g_autoptr(GString) what_ifs = g_string_new(NULL);

    explain_append_rows_csv(parts, explanation);
    explain_append_blockers_csv(behind, explanation);
    explain_append_what_ifs_csv(what_ifs, explanation);
    json_add_table_rows(json, "critical_path", explain_columns, parts, "notes");
    json_add_table_rows(json, "in_front", explain_blocker_columns, behind,
                        NULL);
    json_add_table_rows(json, "what_ifs", explain_what_if_columns, what_ifs,
                        NULL);
}

/* Adds the jobs of a run with several workloads. */
static void json_add_jobs(Json *json, const SystemConfig *config,
                          const System *system)
{
    g_autoptr(GString) rows = g_string_new(NULL);
    g_autofree Column *columns = rows_list_columns(ROWS_JOBS);

    if (system_graph(system)->jobs->len == 0)
        return;
    rows_append(rows, ROWS_JOBS, NULL, config, system, NULL);
    json_add_table_rows(json, "jobs", columns, rows, NULL);
}

static void json_add_names(Json *json, const char *key, const GPtrArray *names)
{
    json_begin_array(json, key);
    for (guint i = 0; i < names->len; i++)
        json_add_text(json, NULL, g_ptr_array_index(names, i));
    json_end_array(json);
}

/* Adds the notes as an array; in CSV they are one cell. */
static void json_add_notes(Json *json, const SystemConfig *config,
                           const System *system)
{
    g_autoptr(RunNotes) notes = run_notes_new(system);
    g_autoptr(GPtrArray) texts = run_notes_list(notes, config);
    g_autoptr(GPtrArray) all = g_ptr_array_new();

    if (config->rounded)
        g_ptr_array_extend(all, (GPtrArray *)config->rounded, NULL, NULL);
    add_faster_algorithm_note(texts, system);
    g_ptr_array_extend(all, texts, NULL, NULL);
    json_add_names(json, "notes", all);
}

GString *json_run_text(const char *path, const SystemConfig *config,
                       const System *system, const Explanation *explanation)
{
    GString *out = g_string_new(NULL);
    Json json = { .out = out };
    g_autoptr(GString) rows = g_string_new(NULL);
    g_autoptr(CsvTable) table = NULL;
    g_autofree Column *columns = rows_list_columns(ROWS_RUNS);

    rows_append(rows, ROWS_RUNS, NULL, config, system, NULL);
    table = parse_csv_rows(rows);
    json_begin_object(&json, NULL);
    json_add_u64(&json, "format", JSON_ROWS_FORMAT);
    json_add_text(&json, "version", ACESIM_VERSION);
    json_add_text(&json, "config", path);
    json_add_bool(&json, "folded",
                  !system_unfolded_reason(system) ||
                      system_n_simulated_npus(system) <
                          topology_n_npus(system_topology(system)));
    json_add_row_cells(&json, columns, table, 0, "notes");
    json_add_jobs(&json, config, system);
    json_add_notes(&json, config, system);
    if (explanation)
        json_add_explanation(&json, explanation);
    json_end_object(&json);
    return out;
}

/* ---- a comparison as JSON ------------------------------------------------ */

static void json_add_mean(Json *json, const Comparison *comparison,
                          const ComparePair *pair)
{
    CompareMean mean =
        compare_mean(comparison, pair, compare_offload_name(comparison, pair));
    g_autofree char *speedup = g_strdup_printf("%.4f", mean.speedup);
    g_autofree char *max = g_strdup_printf("%.4f", mean.max_speedup);
    g_autofree char *ceiling = g_strdup_printf("%.4f", mean.ceiling);
    g_autofree char *built = g_strdup_printf("%.4f", mean.built_speedup);
    g_autofree char *max_built =
        g_strdup_printf("%.4f", mean.max_built_speedup);

    json_begin_object(json, NULL);
    json_add_text(
        json, "workload",
        csv_table_text(comparison->table, pair->row, comparison->workload));
    for (guint k = 0; k < comparison->keys->len; k++) {
        guint column = g_array_index(comparison->keys, guint, k);

        json_add_text(json, csv_table_column_name(comparison->table, column),
                      csv_table_text(comparison->table, pair->row, column));
    }
    json_add_text(json, "offload", compare_offload_name(comparison, pair));
    json_add_raw(json, "mean_speedup", speedup);
    json_add_raw(json, "max_speedup", max);
    json_add_raw(json, "mean_best_built_speedup",
                 mean.n_built > 0 ? built : "null");
    json_add_raw(json, "max_best_built_speedup",
                 mean.n_built > 0 ? max_built : "null");
    json_add_raw(json, "mean_ceiling", mean.ceiling > 0 ? ceiling : "null");
    json_end_object(json);
}

/* Returns whether pair @i is the first of its group and offload; it represents
 * them. */
static gboolean is_first_of_group_and_offload(const Comparison *comparison,
                                              guint i)
{
    const ComparePair *pair = compare_pair(comparison, i);

    return compare_mean(comparison, pair,
                        compare_offload_name(comparison, pair))
               .first == i;
}

GString *json_compare_text(const Comparison *comparison)
{
    GString *out = g_string_new(NULL);
    Json json = { .out = out };
    g_autoptr(GString) rows = compare_csv(comparison);

    json_begin_object(&json, NULL);
    json_add_u64(&json, "format", JSON_ROWS_FORMAT);
    json_add_text(&json, "version", ACESIM_VERSION);
    json_add_names(&json, "baselines", comparison->baselines);
    json_add_names(&json, "best", comparison->best);
    json_add_names(&json, "offloads", comparison->offloads);
    json_add_table_rows(&json, "pairs", compare_columns, rows, NULL);
    json_add_names(&json, "notes", comparison->notes);
    json_begin_array(&json, "means");
    for (guint i = 0; i < comparison->pairs->len; i++)
        if (is_first_of_group_and_offload(comparison, i))
            json_add_mean(&json, comparison, compare_pair(comparison, i));
    json_end_array(&json);
    json_end_object(&json);
    return out;
}
