/* compare_pairs.c - pairs each offload row with the best baseline of
 * its group */
#include "sim/study/compare/compare_impl.h"

#include "sim/config/config.h"
#include "sim/config/quantity.h"
#include "sim/study/compare/compare_group_columns.h"
#include "sim/study/compare/endpoint_roles_impl.h"
#include "sim/study/inflight_window_notes.h"

/* The fastest row of a set of endpoints in a group. */
typedef struct {
    guint row;
    SimTime time_ps; /* iteration time of the row; SIM_TIME_MAX: no row */
} FastestRow;

typedef struct {
    Comparison *c;
    const char *name;             /* borrowed: name of the table */
    guint time, roofline, status; /* indices of these columns */
    gboolean has_roofline, has_status;
    CompareRoles parts;  /* owned */
    GHashTable *groups;  /* owned: identity -> owned Group */
    GHashTable *errors;  /* owned: family and basis -> owned ExpectedError */
    GPtrArray *group_of; /* owned, of borrowed Group: the group of each row */
} ComparisonReader;

/* Rows that are comparable.  The best ones are found once, when the first
 * offload needs them. */
typedef struct {
    GArray *rows; /* owned: of guint */
    gboolean is_searched;
    FastestRow baseline, built, ideal;
} RowGroup;

static void free_row_group(gpointer data)
{
    RowGroup *group = data;

    g_array_unref(group->rows);
    g_free(group);
}

static const char *cell_of_compared_row(const Comparison *comparison, guint row,
                                        guint column)
{
    return csv_table_text(comparison->table, row, column);
}

/* ---- finding the columns that are compared ------------------------------- */

static gboolean find_compared_columns(ComparisonReader *reader, GError **error)
{
    Comparison *comparison = reader->c;

    if (!csv_table_column(comparison->table, "workload", &comparison->workload,
                          error) ||
        !csv_table_column(comparison->table, "n_npus", &comparison->n_npus,
                          error) ||
        !csv_table_column(comparison->table, "endpoint", &comparison->endpoint,
                          error) ||
        !csv_table_column(comparison->table, "iteration_time_us", &reader->time,
                          error))
        return FALSE;
    reader->has_roofline = csv_table_column(
        comparison->table, "compute_roofline_us", &reader->roofline, NULL);
    comparison->has_tried =
        csv_table_column(comparison->table, "n_tried", &comparison->tried,
                         NULL) &&
        csv_table_column(comparison->table, "endpoint_sms", &comparison->sms,
                         NULL) &&
        csv_table_column(comparison->table, "endpoint_hbm_gb_per_s",
                         &comparison->share, NULL);
    comparison->has_run_notes = csv_table_column(comparison->table, "notes",
                                                 &comparison->run_notes, NULL);
    comparison->has_errors =
        csv_table_column(comparison->table, "expected_error_from",
                         &comparison->error_from, NULL) &&
        csv_table_column(comparison->table, "expected_error_basis",
                         &comparison->error_basis, NULL);
    reader->has_status =
        csv_table_column(comparison->table, "status", &reader->status, NULL);
    return TRUE;
}

static gboolean is_row_ok(const ComparisonReader *reader, guint row)
{
    return !reader->has_status ||
           g_str_equal(cell_of_compared_row(reader->c, row, reader->status),
                       "ok");
}

static void group_table_rows(ComparisonReader *reader)
{
    const Comparison *comparison = reader->c;
    g_autoptr(GString) id = g_string_new(NULL);

    for (guint row = 0; row < csv_table_n_rows(comparison->table); row++) {
        RowGroup *group;

        compare_group_identity(comparison, row, TRUE, id);
        group = g_hash_table_lookup(reader->groups, id->str);
        if (!group) {
            group = g_new0(RowGroup, 1);
            group->rows = g_array_new(FALSE, FALSE, sizeof(guint));
            g_hash_table_insert(reader->groups, g_strdup(id->str), group);
        }
        g_array_append_val(group->rows, row);
        g_ptr_array_add(reader->group_of, group);
    }
}

/* ---- pairing each offload with the best baseline ------------------------- */

