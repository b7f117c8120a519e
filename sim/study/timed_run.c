/* timed_run.c - the same file again with something set, for its time alone */
#include "sim/study/timed_run.h"

#include "sim/study/load.h"

/* NULL: it came to its end. */
static char *simulate(const TimedRuns *runs, char *const *sets, SimTime *ret_ps)
{
    SystemConfig config;
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = load_run(runs->path, sets, &config, &error);
    g_autoptr(System) system = NULL;

    if (doc)
        system = system_new(&config, runs->fold, &error);
    if (!system || !system_run(system, &error))
        return g_strdup(error->message);
    *ret_ps = runs->time_of(system);
    return NULL;
}

/* The time, or a blank and the reason. */
void timed_run_work(const TimedRuns *runs, char *const *more, GString *out)
{
    g_autoptr(GPtrArray) both = g_ptr_array_new();
    g_autofree char *reason = NULL;
    SimTime time_ps = 0;

    for (guint k = 0; runs->sets && runs->sets[k]; k++)
        g_ptr_array_add(both, runs->sets[k]);
    for (guint k = 0; more[k]; k++)
        g_ptr_array_add(both, more[k]);
    g_ptr_array_add(both, NULL);
    reason = simulate(runs, (char **)both->pdata, &time_ps);
    if (reason)
        g_string_append_printf(out, " %s", reason);
    else
        g_string_append_printf(out, "%" G_GUINT64_FORMAT, time_ps);
}

char *timed_run_done(const GString *text, const char *reason, SimTime *ret_ps)
{
    if (!reason && text->str[0] == ' ')
        reason = text->str + 1;
    if (!reason)
        *ret_ps = g_ascii_strtoull(text->str, NULL, 10);
    return g_strdup(reason);
}

/* ---- what if ----------------------------------------------------------- */

typedef struct {
    TimedRuns timed;
    GArray *all; /* of WhatIf */
} WhatIfs;

static WhatIf *what_if_at(const WhatIfs *runs, guint i)
{
    return &g_array_index(runs->all, WhatIf, i);
}

static SimTime iteration_ps(const System *system)
{
    return system_result(system).iteration_ps;
}

static void work(gpointer self, guint i, GString *out)
{
    const WhatIfs *runs = self;

    timed_run_work(&runs->timed, what_if_at(runs, i)->sets, out);
}

static void done(gpointer self, guint i, const GString *text,
                 const char *reason)
{
    WhatIf *what_if = what_if_at(self, i);

    what_if->reason = timed_run_done(text, reason, &what_if->iteration_ps);
}

void what_if_clear(gpointer data)
{
    WhatIf *what_if = data;

    g_free(what_if->name);
    g_strfreev(what_if->sets);
    g_free(what_if->reason);
}

gboolean what_ifs_run(GArray *what_ifs, const char *path, char *const *sets,
                      FoldMode fold, RunManyFn run_many, GError **error)
{
    WhatIfs runs = { { path, sets, fold, iteration_ps }, what_ifs };
    RunMany many = { what_ifs->len, work, done, &runs };

    return run_many(&many, error);
}
