/* compare.c - offload against the best baseline */
#include "sim/cli/compare.h"

#include "sim/cli/keys.h"
#include "sim/core/config.h"
#include "sim/core/quantity.h"

#define DEFAULT_OFFLOAD "ace"
/* Plots and reports have the sweep's names only. */
#define WHICH_OFFLOAD                                                          \
    " (`compare --offload NAME` takes another, and so does `offload: [NAME]` " \
    "under `compare:` in the sweep)"

typedef struct {
    Comparison *c;
    const char *name;             /* borrowed: of the table */
    guint time, roofline, status; /* columns */
    gboolean has_roofline, has_status;
    GPtrArray *names;    /* owned, of borrowed: all endpoints, as they appear */
    GHashTable *groups;  /* owned: what makes a group -> GArray of rows */
    GPtrArray *group_of; /* owned, of borrowed: each row's of these */
} Reader;

static const char *cell(const Comparison *c, guint row, guint column)
{
    return csv_table_text(c->table, row, column);
}

static gboolean contains(const GPtrArray *names, const char *name)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)names, name,
                                            g_str_equal, NULL);
}

/* ---- columns ---------------------------------------------------------- */

static gboolean find_columns(Reader *r, GError **error)
{
    Comparison *c = r->c;

    if (!csv_table_column(c->table, "workload", &c->workload, error) ||
        !csv_table_column(c->table, "n_npus", &c->n_npus, error) ||
        !csv_table_column(c->table, "endpoint", &c->endpoint, error) ||
        !csv_table_column(c->table, "iteration_time_us", &r->time, error))
        return FALSE;
    r->has_roofline =
        csv_table_column(c->table, "compute_roofline_us", &r->roofline, NULL);
    r->has_status = csv_table_column(c->table, "status", &r->status, NULL);
    return TRUE;
}

static gboolean is_ok(const Reader *r, guint row)
{
    return !r->has_status || g_str_equal(cell(r->c, row, r->status), "ok");
}

/* The rows that are comparable with each other. */
static void make_groups(Reader *r)
{
    const Comparison *c = r->c;

    for (guint row = 0; row < csv_table_n_rows(c->table); row++) {
        GString *id = g_string_new(cell(c, row, c->workload));
        GArray *rows;

        g_string_append_printf(id, "\x1f%s", cell(c, row, c->n_npus));
        for (guint i = 0; i < c->keys->len; i++)
            g_string_append_printf(
                id, "\x1f%s", cell(c, row, g_array_index(c->keys, guint, i)));
        rows = g_hash_table_lookup(r->groups, id->str);
        if (!rows) {
            rows = g_array_new(FALSE, FALSE, sizeof(guint));
            g_hash_table_insert(r->groups, g_strdup(id->str), rows);
        }
        g_array_append_val(rows, row);
        g_ptr_array_add(r->group_of, rows);
        g_string_free(id, TRUE);
    }
}

/* ---- names ------------------------------------------------------------ */

/* @hint is said behind the names that there are. */
static gboolean check_names(const Reader *r, const GPtrArray *wanted,
                            const char *hint, GError **error)
{
    g_autofree const char **known = g_new0(const char *, r->names->len + 1);
    g_autofree char *all = NULL;

    for (guint i = 0; i < r->names->len; i++)
        known[i] = g_ptr_array_index(r->names, i);
    all = g_strjoinv(", ", (char **)known);
    for (guint i = 0; i < wanted->len; i++) {
        const char *name = g_ptr_array_index(wanted, i);

        if (contains(r->names, name))
            continue;
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                    "%s: no row has endpoint '%s'; there are: %s%s", r->name,
                    name, all, hint);
        return FALSE;
    }
    return TRUE;
}

static gboolean choose_names(Reader *r, char *const *baselines,
                             char *const *offloads, GError **error)
{
    Comparison *c = r->c;

    for (guint row = 0; row < csv_table_n_rows(c->table); row++) {
        const char *name = cell(c, row, c->endpoint);

        if (*name != '\0' && !contains(r->names, name))
            g_ptr_array_add(r->names, (gpointer)name);
    }
    for (guint i = 0; offloads[i]; i++)
        g_ptr_array_add(c->offloads, offloads[i]);
    if (c->offloads->len == 0)
        g_ptr_array_add(c->offloads, (gpointer)DEFAULT_OFFLOAD);
    for (guint i = 0; baselines[i]; i++)
        g_ptr_array_add(c->baselines, baselines[i]);
    for (guint i = 0; !baselines[0] && i < r->names->len; i++) {
        const char *name = g_ptr_array_index(r->names, i);

        if (!contains(c->offloads, name) && !g_str_equal(name, COMPARE_IDEAL))
            g_ptr_array_add(c->baselines, (gpointer)name);
    }
    if (!check_names(r, c->offloads, offloads[0] ? "" : WHICH_OFFLOAD, error) ||
        !check_names(r, c->baselines, "", error))
        return FALSE;
    if (c->baselines->len == 0)
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                    "%s: no row has a baseline to compare with", r->name);
    return c->baselines->len > 0;
}