/* Converts microseconds in the text to picoseconds without rounding. */
static gboolean read_time_cell(const ComparisonReader *reader, guint row,
                               guint column, SimTime *ret, GError **error)
{
    g_autofree char *text =
        g_strdup_printf("%s us", cell_of_compared_row(reader->c, row, column));
    g_autoptr(GError) reason = NULL;
    double ignored;

    if (!csv_table_number(reader->c->table, row, column, &ignored, error))
        return FALSE;
    if (quantity_parse(text, CONFIG_TIME, ret, &reason))
        return TRUE;
    g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX, "%s: row %u, %s: %s",
                reader->name, row + 1,
                csv_table_column_name(reader->c->table, column),
                reason->message);
    return FALSE;
}

/* Sets *@best to the fastest row of the endpoints @names.  Returns FALSE and
 * sets an error only if a time cannot be read. */
static gboolean find_fastest_row(const ComparisonReader *reader,
                                 const RowGroup *group, GHashTable *names,
                                 FastestRow *best, GError **error)
{
    const Comparison *comparison = reader->c;
    SimTime time_ps;

    best->time_ps = SIM_TIME_MAX;
    for (guint g = 0; g < group->rows->len; g++) {
        guint i = g_array_index(group->rows, guint, g);

        if (!is_row_ok(reader, i) ||
            !g_hash_table_contains(
                names,
                cell_of_compared_row(comparison, i, comparison->endpoint)))
            continue;
        if (!read_time_cell(reader, i, reader->time, &time_ps, error))
            return FALSE;
        if (time_ps >= best->time_ps)
            continue;
        *best = (FastestRow){ .row = i, .time_ps = time_ps };
    }
    return TRUE;
}

/* Finds the best rows of a group unless they are known.  Returns FALSE and sets
 * an error if a time cannot be read. */
static gboolean find_best_rows_of_group(const ComparisonReader *reader,
                                        RowGroup *group, GError **error)
{
    if (group->is_searched)
        return TRUE;
    group->is_searched = TRUE;
    return find_fastest_row(reader, group, reader->parts.baselines,
                            &group->baseline, error) &&
           find_fastest_row(reader, group, reader->parts.built, &group->built,
                            error) &&
           find_fastest_row(reader, group, reader->parts.ideals, &group->ideal,
                            error);
}

static void add_row_note(const ComparisonReader *reader, guint row,
                         const char *what)
{
    const Comparison *comparison = reader->c;
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < comparison->keys->len; i++) {
        guint column = g_array_index(comparison->keys, guint, i);

        g_string_append_printf(text, "%s=%s, ",
                               csv_table_column_name(comparison->table, column),
                               cell_of_compared_row(comparison, row, column));
    }
    g_string_append_printf(
        text, "%s, %s NPUs, %s: %s",
        cell_of_compared_row(comparison, row, comparison->workload),
        cell_of_compared_row(comparison, row, comparison->n_npus),
        cell_of_compared_row(comparison, row, comparison->endpoint), what);
    g_ptr_array_add(comparison->notes, g_string_free(text, FALSE));
}

/* Returns whether an endpoint named as best has a result.  Otherwise there is
 * no best that could be built: baselines alone do not count. */
static gboolean has_named_best(const ComparisonReader *reader,
                               const RowGroup *group)
{
    for (guint g = 0; g < group->rows->len; g++) {
        guint i = g_array_index(group->rows, guint, g);

        if (is_row_ok(reader, i) &&
            g_hash_table_contains(
                reader->parts.best,
                cell_of_compared_row(reader->c, i, reader->c->endpoint)))
            return TRUE;
    }
    return FALSE;
}

/* ---- expected errors ----------------------------------------------------- */

/* Returns the expected error of a ratio with the time of @row, or NULL if the
 * table does not have it. */
static const ExpectedError *ratio_error_of_row(const ComparisonReader *reader,
                                               guint row)
{
    const Comparison *comparison = reader->c;
    const char *family =
        cell_of_compared_row(comparison, row, comparison->error_from);
    ExpectedErrorBasis basis;
    g_autofree char *key = NULL;
    ExpectedError *error;

    if (!expected_error_basis_of_text(
            cell_of_compared_row(comparison, row, comparison->error_basis),
            &basis))
        return NULL;
    key = g_strdup_printf("%d %s", (int)basis, family);
    error = g_hash_table_lookup(reader->errors, key);
    if (error)
        return error;
    error = g_new0(ExpectedError, 1);
    if (!expected_error_of_ratio(family, basis, error)) {
        g_free(error);
        return NULL;
    }
    g_hash_table_insert(reader->errors, g_steal_pointer(&key), error);
    return error;
}

