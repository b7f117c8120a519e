/*
 * point_explanations.c - why the points of a results folder take their time:
 * the parts of their iterations, and what a change would bring; see
 * point_explanations.h
 */
#include "sim/sweep/point_explanations.h"

#include <string.h>

#include "sim/config/quantity.h"
#include "sim/host/process_pool.h"
#include "sim/study/load_run_file.h"
#include "sim/study/tune_endpoint.h"
#include "sim/sweep/point_command.h"
#include "sim/sweep/reading/sweep_reader.h"

/* Limit of the comparisons, or of the points, that
 * WHAT_IFS_OF_COMPARED means. */
#define MAX_WHAT_IF_PAIRS 24
#define SAVE_INTERVAL_US  (30 * G_USEC_PER_SEC)

static void clear_what_if(gpointer data)
{
    PointWhatIf *w = data;

    g_free(w->set);
    g_free(w->label);
}

static void clear_explained_part(gpointer data)
{
    AttributionPart *part = data;

    g_free(part->name);
    g_free(part->label);
}

static GArray *new_array_of_parts(void)
{
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(AttributionPart));

    g_array_set_clear_func(parts, clear_explained_part);
    return parts;
}

static GArray *new_what_ifs(void)
{
    GArray *what_ifs = g_array_new(FALSE, FALSE, sizeof(PointWhatIf));

    g_array_set_clear_func(what_ifs, clear_what_if);
    return what_ifs;
}

static void free_array_of_parts(gpointer array)
{
    if (array)
        g_array_unref(array);
}

/* Returns the group of that name, or NULL. */
static const char *find_attribution_group(const char *name)
{
    for (const AttributionGroup *g = attribution_groups; g->name; g++)
        if (g_str_equal(g->name, name))
            return g->name;
    return NULL;
}

/* ---- rows and their cells ------------------------------------------------ */

/* Appends the cells that name the point of @row, each with a comma. */
static void append_point_cells(GString *out, const CsvTable *table, guint row,
                               guint n_columns)
{
    for (guint i = 0; i < n_columns; i++)
        csv_add_text(out, csv_table_text(table, row, i));
}

static gboolean read_time_of_cell(const CsvTable *table, guint row,
                                  guint column, SimTime *ret)
{
    g_autofree char *text =
        g_strconcat(csv_table_text(table, row, column), " us", NULL);

    return quantity_parse(text, CONFIG_TIME, ret, NULL);
}

static SimTime iteration_time_of_row(const SweepResults *results, guint row)
{
    SimTime ps = 0;
    guint column;

    return csv_table_column(results->table, "iteration_time_us", &column,
                            NULL) &&
                   read_time_of_cell(results->table, row, column, &ps)
               ? ps
               : 0;
}

static SimTime sum_of_parts(const GArray *parts)
{
    SimTime sum_ps = 0;

    for (guint i = 0; i < parts->len; i++)
        sum_ps += g_array_index(parts, AttributionPart, i).time_ps;
    return sum_ps;
}

/* ---- what earlier reports wrote ------------------------------------------ */

typedef struct {
    const SweepResults *r;
    CsvTable *table;       /* owned: the file that is read */
    GHashTable *row_of;    /* owned: cells of a point (owned) -> 1 + its row */
    guint n_point_columns; /* the number of columns that name the point */
    guint columns[4];      /* the others that are read */
} OldFile;

