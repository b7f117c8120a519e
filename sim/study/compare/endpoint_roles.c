/* endpoint_roles.c - which endpoints are offloads, baselines and the best */
#include "sim/study/compare/endpoint_roles_impl.h"

#define DEFAULT_OFFLOAD "ace"
/* Plots and reports take the names from the sweep only. */
#define WHICH_OFFLOAD                                                          \
    " (`compare --offload NAME` takes another, and so does `offload: [NAME]` " \
    "under `compare:` in the sweep)"

void compare_roles_init(CompareRoles *p)
{
    p->names = g_ptr_array_new();
    p->known = g_hash_table_new(g_str_hash, g_str_equal);
    p->baselines = g_hash_table_new(g_str_hash, g_str_equal);
    p->best = g_hash_table_new(g_str_hash, g_str_equal);
    p->built = g_hash_table_new(g_str_hash, g_str_equal);
    p->offloads = g_hash_table_new(g_str_hash, g_str_equal);
    p->ideals = g_hash_table_new(g_str_hash, g_str_equal);
    g_hash_table_add(p->ideals, (gpointer)COMPARE_IDEAL);
}

void compare_roles_clear(CompareRoles *p)
{
    g_ptr_array_unref(p->names);
    g_hash_table_unref(p->known);
    g_hash_table_unref(p->baselines);
    g_hash_table_unref(p->best);
    g_hash_table_unref(p->built);
    g_hash_table_unref(p->offloads);
    g_hash_table_unref(p->ideals);
}

static const char *cell_of_compared_row(const Comparison *c, guint row,
                                        guint column)
{
    return csv_table_text(c->table, row, column);
}

static gboolean names_contain_endpoint(GHashTable *names, const char *name)
{
    return g_hash_table_contains(names, name);
}

/* Checks that all @wanted names are endpoints.  The message lists the names
 * that exist, then @hint. */
static gboolean check_endpoint_names(const CompareRoles *p, const char *table,
                                     const GPtrArray *wanted, const char *hint,
                                     GError **error)
{
    g_autofree const char **known = g_new0(const char *, p->names->len + 1);
    g_autofree char *all = NULL;

    for (guint i = 0; i < p->names->len; i++)
        known[i] = g_ptr_array_index(p->names, i);
    all = g_strjoinv(", ", (char **)known);
    for (guint i = 0; i < wanted->len; i++) {
        const char *name = g_ptr_array_index(wanted, i);

        if (names_contain_endpoint(p->known, name))
            continue;
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                    "%s: no row has endpoint '%s'; there are: %s%s", table,
                    name, all, hint);
        return FALSE;
    }
    return TRUE;
}

static void add_endpoint_name(GPtrArray *names, GHashTable *set,
                              const char *name)
{
    g_ptr_array_add(names, (gpointer)name);
    g_hash_table_add(set, (gpointer)name);
}

static void add_endpoint_names(GPtrArray *names, GHashTable *set,
                               char *const *given)
{
    for (guint i = 0; given[i]; i++)
        add_endpoint_name(names, set, given[i]);
}

static void list_known_endpoints(CompareRoles *p, const Comparison *c)
{
    for (guint row = 0; row < csv_table_n_rows(c->table); row++) {
        const char *name = cell_of_compared_row(c, row, c->endpoint);

        if (*name != '\0' && g_hash_table_add(p->known, (gpointer)name))
            g_ptr_array_add(p->names, (gpointer)name);
    }
}

/* Adds the tuned endpoints that have no other role to the best ones. */
static void add_tuned_endpoints(CompareRoles *p, Comparison *c)
{
    for (guint row = 0; c->has_tried && row < csv_table_n_rows(c->table);
         row++) {
        const char *name = cell_of_compared_row(c, row, c->endpoint);

        if (*cell_of_compared_row(c, row, c->tried) != '\0' &&
            !names_contain_endpoint(p->best, name) &&
            !names_contain_endpoint(p->offloads, name) &&
            !names_contain_endpoint(p->baselines, name))
            add_endpoint_name(c->best, p->best, name);
    }
}

