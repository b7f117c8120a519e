/* compare_pairs.c - pairs each offload row with the best baseline of
 * its group */
#include "sim/study/compare/compare_impl.h"

#include "sim/config/config.h"
#include "sim/config/quantity.h"
#include "sim/study/compare/compare_group_columns.h"
#include "sim/study/compare/endpoint_roles_impl.h"
#include "sim/study/window_limit_notes.h"

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

static const char *cell_of_compared_row(const Comparison *c, guint row,
                                        guint column)
{
    return csv_table_text(c->table, row, column);
}

/* ---- finding the columns that are compared ------------------------------- */

static gboolean find_compared_columns(ComparisonReader *r, GError **error)
{
    Comparison *c = r->c;

    if (!csv_table_column(c->table, "workload", &c->workload, error) ||
        !csv_table_column(c->table, "n_npus", &c->n_npus, error) ||
        !csv_table_column(c->table, "endpoint", &c->endpoint, error) ||
        !csv_table_column(c->table, "iteration_time_us", &r->time, error))
        return FALSE;
    r->has_roofline =
        csv_table_column(c->table, "compute_roofline_us", &r->roofline, NULL);
    c->has_tried =
        csv_table_column(c->table, "n_tried", &c->tried, NULL) &&
        csv_table_column(c->table, "endpoint_sms", &c->sms, NULL) &&
        csv_table_column(c->table, "endpoint_hbm_gb_per_s", &c->share, NULL);
    c->has_run_notes = csv_table_column(c->table, "notes", &c->run_notes, NULL);
    c->has_errors = csv_table_column(c->table, "expected_error_from",
                                     &c->error_from, NULL) &&
                    csv_table_column(c->table, "expected_error_basis",
                                     &c->error_basis, NULL);
    r->has_status = csv_table_column(c->table, "status", &r->status, NULL);
    return TRUE;
}

static gboolean is_row_ok(const ComparisonReader *r, guint row)
{
    return !r->has_status ||
           g_str_equal(cell_of_compared_row(r->c, row, r->status), "ok");
}

static void group_table_rows(ComparisonReader *r)
{
    const Comparison *c = r->c;
    g_autoptr(GString) id = g_string_new(NULL);

    for (guint row = 0; row < csv_table_n_rows(c->table); row++) {
        RowGroup *group;

        compare_group_identity(c, row, TRUE, id);
        group = g_hash_table_lookup(r->groups, id->str);
        if (!group) {
            group = g_new0(RowGroup, 1);
            group->rows = g_array_new(FALSE, FALSE, sizeof(guint));
            g_hash_table_insert(r->groups, g_strdup(id->str), group);
        }
        g_array_append_val(group->rows, row);
        g_ptr_array_add(r->group_of, group);
    }
}

/* ---- pairing each offload with the best baseline ------------------------- */

/* Converts microseconds in the text to picoseconds without rounding. */
static gboolean read_time_cell(const ComparisonReader *r, guint row,
                               guint column, SimTime *ret, GError **error)
{
    g_autofree char *text =
        g_strdup_printf("%s us", cell_of_compared_row(r->c, row, column));
    g_autoptr(GError) reason = NULL;
    double ignored;

    if (!csv_table_number(r->c->table, row, column, &ignored, error))
        return FALSE;
    if (quantity_parse(text, CONFIG_TIME, ret, &reason))
        return TRUE;
    g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX, "%s: row %u, %s: %s",
                r->name, row + 1, csv_table_column_name(r->c->table, column),
                reason->message);
    return FALSE;
}

/* Sets *@best to the fastest row of the endpoints @names.  Returns FALSE and
 * sets an error only if a time cannot be read. */
static gboolean find_fastest_row(const ComparisonReader *r,
                                 const RowGroup *group, GHashTable *names,
                                 FastestRow *best, GError **error)
{
    const Comparison *c = r->c;
    SimTime time_ps;

    best->time_ps = SIM_TIME_MAX;
    for (guint g = 0; g < group->rows->len; g++) {
        guint i = g_array_index(group->rows, guint, g);

        if (!is_row_ok(r, i) ||
            !g_hash_table_contains(names,
                                   cell_of_compared_row(c, i, c->endpoint)))
            continue;
        if (!read_time_cell(r, i, r->time, &time_ps, error))
            return FALSE;
        if (time_ps >= best->time_ps)
            continue;
        *best = (FastestRow){ .row = i, .time_ps = time_ps };
    }
    return TRUE;
}