static void clear_old_file(OldFile *old)
{
    csv_table_free(old->table);
    g_clear_pointer(&old->row_of, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(OldFile, clear_old_file)

static gboolean has_same_point_columns(const OldFile *old)
{
    for (guint i = 0; i < old->n_point_columns; i++)
        if (i >= csv_table_n_columns(old->table) ||
            !g_str_equal(csv_table_column_name(old->table, i),
                         csv_table_column_name(old->r->table, i)))
            return FALSE;
    return TRUE;
}

/* Loads @name from the results folder.  Returns FALSE if it is absent or
 * unreadable, or lacks the columns of a point or one of @columns. */
static gboolean load_old_file(OldFile *old, const SweepResults *results,
                              const char *name, const char *const *columns)
{
    g_autofree char *path = g_build_filename(results->folder, name, NULL);

    old->r = results;
    old->n_point_columns = results->endpoint + 1;
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) ||
        !(old->table = csv_table_load(path, NULL)) ||
        !has_same_point_columns(old))
        return FALSE;
    for (guint i = 0; columns[i]; i++)
        if (!csv_table_column(old->table, columns[i], &old->columns[i], NULL))
            return FALSE;
    old->row_of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < results->rows->len; i++) {
        GString *cells = g_string_new(NULL);

        append_point_cells(cells, results->table, results_row_at(results, i),
                           old->n_point_columns);
        g_hash_table_insert(old->row_of, g_string_free(cells, FALSE),
                            GUINT_TO_POINTER(results_row_at(results, i) + 1));
    }
    return TRUE;
}

/* Returns 1 + the row of runs.csv that row @i of the file is about, or 0. */
static guint find_row_of_old_row(const OldFile *old, guint i)
{
    g_autoptr(GString) cells = g_string_new(NULL);

    append_point_cells(cells, old->table, i, old->n_point_columns);
    return GPOINTER_TO_UINT(g_hash_table_lookup(old->row_of, cells->str));
}

static void read_old_parts(PointExplanations *explanations,
                           const SweepResults *results)
{
    static const char *const columns[] = { "part", "label", "group", "time_us",
                                           NULL };
    g_auto(OldFile) old = { 0 };

    if (!load_old_file(&old, results, "attribution.csv", columns))
        return;
    for (guint i = 0; i < csv_table_n_rows(old.table); i++) {
        guint row = find_row_of_old_row(&old, i);
        AttributionPart part = {
            .group = find_attribution_group(
                csv_table_text(old.table, i, old.columns[2])),
        };

        if (row == 0 || !part.group ||
            !read_time_of_cell(old.table, i, old.columns[3], &part.time_ps))
            continue;
        part.name = g_strdup(csv_table_text(old.table, i, old.columns[0]));
        part.label = g_strdup(csv_table_text(old.table, i, old.columns[1]));
        if (!explanations->parts->pdata[row - 1])
            explanations->parts->pdata[row - 1] = new_array_of_parts();
        g_array_append_val((GArray *)explanations->parts->pdata[row - 1], part);
    }
    for (guint row = 0; row < explanations->parts->len; row++) {
        GArray *parts = explanations->parts->pdata[row];

        if (parts && sum_of_parts(parts) != iteration_time_of_row(results, row))
            g_clear_pointer(&explanations->parts->pdata[row],
                            free_array_of_parts);
    }
}

/* A point keeps its what-ifs only if its parts still fit. */
static void read_old_what_ifs(PointExplanations *explanations,
                              const SweepResults *results)
{
    static const char *const columns[] = { "set", "label", "iteration_time_us",
                                           NULL };
    g_auto(OldFile) old = { 0 };

    if (!load_old_file(&old, results, "what_ifs.csv", columns))
        return;
    for (guint i = 0; i < csv_table_n_rows(old.table); i++) {
        guint row = find_row_of_old_row(&old, i);
        PointWhatIf w = { 0 };

        if (row == 0 || !explanations->parts->pdata[row - 1] ||
            !read_time_of_cell(old.table, i, old.columns[2], &w.iteration_ps))
            continue;
        w.set = g_strdup(csv_table_text(old.table, i, old.columns[0]));
        w.label = g_strdup(csv_table_text(old.table, i, old.columns[1]));
        if (!explanations->what_ifs->pdata[row - 1])
            explanations->what_ifs->pdata[row - 1] = new_what_ifs();
        g_array_append_val((GArray *)explanations->what_ifs->pdata[row - 1], w);
    }
}