/* Returns the larger of the expected errors of two rows, or NULL if one of them
 * is not in the table. */
static const ExpectedError *ratio_error(const ComparisonReader *reader, guint a,
                                        guint b)
{
    const ExpectedError *one, *other;

    if (!reader->c->has_errors)
        return NULL;
    one = ratio_error_of_row(reader, a);
    other = ratio_error_of_row(reader, b);
    if (!one || !other)
        return NULL;
    return one->percent >= other->percent ? one : other;
}

static void add_expected_errors(const ComparisonReader *reader,
                                ComparePair *pair)
{
    const ExpectedError *error = ratio_error(reader, pair->row, pair->best_row);
    const ExpectedError *built =
        pair->built_ps > 0 ? ratio_error(reader, pair->row, pair->built_row)
                           : NULL;

    pair->error_percent = error ? error->percent : 0;
    pair->error_family = error ? error->family : NULL;
    pair->built_error_percent = built ? built->percent : 0;
}

/* Appends the pair of an offload row, or a note why there is none.  Returns
 * FALSE only with an error. */
static gboolean add_offload_pair(const ComparisonReader *reader, guint row,
                                 GError **error)
{
    const Comparison *comparison = reader->c;
    RowGroup *group = g_ptr_array_index(reader->group_of, row);
    ComparePair pair = { .row = row };

    if (!read_time_cell(reader, row, reader->time, &pair.time_ps, error))
        return FALSE;
    if (pair.time_ps == 0) {
        add_row_note(reader, row, "left out: it takes no time");
        return TRUE;
    }
    if (reader->has_roofline && !read_time_cell(reader, row, reader->roofline,
                                                &pair.roofline_ps, error))
        return FALSE;
    if (!find_best_rows_of_group(reader, group, error))
        return FALSE;
    if (group->baseline.time_ps == SIM_TIME_MAX) {
        add_row_note(reader, row, "no baseline to compare it with");
        return TRUE;
    }
    pair.best_row = group->baseline.row;
    pair.best_ps = group->baseline.time_ps;
    if (has_named_best(reader, group)) {
        pair.built_row = group->built.row;
        pair.built_ps = group->built.time_ps;
    }
    if (group->ideal.time_ps != SIM_TIME_MAX)
        pair.ideal_ps = group->ideal.time_ps;
    add_expected_errors(reader, &pair);
    g_array_append_val(comparison->pairs, pair);
    return TRUE;
}

/* Sets *@ret to whether @row is the fastest of its endpoint in its group; of
 * equal rows, the first is.  Returns FALSE only with an error. */
static gboolean find_whether_fastest(const ComparisonReader *reader, guint row,
                                     gboolean *ret, GError **error)
{
    const Comparison *comparison = reader->c;
    g_autoptr(GHashTable) name = g_hash_table_new(g_str_hash, g_str_equal);
    FastestRow fastest;

    g_hash_table_add(name, (gpointer)cell_of_compared_row(
                               comparison, row, comparison->endpoint));
    if (!find_fastest_row(reader, g_ptr_array_index(reader->group_of, row),
                          name, &fastest, error))
        return FALSE;
    *ret = fastest.row == row;
    return TRUE;
}