/* Finds the best rows of a group unless they are known.  Returns FALSE and sets
 * an error if a time cannot be read. */
static gboolean find_best_rows_of_group(const ComparisonReader *r,
                                        RowGroup *group, GError **error)
{
    if (group->is_searched)
        return TRUE;
    group->is_searched = TRUE;
    return find_fastest_row(r, group, r->parts.baselines, &group->baseline,
                            error) &&
           find_fastest_row(r, group, r->parts.built, &group->built, error) &&
           find_fastest_row(r, group, r->parts.ideals, &group->ideal, error);
}

static void add_row_note(const ComparisonReader *r, guint row, const char *what)
{
    const Comparison *c = r->c;
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < c->keys->len; i++) {
        guint column = g_array_index(c->keys, guint, i);

        g_string_append_printf(text, "%s=%s, ",
                               csv_table_column_name(c->table, column),
                               cell_of_compared_row(c, row, column));
    }
    g_string_append_printf(text, "%s, %s NPUs, %s: %s",
                           cell_of_compared_row(c, row, c->workload),
                           cell_of_compared_row(c, row, c->n_npus),
                           cell_of_compared_row(c, row, c->endpoint), what);
    g_ptr_array_add(c->notes, g_string_free(text, FALSE));
}

/* Returns whether an endpoint named as best has a result.  Otherwise there is
 * no best that could be built: baselines alone do not count. */
static gboolean has_named_best(const ComparisonReader *r, const RowGroup *group)
{
    for (guint g = 0; g < group->rows->len; g++) {
        guint i = g_array_index(group->rows, guint, g);

        if (is_row_ok(r, i) &&
            g_hash_table_contains(
                r->parts.best, cell_of_compared_row(r->c, i, r->c->endpoint)))
            return TRUE;
    }
    return FALSE;
}

/* ---- expected errors ----------------------------------------------------- */

/* Returns the expected error of a ratio with the time of @row, or NULL if the
 * table does not have it. */
static const ExpectedError *ratio_error_of_row(const ComparisonReader *r,
                                               guint row)
{
    const Comparison *c = r->c;
    const char *family = cell_of_compared_row(c, row, c->error_from);
    ExpectedErrorBasis basis;
    g_autofree char *key = NULL;
    ExpectedError *error;

    if (!expected_error_basis_of_text(
            cell_of_compared_row(c, row, c->error_basis), &basis))
        return NULL;
    key = g_strdup_printf("%d %s", (int)basis, family);
    error = g_hash_table_lookup(r->errors, key);
    if (error)
        return error;
    error = g_new0(ExpectedError, 1);
    if (!expected_error_of_ratio(family, basis, error)) {
        g_free(error);
        return NULL;
    }
    g_hash_table_insert(r->errors, g_steal_pointer(&key), error);
    return error;
}

/* Returns the larger of the expected errors of two rows, or NULL if one of them
 * is not in the table. */
static const ExpectedError *ratio_error(const ComparisonReader *r, guint a,
                                        guint b)
{
    const ExpectedError *one, *other;

    if (!r->c->has_errors)
        return NULL;
    one = ratio_error_of_row(r, a);
    other = ratio_error_of_row(r, b);
    if (!one || !other)
        return NULL;
    return one->percent >= other->percent ? one : other;
}

static void add_expected_errors(const ComparisonReader *r, ComparePair *pair)
{
    const ExpectedError *error = ratio_error(r, pair->row, pair->best_row);
    const ExpectedError *built =
        pair->built_ps > 0 ? ratio_error(r, pair->row, pair->built_row) : NULL;

    pair->error_percent = error ? error->percent : 0;
    pair->error_family = error ? error->family : NULL;
    pair->built_error_percent = built ? built->percent : 0;
}

/* Appends the pair of an offload row, or a note why there is none.  Returns
 * FALSE only with an error. */