static void read_model_parts(PointExplanations *explanations,
                             const SweepResults *results)
{
    for (guint i = 0; i < results->rows->len; i++) {
        guint row = results_row_at(results, i);
        GArray *parts = explanations->parts->pdata[row]
                            ? NULL
                            : attribution_of_model_row(results->table, row);

        if (parts && sum_of_parts(parts) == iteration_time_of_row(results, row))
            explanations->parts->pdata[row] = parts;
        else
            free_array_of_parts(parts);
    }
}

/* ---- simulating points again --------------------------------------------- */

/* A piece of work: the parts of a row, or its what-ifs. */
typedef struct {
    guint row;
    gboolean is_what_ifs;
} ExplainPiece;

typedef struct {
    const SweepResults *r;
    const FolderPlan *folder;
    char *base;          /* owned: the base file, or NULL */
    SweepReader *reader; /* owned */
    GArray *pieces;      /* owned: of ExplainPiece */
    PointExplanations *points;
    const ExplainEffort *effort;
    gint64 saved_us; /* when .effort->save was called last */
} PointExplainer;

/* Appends a line for each part: name, label, group and time. */
static void write_parts_of_point(PointExplainer *explainer, guint row,
                                 GString *out)
{
    g_autoptr(GError) error = NULL;
    const SystemConfig *config =
        sweep_reader_read(explainer->reader, row, &error);
    g_autoptr(TuneResult) tuned = NULL;
    g_autoptr(GArray) parts = NULL;
    SimTime iteration_ps;

    if (config && endpoint_tuning_is_needed(config)) {
        tuned = tune_endpoint(config, (RunOptions){ 0 }, &error);
        config = tuned ? tuned->config : NULL;
    }
    if (config)
        parts = attribution_simulate(config, (RunOptions){ 0 }, &iteration_ps,
                                     &error);
    for (guint i = 0; parts && i < parts->len; i++) {
        const AttributionPart *part = &g_array_index(parts, AttributionPart, i);

        g_string_append_printf(out, "%s\t%s\t%s\t%" G_GUINT64_FORMAT "\n",
                               part->name, part->label, part->group,
                               part->time_ps);
    }
}

/* Loads the run of a point with the values that tuning chose as settings. */
static ConfigDoc *load_tuned_run(const PointExplainer *explainer, guint row,
                                 GPtrArray *sets, SystemConfig *config,
                                 GError **error)
{
    g_autoptr(ConfigDoc) doc =
        load_run(explainer->base, (char **)sets->pdata, config, error);
    g_autoptr(TuneResult) tuned = NULL;
    g_auto(GStrv) chosen = NULL;

    (void)row;
    if (!doc || !endpoint_tuning_is_needed(config))
        return g_steal_pointer(&doc);
    tuned = tune_endpoint(config, (RunOptions){ 0 }, error);
    if (!tuned)
        return NULL;
    chosen = list_tuned_endpoint_settings(tuned);
    g_ptr_array_remove_index(sets, sets->len - 1);
    for (guint i = 0; chosen[i]; i++)
        g_ptr_array_add(sets, g_strdup(chosen[i]));
    g_ptr_array_add(sets, NULL);
    return load_run(explainer->base, (char **)sets->pdata, config, error);
}

/* Appends a line for each what-if: settings, label and time. */
static void write_what_ifs_of_point(PointExplainer *explainer, guint row,
                                    GString *out)
{
    g_autoptr(GPtrArray) sets =
        point_command_settings(explainer->folder->plan, row);
    g_autoptr(GError) error = NULL;
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        load_tuned_run(explainer, row, sets, &config, &error);
    g_autoptr(System) system =
        doc ? system_new(&config, (RunOptions){ 0 }, &error) : NULL;
    g_autoptr(Explanation) e = NULL;

    if (!system || !system_run(system, &error))
        return;
    e = explain_new(explainer->base, (char **)sets->pdata, (RunOptions){ 0 },
                    &config, system, run_many_in_process, &error);
    for (guint i = 0; e && i < e->what_ifs->len; i++) {
        const WhatIf *what_if = &g_array_index(e->what_ifs, WhatIf, i);
        g_autofree char *set = g_strjoinv(" ", what_if->sets);

        if (!what_if->reason && what_if->iteration_ps > 0)
            g_string_append_printf(out, "%s\t%s\t%" G_GUINT64_FORMAT "\n", set,
                                   what_if->name, what_if->iteration_ps);
    }
}