static gboolean pair_offloads_with_best(const ComparisonReader *reader,
                                        GError **error)
{
    const Comparison *comparison = reader->c;

    for (guint row = 0; row < csv_table_n_rows(comparison->table); row++) {
        const char *name =
            cell_of_compared_row(comparison, row, comparison->endpoint);
        gboolean counts = TRUE;

        if (!is_row_ok(reader, row)) {
            g_autofree char *why = g_strdup_printf(
                "left out: %s",
                cell_of_compared_row(comparison, row, reader->status));

            add_row_note(reader, row, why);
            continue;
        }
        if (!g_hash_table_contains(reader->parts.offloads, name))
            continue;
        if (comparison->chosen->len > 0 &&
            !find_whether_fastest(reader, row, &counts, error))
            return FALSE;
        if (counts && !add_offload_pair(reader, row, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- making the whole comparison ----------------------------------------- */

/* Notes the runs that the window limited, because their times hardly depend on
 * endpoints. */
static void add_window_notes(const Comparison *comparison)
{
    char *text = note_on_chunk_window(comparison->table);

    if (text)
        g_ptr_array_add(comparison->notes, text);
}

static void init_comparison_reader(ComparisonReader *reader)
{
    compare_roles_init(&reader->parts);
    reader->group_of = g_ptr_array_new();
    reader->errors =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    reader->groups =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_row_group);
}

static void clear_comparison_reader(ComparisonReader *reader)
{
    compare_roles_clear(&reader->parts);
    g_ptr_array_unref(reader->group_of);
    g_hash_table_unref(reader->groups);
    g_hash_table_unref(reader->errors);
}

/* Moves the group columns that @names has from .keys to .chosen. */
static gboolean take_chosen_columns(const ComparisonReader *reader,
                                    char *const *names, GError **error)
{
    const Comparison *comparison = reader->c;

    for (guint i = 0; names && names[i]; i++) {
        guint column;
        guint k = 0;

        if (!csv_table_column(comparison->table, names[i], &column, error))
            return FALSE;
        if (column >= comparison->workload || column == comparison->endpoint) {
            g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                        "%s: '%s' is no axis of the sweep, so no endpoint can "
                        "take its fastest value",
                        reader->name, names[i]);
            return FALSE;
        }
        g_array_append_val(comparison->chosen, column);
        while (k < comparison->keys->len &&
               g_array_index(comparison->keys, guint, k) != column)
            k++;
        if (k < comparison->keys->len)
            g_array_remove_index(comparison->keys, k);
    }
    return TRUE;
}

static gboolean fill_pairs_of_comparison(ComparisonReader *reader,
                                         const CompareNames *names,
                                         GError **error)
{
    Comparison *comparison = reader->c;

    if (!find_compared_columns(reader, error) ||
        !compare_roles_assign(&reader->parts, comparison, reader->name, names,
                              error))
        return FALSE;
    comparison->keys =
        find_group_columns(comparison->table, comparison->workload,
                           comparison->n_npus, comparison->endpoint);
    if (!take_chosen_columns(reader, names->fastest_over, error))
        return FALSE;
    group_table_rows(reader);
    if (!pair_offloads_with_best(reader, error))
        return FALSE;
    add_window_notes(comparison);
    compare_add_means(comparison);
    return TRUE;
}

Comparison *compare_sweep_table(const CsvTable *table, const char *name,
                                const CompareNames *names, GError **error)
{
    g_autoptr(Comparison) c = g_new0(Comparison, 1);
    ComparisonReader r = { .c = c, .name = name };
    gboolean ok;

    c->table = table;
    c->pairs = g_array_new(FALSE, FALSE, sizeof(ComparePair));
    c->chosen = g_array_new(FALSE, FALSE, sizeof(guint));
    c->baselines = g_ptr_array_new();
    c->best = g_ptr_array_new();
    c->offloads = g_ptr_array_new();
    c->notes = g_ptr_array_new_with_free_func(g_free);
    init_comparison_reader(&r);
    ok = fill_pairs_of_comparison(&r, names, error);
    clear_comparison_reader(&r);
    return ok ? g_steal_pointer(&c) : NULL;
}

void compare_free(Comparison *comparison)
{
    if (!comparison)
        return;
    g_clear_pointer(&comparison->keys, g_array_unref);
    g_array_unref(comparison->chosen);
    g_array_unref(comparison->pairs);
    g_ptr_array_unref(comparison->baselines);
    g_ptr_array_unref(comparison->best);
    g_ptr_array_unref(comparison->offloads);
    g_ptr_array_unref(comparison->notes);
    g_clear_pointer(&comparison->first_pairs, g_array_unref);
    g_clear_pointer(&comparison->means, g_ptr_array_unref);
    g_free(comparison);
}
