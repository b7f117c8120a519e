/* endpoint_roles.c - which endpoints are offloads, baselines and the best */
#include "sim/study/compare/endpoint_roles_impl.h"

#define DEFAULT_OFFLOAD "ace"
/* Plots and reports take the names from the sweep only. */
#define WHICH_OFFLOAD                                                          \
    " (`compare --offload NAME` takes another, and so does `offload: [NAME]` " \
    "under `compare:` in the sweep)"

void compare_roles_init(CompareRoles *roles)
{
    roles->names = g_ptr_array_new();
    roles->known = g_hash_table_new(g_str_hash, g_str_equal);
    roles->baselines = g_hash_table_new(g_str_hash, g_str_equal);
    roles->best = g_hash_table_new(g_str_hash, g_str_equal);
    roles->built = g_hash_table_new(g_str_hash, g_str_equal);
    roles->offloads = g_hash_table_new(g_str_hash, g_str_equal);
    roles->ideals = g_hash_table_new(g_str_hash, g_str_equal);
    g_hash_table_add(roles->ideals, (gpointer)COMPARE_IDEAL);
}

void compare_roles_clear(CompareRoles *roles)
{
    g_ptr_array_unref(roles->names);
    g_hash_table_unref(roles->known);
    g_hash_table_unref(roles->baselines);
    g_hash_table_unref(roles->best);
    g_hash_table_unref(roles->built);
    g_hash_table_unref(roles->offloads);
    g_hash_table_unref(roles->ideals);
}

static const char *cell_of_compared_row(const Comparison *comparison, guint row,
                                        guint column)
{
    return csv_table_text(comparison->table, row, column);
}

static gboolean names_contain_endpoint(GHashTable *names, const char *name)
{
    return g_hash_table_contains(names, name);
}

/* Checks that all @wanted names are endpoints.  The message lists the names
 * that exist, then @hint. */
static gboolean check_endpoint_names(const CompareRoles *roles,
                                     const char *table, const GPtrArray *wanted,
                                     const char *hint, GError **error)
{
    g_autofree const char **known = g_new0(const char *, roles->names->len + 1);
    g_autofree char *all = NULL;

    for (guint i = 0; i < roles->names->len; i++)
        known[i] = g_ptr_array_index(roles->names, i);
    all = g_strjoinv(", ", (char **)known);
    for (guint i = 0; i < wanted->len; i++) {
        const char *name = g_ptr_array_index(wanted, i);

        if (names_contain_endpoint(roles->known, name))
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

static void list_known_endpoints(CompareRoles *roles,
                                 const Comparison *comparison)
{
    for (guint row = 0; row < csv_table_n_rows(comparison->table); row++) {
        const char *name =
            cell_of_compared_row(comparison, row, comparison->endpoint);

        if (*name != '\0' && g_hash_table_add(roles->known, (gpointer)name))
            g_ptr_array_add(roles->names, (gpointer)name);
    }
}

/* Adds the tuned endpoints that have no other role to the best ones. */
static void add_tuned_endpoints(CompareRoles *roles, Comparison *comparison)
{
    for (guint row = 0;
         comparison->has_tried && row < csv_table_n_rows(comparison->table);
         row++) {
        const char *name =
            cell_of_compared_row(comparison, row, comparison->endpoint);

        if (*cell_of_compared_row(comparison, row, comparison->tried) != '\0' &&
            !names_contain_endpoint(roles->best, name) &&
            !names_contain_endpoint(roles->offloads, name) &&
            !names_contain_endpoint(roles->baselines, name))
            add_endpoint_name(comparison->best, roles->best, name);
    }
}

/* Adds all endpoints without a role to the baselines. */
static void add_remaining_baselines(CompareRoles *roles, Comparison *comparison)
{
    for (guint i = 0; i < roles->names->len; i++) {
        const char *name = g_ptr_array_index(roles->names, i);

        if (!names_contain_endpoint(roles->offloads, name) &&
            !names_contain_endpoint(roles->best, name) &&
            !g_str_equal(name, COMPARE_IDEAL))
            add_endpoint_name(comparison->baselines, roles->baselines, name);
    }
}

/* Assigns the roles.  If all endpoints but the offloads were tuned, these are
 * the baselines, too. */
static void choose_endpoint_roles(CompareRoles *roles, Comparison *comparison,
                                  const CompareNames *names)
{
    add_endpoint_names(comparison->offloads, roles->offloads, names->offloads);
    if (comparison->offloads->len == 0)
        add_endpoint_name(comparison->offloads, roles->offloads,
                          DEFAULT_OFFLOAD);
    add_endpoint_names(comparison->baselines, roles->baselines,
                       names->baselines);
    add_endpoint_names(comparison->best, roles->best, names->best);
    if (!names->best[0])
        add_tuned_endpoints(roles, comparison);
    if (!names->baselines[0])
        add_remaining_baselines(roles, comparison);
    if (comparison->baselines->len == 0)
        for (guint i = 0; i < comparison->best->len; i++)
            add_endpoint_name(comparison->baselines, roles->baselines,
                              g_ptr_array_index(comparison->best, i));
    for (guint i = 0; i < comparison->baselines->len; i++)
        g_hash_table_add(roles->built,
                         g_ptr_array_index(comparison->baselines, i));
    for (guint i = 0; i < comparison->best->len; i++)
        g_hash_table_add(roles->built, g_ptr_array_index(comparison->best, i));
}

gboolean compare_roles_assign(CompareRoles *roles, Comparison *comparison,
                              const char *table, const CompareNames *names,
                              GError **error)
{
    const char *hint = names->offloads[0] ? "" : WHICH_OFFLOAD;

    list_known_endpoints(roles, comparison);
    choose_endpoint_roles(roles, comparison, names);
    if (!check_endpoint_names(roles, table, comparison->offloads, hint,
                              error) ||
        !check_endpoint_names(roles, table, comparison->baselines, "", error) ||
        !check_endpoint_names(roles, table, comparison->best, "", error))
        return FALSE;
    if (comparison->baselines->len == 0)
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                    "%s: no row has a baseline to compare with", table);
    return comparison->baselines->len > 0;
}

/* ---- endpoints without a result ---------------------------------------- */

static gboolean is_name_in_list(const GPtrArray *names, const char *name)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)names, name,
                                            g_str_equal, NULL);
}

/* Returns the endpoints that are no offload and have no row that is ok, each
 * once. */
static GPtrArray *list_failed_endpoints(const Comparison *comparison,
                                        guint status)
{
    g_autoptr(GHashTable) fine = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *failed = g_ptr_array_new();

    for (guint row = 0; row < csv_table_n_rows(comparison->table); row++)
        if (g_str_equal(cell_of_compared_row(comparison, row, status), "ok"))
            g_hash_table_add(fine, (gpointer)cell_of_compared_row(
                                       comparison, row, comparison->endpoint));
    for (guint row = 0; row < csv_table_n_rows(comparison->table); row++) {
        const char *name =
            cell_of_compared_row(comparison, row, comparison->endpoint);

        if (!g_hash_table_contains(fine, name) &&
            !is_name_in_list(failed, name) &&
            !is_name_in_list(comparison->offloads, name) &&
            !g_str_equal(name, COMPARE_IDEAL))
            g_ptr_array_add(failed, (gpointer)name);
    }
    return failed;
}

char *compare_untuned_note(const Comparison *comparison)
{
    g_autoptr(GPtrArray) failed = NULL;
    g_autofree char *names = NULL;
    guint status;

    if (csv_table_column(comparison->table, "status", &status, NULL))
        failed = list_failed_endpoints(comparison, status);
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