static void explain_point_piece(gpointer self, guint i, GString *out)
{
    PointExplainer *explainer = self;
    const ExplainPiece *piece =
        &g_array_index(explainer->pieces, ExplainPiece, i);

    if (piece->is_what_ifs)
        write_what_ifs_of_point(explainer, piece->row, out);
    else
        write_parts_of_point(explainer, piece->row, out);
}

static void receive_explained_parts(PointExplainer *explainer, guint row,
                                    char **lines)
{
    g_autoptr(GArray) parts = new_array_of_parts();

    for (guint i = 0; lines[i] && *lines[i] != '\0'; i++) {
        g_auto(GStrv) cells = g_strsplit(lines[i], "\t", 4);
        AttributionPart part = {
            .name = g_strdup(cells[0]),
            .label = g_strdup(cells[1]),
            .group = find_attribution_group(cells[2]),
            .time_ps = g_ascii_strtoull(cells[3], NULL, 10),
        };

        g_array_append_val(parts, part);
    }
    if (parts->len == 0)
        return;
    if (sum_of_parts(parts) == iteration_time_of_row(explainer->r, row))
        explainer->points->parts->pdata[row] = g_steal_pointer(&parts);
    else
        explainer->points->n_changed++;
}

static void receive_what_ifs(PointExplainer *explainer, guint row, char **lines)
{
    GArray *what_ifs = new_what_ifs();

    for (guint i = 0; lines[i] && *lines[i] != '\0'; i++) {
        g_auto(GStrv) cells = g_strsplit(lines[i], "\t", 3);
        PointWhatIf w = {
            .set = g_strdup(cells[0]),
            .label = g_strdup(cells[1]),
            .iteration_ps = g_ascii_strtoull(cells[2], NULL, 10),
        };

        g_array_append_val(what_ifs, w);
    }
    free_array_of_parts(explainer->points->what_ifs->pdata[row]);
    explainer->points->what_ifs->pdata[row] = what_ifs;
}

static void receive_explained_piece(gpointer self, guint i, const GString *text,
                                    const char *reason)
{
    PointExplainer *explainer = self;
    const ExplainPiece *piece =
        &g_array_index(explainer->pieces, ExplainPiece, i);
    Progress *progress = explainer->effort->progress;
    gboolean has_result = text && !reason && text->len > 0;
    g_auto(GStrv) lines = NULL;

    if (progress) {
        progress->n_done++;
        progress->n_failed += has_result ? 0 : 1;
    }
    if (!has_result)
        return;
    lines = g_strsplit(text->str, "\n", -1);
    if (piece->is_what_ifs)
        receive_what_ifs(explainer, piece->row, lines);
    else
        receive_explained_parts(explainer, piece->row, lines);
}

static void add_piece_to_explain(PointExplainer *explainer, GHashTable *seen,
                                 guint row, gboolean is_what_ifs)
{
    const ExplainPiece piece = { row, is_what_ifs };
    const GPtrArray *known =
        is_what_ifs ? explainer->points->what_ifs : explainer->points->parts;
    gpointer key = GUINT_TO_POINTER(2 * row + (is_what_ifs ? 2 : 1));

    if (!known->pdata[row] && g_hash_table_add(seen, key))
        g_array_append_val(explainer->pieces, piece);
}

