/*
 * sweep_check.c - reads and checks the configurations of a sweep's points; see
 * sweep_check.h
 */
#include "sim/sweep/sweep_check.h"

#include "sim/study/rows/run_rows.h"
#include "sim/study/tune_endpoint.h"
#include "sim/sweep/reading/unique_rows.h"

typedef struct {
    const SweepPlan *plan;
    SweepReader *reader;   /* owned */
    UniqueRows *row_names; /* owned */
    gboolean build;
    SweepReadFn point_read;
    gpointer self;
    /* The names of endpoints in order of first appearance. */
    GPtrArray *names;  /* owned, of owned text */
    GHashTable *known; /* owned: a set that borrows them */
    gboolean all_known;
} SweepCheckState;

static void add_checked_endpoint_name(SweepCheckState *check, const char *name)
{
    char *copy;

    if (g_hash_table_contains(check->known, name))
        return;
    copy = g_strdup(name);
    g_ptr_array_add(check->names, copy);
    g_hash_table_add(check->known, copy);
}

/* Checks that the system of @point can be built.  If it cannot, the point is
 * read again as a whole, because only then the error has a position in the
 * file. */
static gboolean check_point_can_be_built(const SweepCheckState *check,
                                         guint point,
                                         const SystemConfig *config,
                                         GError **error)
{
    if (sweep_reader_changes(check->reader)) {
        if (check_tuned_endpoint_is_buildable(config, (RunOptions){ 0 }, NULL,
                                              NULL))
            return TRUE;
        config = sweep_reader_read_point_afresh(check->reader, point, error);
    }
    return config && check_tuned_endpoint_is_buildable(
                         config, (RunOptions){ 0 }, NULL, error);
}

static gboolean check_sweep_point(SweepCheckState *check, guint point,
                                  GError **error)
{
    const SystemConfig *config = sweep_reader_read(check->reader, point, error);

    check->all_known &= config != NULL;
    if (!config)
        return FALSE;
    add_checked_endpoint_name(check, rows_endpoint_name(config));
    if (check->point_read)
        check->point_read(check->self, point, check->reader, config);
    return unique_rows_add_point(check->row_names, point, config, error) &&
           (!check->build ||
            check_point_can_be_built(check, point, config, error));
}

/* One line of a message, and the points that have it. */
typedef struct {
    char *line; /* owned */
    guint first, n;
} PointProblem;

static void free_problem_line(gpointer data)
{
    PointProblem *problem = data;

    g_free(problem->line);
    g_free(problem);
}

static void collect_point_problems(GPtrArray *problems, GHashTable *known,
                                   guint point, const char *message)
{
    g_auto(GStrv) lines = g_strsplit(message, "\n", -1);

    for (char **line = lines; *line; line++) {
        PointProblem *problem = g_hash_table_lookup(known, *line);

        if (!problem) {
            problem = g_new0(PointProblem, 1);
            problem->line = g_strdup(*line);
            problem->first = point;
            g_ptr_array_add(problems, problem);
            g_hash_table_insert(known, problem->line, problem);
        }
        problem->n++;
    }
}

/* A problem of all points does not depend on the point, so no point is
 * named. */
static void append_problem_line(GString *all, const SweepPlan *plan,
                                const PointProblem *problem)
{
    guint n_more = problem->n - 1;
    g_autofree char *point = sweep_plan_describe_point(plan, problem->first);

    g_string_append_printf(all, "%s%s", all->len > 0 ? "\n" : "",
                           problem->line);
    if (problem->n == sweep_plan_count_points(plan))
        return;
    g_string_append_printf(all, " (point: %s", point);
    if (n_more > 0)
        g_string_append_printf(all, " and %u more point%s", n_more,
                               n_more > 1 ? "s" : "");
    g_string_append_c(all, ')');
}

/* Returns all problems of the first @n points, each once. */
static GString *list_point_problems(SweepCheckState *check, guint n)
{
    g_autoptr(GPtrArray) problems =
        g_ptr_array_new_with_free_func(free_problem_line);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    GString *all = g_string_new(NULL);

    for (guint i = 0; i < n; i++) {
        g_autoptr(GError) reason = NULL;

        if (!check_sweep_point(check, i, &reason))
            collect_point_problems(problems, known, i, reason->message);
    }
    for (guint i = 0; i < problems->len; i++)
        append_problem_line(all, check->plan, g_ptr_array_index(problems, i));
    return all;
}

/* Collects the endpoint names of the points from @n on; reads one point per
 * different endpoint. */
static void collect_other_endpoint_names(SweepCheckState *check, guint n)
{
    g_autoptr(GHashTable) seen =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = n; i < sweep_plan_count_points(check->plan); i++) {
        const SystemConfig *config;

        if (!g_hash_table_add(seen, sweep_plan_endpoint_text(check->plan, i)))
            continue;
        config = sweep_reader_read(check->reader, i, NULL);
        check->all_known &= config != NULL;
        if (config)
            add_checked_endpoint_name(check, rows_endpoint_name(config));
    }
}

/* Appends unknown names under `compare:` to @all. */
static void check_compared_names(SweepCheckState *check, GString *all)
{
    g_autoptr(GError) reason = NULL;

    g_ptr_array_add(check->names, NULL);
    if (!sweep_plan_check_names(
            check->plan, (const char *const *)check->names->pdata, &reason))
        g_string_append_printf(all, "%s%s", all->len > 0 ? "\n" : "",
                               reason->message);
}

gboolean sweep_check(const SweepPlan *plan, gboolean build,
                     SweepReadFn point_read, gpointer self, GError **error)
{
    guint n = MIN(sweep_plan_count_points(plan), SWEEP_CHECK_POINTS);
    SweepCheckState check = { .plan = plan,
                              .reader = sweep_reader_new(plan),
                              .row_names = unique_rows_new(plan),
                              .build = build,
                              .point_read = point_read,
                              .self = self,
                              .names = g_ptr_array_new_with_free_func(g_free),
                              .known =
                                  g_hash_table_new(g_str_hash, g_str_equal),
                              .all_known = TRUE };
    g_autoptr(GString) all = list_point_problems(&check, n);

    collect_other_endpoint_names(&check, n);
    if (check.all_known)
        check_compared_names(&check, all);
    if (all->len > 0)
        g_set_error_literal(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                            all->str);
    sweep_reader_free(check.reader);
    unique_rows_free(check.row_names);
    g_hash_table_unref(check.known);
    g_ptr_array_unref(check.names);
    return all->len == 0;
}
