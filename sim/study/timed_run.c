/* timed_run.c - one run of a file with other settings, of which only the time
 * is needed */
#include "sim/study/timed_run.h"

#include "sim/study/load_run_file.h"

static gboolean simulate_and_time(const TimedRuns *runs, char *const *sets,
                                  SimTime *ret_ps, GError **error)
{
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        load_run_cached(runs->library, runs->path, sets, &config, error);
    g_autoptr(System) system = NULL;

    if (doc)
        system = system_new(&config, runs->run_options, error);
    if (!system ||
        !system_run_with_progress(system, runs->watch.report_progress,
                                  runs->watch.self, error))
        return FALSE;
    *ret_ps = runs->time_of(system);
    return TRUE;
}

char **timed_run_join_settings(const TimedRuns *runs, char *const *more)
{
    GPtrArray *both = g_ptr_array_new();

    for (guint k = 0; runs->sets && runs->sets[k]; k++)
        g_ptr_array_add(both, runs->sets[k]);
    for (guint k = 0; more[k]; k++)
        g_ptr_array_add(both, more[k]);
    g_ptr_array_add(both, NULL);
    return (char **)g_ptr_array_free(both, FALSE);
}

/* The result is the time, or a blank and the reason. */
gboolean timed_run_simulate(const TimedRuns *runs, char *const *more,
                            GString *out)
{
    g_autofree char **both = timed_run_join_settings(runs, more);
    g_autoptr(GError) error = NULL;
    SimTime time_ps = 0;

    if (simulate_and_time(runs, both, &time_ps, &error))
        g_string_append_printf(out, "%" G_GUINT64_FORMAT, time_ps);
    else
        g_string_append_printf(out, " %s", error->message);
    return !g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_ENDED);
}

char *timed_run_parse_result(const GString *text, const char *reason,
                             SimTime *ret_ps)
{
    g_assert(text || reason);
    if (!reason && text->str[0] == ' ')
        reason = text->str + 1;
    if (!reason)
        *ret_ps = g_ascii_strtoull(text->str, NULL, 10);
    return g_strdup(reason);
}