static void list_what_ifs_of_compared_points(PointExplainer *explainer,
                                             GHashTable *seen)
{
    const Comparison *comparison = explainer->r->comparison;
    guint n_pairs = 0;

    for (guint i = 0; comparison && i < comparison->pairs->len; i++) {
        const ComparePair *pair = compare_pair(comparison, i);

        if (!g_str_equal(compare_offload_name(comparison, pair),
                         g_ptr_array_index(comparison->offloads, 0)) ||
            n_pairs++ >= MAX_WHAT_IF_PAIRS)
            continue;
        add_piece_to_explain(explainer, seen, pair->row, TRUE);
        if (pair->built_ps > 0)
            add_piece_to_explain(explainer, seen, pair->built_row, TRUE);
    }
    for (guint i = 0;
         !comparison && i < MIN(explainer->r->rows->len, MAX_WHAT_IF_PAIRS);
         i++)
        add_piece_to_explain(explainer, seen, results_row_at(explainer->r, i),
                             TRUE);
}

/* Lists the pieces in the order of their use to a reader. */
static void list_pieces_to_explain(PointExplainer *explainer)
{
    const Comparison *comparison = explainer->r->comparison;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    for (guint i = 0; comparison && i < comparison->pairs->len; i++) {
        const ComparePair *pair = compare_pair(comparison, i);

        add_piece_to_explain(explainer, seen, pair->row, FALSE);
        add_piece_to_explain(explainer, seen, pair->best_row, FALSE);
        if (pair->built_ps > 0)
            add_piece_to_explain(explainer, seen, pair->built_row, FALSE);
    }
    for (guint i = 0; i < explainer->r->rows->len; i++)
        add_piece_to_explain(explainer, seen, results_row_at(explainer->r, i),
                             FALSE);
    if (!explainer->base || explainer->effort->what_ifs == WHAT_IFS_OF_NONE)
        return;
    list_what_ifs_of_compared_points(explainer, seen);
    for (guint i = 0; explainer->effort->what_ifs == WHAT_IFS_OF_ALL &&
                      i < explainer->r->rows->len;
         i++)
        add_piece_to_explain(explainer, seen, results_row_at(explainer->r, i),
                             TRUE);
}

static void show_progress_and_save(gpointer self)
{
    PointExplainer *explainer = self;
    const ExplainEffort *effort = explainer->effort;

    if (effort->progress)
        progress_show(effort->progress);
    if (effort->save &&
        g_get_monotonic_time() - explainer->saved_us >= SAVE_INTERVAL_US) {
        effort->save(effort->self, explainer->r, explainer->points);
        explainer->saved_us = g_get_monotonic_time();
    }
}

static void simulate_missing_points(PointExplainer *explainer)
{
    const ExplainEffort *effort = explainer->effort;
    const ProcessPool pool = {
        .n_points = explainer->pieces->len,
        .n_jobs = effort->n_jobs,
        .timeout_us = effort->timeout_us,
        .memory_bytes = effort->memory_bytes,
        .work = explain_point_piece,
        .point_ended = receive_explained_piece,
        .tick = show_progress_and_save,
        .until_us = effort->limit_us == G_MAXUINT64
                        ? 0
                        : g_get_monotonic_time() + (gint64)effort->limit_us,
        .self = explainer,
    };

    if (explainer->pieces->len == 0)
        return;
    explainer->saved_us = g_get_monotonic_time();
    if (effort->progress)
        progress_start_display(effort->progress, explainer->pieces->len, 0);
    explainer->points->signal = pool_run(&pool);
    if (effort->progress)
        progress_finish(effort->progress);
}

PointExplanations *point_explanations_new(const SweepResults *results,
                                          const FolderPlan *folder,
                                          const ExplainEffort *effort)
{
    PointExplanations *explanations = g_new0(PointExplanations, 1);
    gint n = (gint)csv_table_n_rows(results->table);

    explanations->parts = g_ptr_array_new_with_free_func(free_array_of_parts);
    explanations->what_ifs =
        g_ptr_array_new_with_free_func(free_array_of_parts);
    g_ptr_array_set_size(explanations->parts, n);
    g_ptr_array_set_size(explanations->what_ifs, n);
    read_old_parts(explanations, results);
    read_model_parts(explanations, results);
    read_old_what_ifs(explanations, results);
    if (folder->plan && effort->limit_us > 0) {
        PointExplainer x = {
            .r = results,
            .folder = folder,
            .base = point_command_base(folder->plan),
            .reader = sweep_reader_new(folder->plan),
            .pieces = g_array_new(FALSE, FALSE, sizeof(ExplainPiece)),
            .points = explanations,
            .effort = effort,
        };

        list_pieces_to_explain(&x);
        simulate_missing_points(&x);
        g_array_unref(x.pieces);
        sweep_reader_free(x.reader);
        g_free(x.base);
    }
    for (guint i = 0; i < results->rows->len; i++)
        explanations->n_missing +=
            explanations->parts->pdata[results_row_at(results, i)] ? 0 : 1;
    return explanations;
}