static gboolean add_offload_pair(const ComparisonReader *r, guint row,
                                 GError **error)
{
    const Comparison *c = r->c;
    RowGroup *group = g_ptr_array_index(r->group_of, row);
    ComparePair pair = { .row = row };

    if (!read_time_cell(r, row, r->time, &pair.time_ps, error))
        return FALSE;
    if (pair.time_ps == 0) {
        add_row_note(r, row, "left out: it takes no time");
        return TRUE;
    }
    if (r->has_roofline &&
        !read_time_cell(r, row, r->roofline, &pair.roofline_ps, error))
        return FALSE;
    if (!find_best_rows_of_group(r, group, error))
        return FALSE;
    if (group->baseline.time_ps == SIM_TIME_MAX) {
        add_row_note(r, row, "no baseline to compare it with");
        return TRUE;
    }
    pair.best_row = group->baseline.row;
    pair.best_ps = group->baseline.time_ps;
    if (has_named_best(r, group)) {
        pair.built_row = group->built.row;
        pair.built_ps = group->built.time_ps;
    }
    if (group->ideal.time_ps != SIM_TIME_MAX)
        pair.ideal_ps = group->ideal.time_ps;
    add_expected_errors(r, &pair);
    g_array_append_val(c->pairs, pair);
    return TRUE;
}

/* Sets *@ret to whether @row is the fastest of its endpoint in its group; of
 * equal rows, the first is.  Returns FALSE only with an error. */
static gboolean find_whether_fastest(const ComparisonReader *r, guint row,
                                     gboolean *ret, GError **error)
{
    const Comparison *c = r->c;
    g_autoptr(GHashTable) name = g_hash_table_new(g_str_hash, g_str_equal);
    FastestRow fastest;

    g_hash_table_add(name, (gpointer)cell_of_compared_row(c, row, c->endpoint));
    if (!find_fastest_row(r, g_ptr_array_index(r->group_of, row), name,
                          &fastest, error))
        return FALSE;
    *ret = fastest.row == row;
    return TRUE;
}

static gboolean pair_offloads_with_best(const ComparisonReader *r,
                                        GError **error)
{
    const Comparison *c = r->c;

    for (guint row = 0; row < csv_table_n_rows(c->table); row++) {
        const char *name = cell_of_compared_row(c, row, c->endpoint);
        gboolean counts = TRUE;

        if (!is_row_ok(r, row)) {
            g_autofree char *why = g_strdup_printf(
                "left out: %s", cell_of_compared_row(c, row, r->status));

            add_row_note(r, row, why);
            continue;
        }
        if (!g_hash_table_contains(r->parts.offloads, name))
            continue;
        if (c->chosen->len > 0 && !find_whether_fastest(r, row, &counts, error))
            return FALSE;
        if (counts && !add_offload_pair(r, row, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- making the whole comparison ----------------------------------------- */

/* Notes the runs that the window limited, because their times hardly depend on
 * endpoints. */
static void add_window_notes(const Comparison *c)
{
    char *text = note_on_chunk_window(c->table);

    if (text)
        g_ptr_array_add(c->notes, text);
}

static void init_comparison_reader(ComparisonReader *r)
{
    compare_roles_init(&r->parts);
    r->group_of = g_ptr_array_new();
    r->errors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    r->groups =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_row_group);
}

static void clear_comparison_reader(ComparisonReader *r)
{
    compare_roles_clear(&r->parts);
    g_ptr_array_unref(r->group_of);
    g_hash_table_unref(r->groups);
    g_hash_table_unref(r->errors);
}

/* Moves the group columns that @names has from .keys to .chosen. */
static gboolean take_chosen_columns(const ComparisonReader *r,
                                    char *const *names, GError **error)
{
    const Comparison *c = r->c;

    for (guint i = 0; names && names[i]; i++) {
        guint column;
        guint k = 0;

        if (!csv_table_column(c->table, names[i], &column, error))
            return FALSE;
        if (column >= c->workload || column == c->endpoint) {
            g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                        "%s: '%s' is no axis of the sweep, so no endpoint can "
                        "take its fastest value",
                        r->name, names[i]);
            return FALSE;
        }
        g_array_append_val(c->chosen, column);
        while (k < c->keys->len && g_array_index(c->keys, guint, k) != column)
            k++;
        if (k < c->keys->len)
            g_array_remove_index(c->keys, k);
    }
    return TRUE;
}

static gboolean fill_pairs_of_comparison(ComparisonReader *r,
                                         const CompareNames *names,
                                         GError **error)
{
    Comparison *c = r->c;

    if (!find_compared_columns(r, error) ||
        !compare_roles_assign(&r->parts, c, r->name, names, error))
        return FALSE;
    c->keys = find_group_columns(c->table, c->workload, c->n_npus, c->endpoint);
    if (!take_chosen_columns(r, names->fastest_over, error))
        return FALSE;
    group_table_rows(r);
    if (!pair_offloads_with_best(r, error))
        return FALSE;
    add_window_notes(c);
    compare_add_means(c);
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