/* ---- pairs ------------------------------------------------------------ */

/* Exact: microseconds in the text, picoseconds out. */
static gboolean read_time(const Reader *r, guint row, guint column,
                          SimTime *ret, GError **error)
{
    g_autofree char *text = g_strdup_printf("%s us", cell(r->c, row, column));
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

/* The fastest row of the group of @row whose endpoint is in @names.  FALSE
 * and no error: there is none. */
static gboolean find_fastest(const Reader *r, guint row, const GPtrArray *names,
                             guint *ret_row, SimTime *ret_ps, GError **error)
{
    const Comparison *c = r->c;
    const GArray *group = g_ptr_array_index(r->group_of, row);
    SimTime time_ps;

    *ret_ps = SIM_TIME_MAX;
    for (guint g = 0; g < group->len; g++) {
        guint i = g_array_index(group, guint, g);

        if (!is_ok(r, i) || !contains(names, cell(c, i, c->endpoint)))
            continue;
        if (!read_time(r, i, r->time, &time_ps, error))
            return FALSE;
        if (time_ps >= *ret_ps)
            continue;
        *ret_ps = time_ps;
        *ret_row = i;
    }
    return *ret_ps != SIM_TIME_MAX;
}

static void note(const Reader *r, guint row, const char *what)
{
    const Comparison *c = r->c;
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < c->keys->len; i++) {
        guint column = g_array_index(c->keys, guint, i);

        g_string_append_printf(text, "%s=%s, ",
                               csv_table_column_name(c->table, column),
                               cell(c, row, column));
    }
    g_string_append_printf(text, "%s, %s NPUs, %s: %s",
                           cell(c, row, c->workload), cell(c, row, c->n_npus),
                           cell(c, row, c->endpoint), what);
    g_ptr_array_add(c->notes, g_string_free(text, FALSE));
}

/* FALSE only with an error. */
static gboolean add_pair(const Reader *r, guint row, GError **error)
{
    const char *const ideal[] = { COMPARE_IDEAL };
    const Comparison *c = r->c;
    g_autoptr(GPtrArray) ideals = g_ptr_array_new();
    g_autoptr(GError) reason = NULL;
    ComparePair pair = { .row = row };
    guint ideal_row;

    g_ptr_array_add(ideals, (gpointer)ideal[0]);
    if (!read_time(r, row, r->time, &pair.time_ps, error))
        return FALSE;
    if (pair.time_ps == 0) {
        note(r, row, "left out: it takes no time");
        return TRUE;
    }
    if (r->has_roofline &&
        !read_time(r, row, r->roofline, &pair.roofline_ps, error))
        return FALSE;
    if (!find_fastest(r, row, c->baselines, &pair.best_row, &pair.best_ps,
                      &reason)) {
        if (!reason)
            note(r, row, "no baseline to compare it with");
    } else {
        if (!find_fastest(r, row, ideals, &ideal_row, &pair.ideal_ps, &reason))
            pair.ideal_ps = 0;
        g_array_append_val(c->pairs, pair);
    }
    if (!reason)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
}