void point_explanations_free(PointExplanations *explanations)
{
    if (!explanations)
        return;
    g_ptr_array_unref(explanations->parts);
    g_ptr_array_unref(explanations->what_ifs);
    g_free(explanations);
}

/* ---- writing the files --------------------------------------------------- */

static void append_point_header(GString *out, const SweepResults *results)
{
    for (guint i = 0; i <= results->endpoint; i++)
        csv_add_text(out, csv_table_column_name(results->table, i));
}

static GString *attribution_as_csv(const SweepResults *results,
                                   const PointExplanations *explanations)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GString) cells = g_string_new(NULL);

    append_point_header(out, results);
    columns_append_header(out, attribution_columns);
    for (guint row = 0; row < explanations->parts->len; row++) {
        if (!explanations->parts->pdata[row])
            continue;
        g_string_truncate(cells, 0);
        append_point_cells(cells, results->table, row, results->endpoint + 1);
        attribution_append_rows(out, cells->str,
                                explanations->parts->pdata[row]);
    }
    return out;
}

typedef struct {
    const PointWhatIf *what_if;
    SimTime base_ps;
} WhatIfRow;

static void append_set_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, ((const WhatIfRow *)row)->what_if->set);
}

static void append_label_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, ((const WhatIfRow *)row)->what_if->label);
}

static void append_time_cell(GString *out, gconstpointer row)
{
    csv_add_fixed(out, ((const WhatIfRow *)row)->what_if->iteration_ps, 6);
}

static void append_speedup_cell(GString *out, gconstpointer row)
{
    const WhatIfRow *at = row;

    csv_add_ratio(out, at->base_ps, at->what_if->iteration_ps, 4);
}

static const Column what_if_columns[] = {
    { "set", UNIT_TEXT, append_set_cell },
    { "label", UNIT_TEXT, append_label_cell },
    { "iteration_time_us", UNIT_US, append_time_cell },
    { "speedup", UNIT_RATIO, append_speedup_cell },
    { 0 },
};

static GString *what_ifs_csv(const SweepResults *results,
                             const PointExplanations *explanations)
{
    GString *out = g_string_new(NULL);

    append_point_header(out, results);
    columns_append_header(out, what_if_columns);
    for (guint row = 0; row < explanations->what_ifs->len; row++) {
        const GArray *what_ifs = explanations->what_ifs->pdata[row];

        for (guint i = 0; what_ifs && i < what_ifs->len; i++) {
            const WhatIfRow at = { &g_array_index(what_ifs, PointWhatIf, i),
                                   iteration_time_of_row(results, row) };

            append_point_cells(out, results->table, row, results->endpoint + 1);
            columns_append_row(out, what_if_columns, &at);
        }
    }
    return out;
}

gboolean point_explanations_add_files(const PointExplanations *explanations,
                                      const SweepResults *results,
                                      OutputGroup *group, GError **error)
{
    g_autofree char *parts_path =
        g_build_filename(results->folder, "attribution.csv", NULL);
    g_autofree char *what_ifs_path =
        g_build_filename(results->folder, "what_ifs.csv", NULL);
    g_autoptr(GString) parts = attribution_as_csv(results, explanations);
    g_autoptr(GString) what_ifs = what_ifs_csv(results, explanations);

    return output_group_add_file(group, parts_path, parts, error) &&
           output_group_add_file(group, what_ifs_path, what_ifs, error);
}