/* Adds all endpoints without a role to the baselines. */
static void add_remaining_baselines(CompareRoles *p, Comparison *c)
{
    for (guint i = 0; i < p->names->len; i++) {
        const char *name = g_ptr_array_index(p->names, i);

        if (!names_contain_endpoint(p->offloads, name) &&
            !names_contain_endpoint(p->best, name) &&
            !g_str_equal(name, COMPARE_IDEAL))
            add_endpoint_name(c->baselines, p->baselines, name);
    }
}

/* Assigns the roles.  If all endpoints but the offloads were tuned, these are
 * the baselines, too. */
static void choose_endpoint_roles(CompareRoles *p, Comparison *c,
                                  const CompareNames *names)
{
    add_endpoint_names(c->offloads, p->offloads, names->offloads);
    if (c->offloads->len == 0)
        add_endpoint_name(c->offloads, p->offloads, DEFAULT_OFFLOAD);
    add_endpoint_names(c->baselines, p->baselines, names->baselines);
    add_endpoint_names(c->best, p->best, names->best);
    if (!names->best[0])
        add_tuned_endpoints(p, c);
    if (!names->baselines[0])
        add_remaining_baselines(p, c);
    if (c->baselines->len == 0)
        for (guint i = 0; i < c->best->len; i++)
            add_endpoint_name(c->baselines, p->baselines,
                              g_ptr_array_index(c->best, i));
    for (guint i = 0; i < c->baselines->len; i++)
        g_hash_table_add(p->built, g_ptr_array_index(c->baselines, i));
    for (guint i = 0; i < c->best->len; i++)
        g_hash_table_add(p->built, g_ptr_array_index(c->best, i));
}

gboolean compare_roles_assign(CompareRoles *p, Comparison *c, const char *table,
                              const CompareNames *names, GError **error)
{
    const char *hint = names->offloads[0] ? "" : WHICH_OFFLOAD;

    list_known_endpoints(p, c);
    choose_endpoint_roles(p, c, names);
    if (!check_endpoint_names(p, table, c->offloads, hint, error) ||
        !check_endpoint_names(p, table, c->baselines, "", error) ||
        !check_endpoint_names(p, table, c->best, "", error))
        return FALSE;
    if (c->baselines->len == 0)
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                    "%s: no row has a baseline to compare with", table);
    return c->baselines->len > 0;
}

/* ---- endpoints without a result ---------------------------------------- */

static gboolean is_name_in_list(const GPtrArray *names, const char *name)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)names, name,
                                            g_str_equal, NULL);
}

/* Returns the endpoints that are no offload and have no row that is ok, each
 * once. */
static GPtrArray *list_failed_endpoints(const Comparison *c, guint status)
{
    g_autoptr(GHashTable) fine = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *failed = g_ptr_array_new();

    for (guint row = 0; row < csv_table_n_rows(c->table); row++)
        if (g_str_equal(cell_of_compared_row(c, row, status), "ok"))
            g_hash_table_add(
                fine, (gpointer)cell_of_compared_row(c, row, c->endpoint));
    for (guint row = 0; row < csv_table_n_rows(c->table); row++) {
        const char *name = cell_of_compared_row(c, row, c->endpoint);

        if (!g_hash_table_contains(fine, name) &&
            !is_name_in_list(failed, name) &&
            !is_name_in_list(c->offloads, name) &&
            !g_str_equal(name, COMPARE_IDEAL))
            g_ptr_array_add(failed, (gpointer)name);
    }
    return failed;
}

char *compare_untuned_note(const Comparison *c)
{
    g_autoptr(GPtrArray) failed = NULL;
    g_autofree char *names = NULL;
    guint status;

    if (csv_table_column(c->table, "status", &status, NULL))
        failed = list_failed_endpoints(c, status);
    if (!failed || failed->len == 0)
        return g_strdup("no baseline was tuned; with "
                        "configs/endpoints/tuned.yaml as a point, "
                        "`best: [tuned]` adds that");
    g_ptr_array_add(failed, NULL);
    names = g_strjoinv(", ", (char **)failed->pdata);
    return g_strdup_printf("no baseline that was tuned has a result: every row "
                           "of %s failed, and its `status` says why",
                           names);
}
