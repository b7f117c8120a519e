/* timed_run.c - the same file again with something set, for its time alone */
#include "sim/study/timed_run.h"

#include <string.h>

#include "models/run/report/slack.h"
#include "sim/study/load.h"
#include "sim/study/value.h"

/* NULL: it came to its end. */
static char *simulate(const TimedRuns *runs, char *const *sets, SimTime *ret_ps)
{
    SystemConfig config;
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc =
        load_run_from(runs->library, runs->path, sets, &config, &error);
    g_autoptr(System) system = NULL;

    if (doc)
        system = system_new(&config, runs->fold, &error);
    if (!system || !system_run(system, &error))
        return g_strdup(error->message);
    *ret_ps = runs->time_of(system);
    return NULL;
}

/* Those of all runs and @more.  Owner: the caller, of the array alone. */
static char **both_sets(const TimedRuns *runs, char *const *more)
{
    GPtrArray *both = g_ptr_array_new();

    for (guint k = 0; runs->sets && runs->sets[k]; k++)
        g_ptr_array_add(both, runs->sets[k]);
    for (guint k = 0; more[k]; k++)
        g_ptr_array_add(both, more[k]);
    g_ptr_array_add(both, NULL);
    return (char **)g_ptr_array_free(both, FALSE);
}

/* The time, or a blank and the reason. */
void timed_run_work(const TimedRuns *runs, char *const *more, GString *out)
{
    g_autofree char **both = both_sets(runs, more);
    g_autofree char *reason = NULL;
    SimTime time_ps = 0;

    reason = simulate(runs, both, &time_ps);
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
    GPtrArray *todo;       /* owned array, of WhatIf */
    const RunMany *beside; /* which come before them */
} WhatIfs;

static SimTime iteration_ps(const System *system)
{
    return system_result(system).iteration_ps;
}

static void work(gpointer self, guint i, GString *out)
{
    const WhatIfs *runs = self;

    const WhatIf *what_if;

    if (i < runs->beside->n) {
        runs->beside->work(runs->beside->self, i, out);
        return;
    }
    what_if = g_ptr_array_index(runs->todo, i - runs->beside->n);
    timed_run_work(&runs->timed, what_if->sets, out);
}

static void done(gpointer self, guint i, const GString *text,
                 const char *reason)
{
    const WhatIfs *runs = self;
    WhatIf *what_if;

    if (i < runs->beside->n) {
        runs->beside->done(runs->beside->self, i, text, reason);
        return;
    }
    what_if = g_ptr_array_index(runs->todo, i - runs->beside->n);
    what_if->reason = timed_run_done(text, reason, &what_if->iteration_ps);
    what_if->how = WHAT_IF_RUN;
}

void what_if_clear(gpointer data)
{
    WhatIf *what_if = data;

    g_free(what_if->name);
    g_strfreev(what_if->sets);
    g_free(what_if->reason);
}

/* ---- what cannot change anything --------------------------------------- */

static char *values_without_slack(const SystemConfig *config)
{
    g_autofree gpointer params = NULL;
    const SystemConfig rest = slack_forget(config, &params);
    GString *out = g_string_new(NULL);

    config_append_values(out, system_fields, &rest);
    return g_string_free(out, FALSE);
}

typedef struct {
    const TimedRuns *timed;
    const char *values; /* of the run */
    const Slack *slack; /* likewise */
    const System *ran;
    const SystemConfig *rest; /* what slack_forget() leaves of its own */
} Same;

/* What is left where it is by slack_forget() has to be equal, and the set makes
 * it another: that need not be read. */
static gboolean is_judged(const Same *same, const char *set)
{
    g_autofree char *key = g_strndup(set, strcspn(set, "="));
    uint64_t value, left;
    ConfigType type;

    return !value_at(system_config(same->ran), key, &value, &type) ||
           !value_at(same->rest, key, &left, &type) || value != left;
}

/* What the platform's fabric is made of is judged by nobody (slack.h). */
static gboolean may_be_same(const Same *same, const WhatIf *what_if)
{
    for (char **set = what_if->sets; *set; set++)
        if (g_str_has_prefix(*set, "platform.topology") ||
            !is_judged(same, *set))
            return FALSE;
    return TRUE;
}

/* What cannot be read is said when it is run. */
static gboolean is_same_run(const Same *same, const WhatIf *what_if)
{
    g_autofree char **both = both_sets(same->timed, what_if->sets);
    g_autofree char *values = NULL;
    g_auto(SlackPlan) plan = { .fold = same->timed->fold };
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = load_run_from(
        same->timed->library, same->timed->path, both, &config, NULL);

    if (!doc)
        return FALSE;
    values = values_without_slack(&config);
    return g_str_equal(values, same->values) &&
           slack_covers_time(same->slack, same->ran, &config, &plan);
}

void what_ifs_prove(GArray *what_ifs, const WhatIfSource *from)
{
    g_autoptr(ConfigDoc) library = config_library_new();
    const TimedRuns timed = { from->path, from->sets, from->fold, iteration_ps,
                              library };
    g_autoptr(Slack) slack = slack_new(from->system);
    g_autofree char *values = values_without_slack(system_config(from->system));
    g_autofree gpointer params = NULL;
    const SystemConfig rest =
        slack_forget(system_config(from->system), &params);
    const Same same = { &timed, values, slack, from->system, &rest };

    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);

        if (!may_be_same(&same, what_if) || !is_same_run(&same, what_if))
            continue;
        what_if->iteration_ps = iteration_ps(from->system);
        what_if->how = WHAT_IF_PROVED;
    }
}

/* ---- all of them ------------------------------------------------------- */

gboolean what_ifs_run_asked(GArray *what_ifs, const WhatIfSource *from,
                            const RunMany *beside, GError **error)
{
    const RunMany none = { 0 };
    g_autoptr(ConfigDoc) library = config_library_new();
    g_autoptr(GPtrArray) todo = g_ptr_array_new();
    WhatIfs runs = { { from->path, from->sets, from->fold, iteration_ps,
                       library },
                     todo,
                     beside ? beside : &none };
    RunMany many = { .work = work, .done = done, .self = &runs };

    for (guint i = 0; i < what_ifs->len; i++)
        if (g_array_index(what_ifs, WhatIf, i).how == WHAT_IF_ASKED)
            g_ptr_array_add(todo, &g_array_index(what_ifs, WhatIf, i));
    many.n = runs.beside->n + todo->len;
    return many.n == 0 || from->run_many(&many, error);
}

gboolean what_ifs_run(GArray *what_ifs, const WhatIfSource *from,
                      const RunMany *beside, GError **error)
{
    what_ifs_prove(what_ifs, from);
    return what_ifs_run_asked(what_ifs, from, beside, error);
}