static gboolean make_pairs(const Reader *r, GError **error)
{
    const Comparison *c = r->c;

    for (guint row = 0; row < csv_table_n_rows(c->table); row++) {
        const char *name = cell(c, row, c->endpoint);

        if (!is_ok(r, row)) {
            g_autofree char *why =
                g_strdup_printf("left out: %s", cell(c, row, r->status));

            note(r, row, why);
            continue;
        }
        if (contains(c->offloads, name) && !add_pair(r, row, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- the comparison --------------------------------------------------- */

static gboolean fill(Reader *r, char *const *baselines, char *const *offloads,
                     GError **error)
{
    Comparison *c = r->c;

    if (!find_columns(r, error) || !choose_names(r, baselines, offloads, error))
        return FALSE;
    c->keys = keys_find(c->table, c->workload, c->n_npus, c->endpoint);
    make_groups(r);
    return make_pairs(r, error);
}

Comparison *compare_table(const CsvTable *table, const char *name,
                          char *const *baselines, char *const *offloads,
                          GError **error)
{
    g_autoptr(Comparison) c = g_new0(Comparison, 1);
    Reader r = { .c = c, .name = name };
    gboolean ok;

    c->table = table;
    c->pairs = g_array_new(FALSE, FALSE, sizeof(ComparePair));
    c->baselines = g_ptr_array_new();
    c->offloads = g_ptr_array_new();
    c->notes = g_ptr_array_new_with_free_func(g_free);
    r.names = g_ptr_array_new();
    r.group_of = g_ptr_array_new();
    r.groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                     (GDestroyNotify)g_array_unref);
    ok = fill(&r, baselines, offloads, error);
    g_ptr_array_unref(r.names);
    g_ptr_array_unref(r.group_of);
    g_hash_table_unref(r.groups);
    return ok ? g_steal_pointer(&c) : NULL;
}

void compare_free(Comparison *comparison)
{
    if (!comparison)
        return;
    g_clear_pointer(&comparison->keys, g_array_unref);
    g_array_unref(comparison->pairs);
    g_ptr_array_unref(comparison->baselines);
    g_ptr_array_unref(comparison->offloads);
    g_ptr_array_unref(comparison->notes);
    g_free(comparison);
}

const char *compare_offload(const Comparison *c, const ComparePair *pair)
{
    return cell(c, pair->row, c->endpoint);
}

double compare_speedup(const ComparePair *pair)
{
    return pair->time_ps > 0 ? (double)pair->best_ps / (double)pair->time_ps
                             : 0;
}

double compare_ceiling(const ComparePair *pair)
{
    return pair->roofline_ps > 0
               ? (double)pair->best_ps / (double)pair->roofline_ps
               : 0;
}

gboolean compare_same_group(const Comparison *c, const ComparePair *a,
                            const ComparePair *b)
{
    for (guint k = 0; k < c->keys->len; k++) {
        guint column = g_array_index(c->keys, guint, k);

        if (!g_str_equal(cell(c, a->row, column), cell(c, b->row, column)))
            return FALSE;
    }
    return g_str_equal(cell(c, a->row, c->workload),
                       cell(c, b->row, c->workload));
}

CompareMean compare_mean(const Comparison *c, const ComparePair *like,
                         const char *offload)
{
    CompareMean mean = { 0 };
    guint n = 0;

    for (guint i = 0; i < c->pairs->len; i++) {
        const ComparePair *pair = compare_pair(c, i);

        if (!compare_same_group(c, pair, like) ||
            !g_str_equal(compare_offload(c, pair), offload))
            continue;
        mean.speedup += compare_speedup(pair);
        mean.max_speedup = MAX(mean.max_speedup, compare_speedup(pair));
        mean.ceiling += compare_ceiling(pair);
        n++;
    }
    mean.speedup /= MAX(n, 1);
    mean.ceiling /= MAX(n, 1);
    return mean;
}

GString *compare_csv(const Comparison *c)
{
    static const char *const columns[] = {
        "workload",      "n_npus",
        "offload",       "offload_iteration_time_us",
        "best_baseline", "best_baseline_iteration_time_us",
        "speedup",       "ceiling",
    };
    GString *out = g_string_new(NULL);

    for (guint k = 0; k < c->keys->len; k++)
        csv_add_text(out, csv_table_column_name(
                              c->table, g_array_index(c->keys, guint, k)));
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        csv_add_text(out, columns[i]);
    csv_end_row(out);
    for (guint i = 0; i < c->pairs->len; i++) {
        const ComparePair *pair = compare_pair(c, i);

        for (guint k = 0; k < c->keys->len; k++)
            csv_add_text(out,
                         cell(c, pair->row, g_array_index(c->keys, guint, k)));
        csv_add_text(out, cell(c, pair->row, c->workload));
        csv_add_text(out, cell(c, pair->row, c->n_npus));
        csv_add_text(out, compare_offload(c, pair));
        csv_add_fixed(out, pair->time_ps, 6);
        csv_add_text(out, cell(c, pair->best_row, c->endpoint));
        csv_add_fixed(out, pair->best_ps, 6);
        csv_add_ratio(out, pair->best_ps, pair->time_ps, 4);
        if (pair->roofline_ps > 0)
            csv_add_ratio(out, pair->best_ps, pair->roofline_ps, 4);
        else
            csv_add_empty(out);
        csv_end_row(out);
    }
    return out;
}
