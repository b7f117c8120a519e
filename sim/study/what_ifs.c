/* what_ifs.c - the same file again and again, each time with something else set
 */
#include "sim/study/what_ifs.h"

#include <string.h>

#include "models/run/report/slack.h"
#include "sim/study/load.h"
#include "sim/study/losses.h"
#include "sim/study/timed_run.h"
#include "sim/study/value.h"

struct WhatIfs {
    WhatIfSource from;
    GArray *all;        /* borrowed, of WhatIf */
    ConfigDoc *library; /* owned: files are read once */
    TimedRuns timed;
    gpointer ahead;  /* owned by .from.ahead; NULL: nothing is done ahead */
    GArray *numbers; /* owned, of guint: what is */
    GPtrArray *held; /* owned, of GString: what came of it, by its place there;
                      * NULL: it is taken */
    GArray *pieces;  /* owned, of guint: numbers of what was begun since */
    const WhatIfMore *with;
};

void what_if_clear(gpointer data)
{
    WhatIf *what_if = data;

    g_free(what_if->name);
    g_strfreev(what_if->sets);
    g_free(what_if->reason);
}

gboolean what_ifs_are_whole(const GArray *all, GError **error)
{
    Losses losses = { 0 };

    for (guint i = 0; i < all->len; i++) {
        const WhatIf *what_if = &g_array_index(all, WhatIf, i);

        losses_count(&losses, what_if->name,
                     what_if->how == WHAT_IF_LOST ? what_if->reason : NULL);
    }
    return losses_are_none(&losses, "what-ifs", error);
}

static WhatIf *what_if_at(const WhatIfs *w, guint number)
{
    return &g_array_index(w->all, WhatIf, number);
}

static SimTime iteration_ps(const System *system)
{
    return system_result(system).iteration_ps;
}

static void free_held(gpointer text)
{
    if (text)
        g_string_free(text, TRUE);
}

WhatIfs *what_ifs_new(const WhatIfSource *from, GArray *all)
{
    WhatIfs *w = g_new0(WhatIfs, 1);

    w->from = *from;
    w->all = all;
    w->library = config_library_new();
    w->timed = (TimedRuns){ from->path, from->sets, from->fold, iteration_ps,
                            w->library };
    w->numbers = g_array_new(FALSE, FALSE, sizeof(guint));
    w->held = g_ptr_array_new_with_free_func(free_held);
    w->pieces = g_array_new(FALSE, FALSE, sizeof(guint));
    return w;
}

static void free_ahead(WhatIfs *w)
{
    if (w->ahead)
        w->from.ahead->free(w->ahead);
    w->ahead = NULL;
}

void what_ifs_free(WhatIfs *w)
{
    if (!w)
        return;
    free_ahead(w);
    config_doc_free(w->library);
    g_array_unref(w->numbers);
    g_ptr_array_unref(w->held);
    g_array_unref(w->pieces);
    g_free(w);
}

/* ---- what cannot change anything --------------------------------------- */

static char *values_without_slack(const SystemConfig *config)
{
    g_autofree gpointer params = NULL;
    const SystemConfig rest = slack_forget_for_time(config, &params);
    GString *out = g_string_new(NULL);

    config_append_values(out, system_fields, &rest);
    return g_string_free(out, FALSE);
}

typedef struct {
    const TimedRuns *timed;
    const char *values; /* of the run */
    const Slack *slack; /* likewise */
    const System *ran;
    const SystemConfig
        *rest; /* what slack_forget_for_time() leaves of its own */
} Same;

/* What is left where it is by slack_forget_for_time() has to be equal, and the
 * set makes it another: that need not be read. */
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
    g_autofree char **both = timed_run_sets(same->timed, what_if->sets);
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

void what_ifs_prove(WhatIfs *w)
{
    const System *ran = w->from.system;
    g_autoptr(Slack) slack = slack_new(ran);
    g_autofree char *values = values_without_slack(system_config(ran));
    g_autofree gpointer params = NULL;
    const SystemConfig rest =
        slack_forget_for_time(system_config(ran), &params);
    const Same same = { &w->timed, values, slack, ran, &rest };

    for (guint i = 0; i < w->all->len; i++) {
        WhatIf *what_if = what_if_at(w, i);

        if (!may_be_same(&same, what_if) || !is_same_run(&same, what_if))
            continue;
        what_if->iteration_ps = iteration_ps(ran);
        what_if->how = WHAT_IF_PROVED;
    }
}

/* ---- runs -------------------------------------------------------------- */

/* Those beside are numbered behind all others. */
static void work(gpointer self, guint number, GString *out)
{
    const WhatIfs *w = self;
    const RunMany *beside;

    if (number < w->all->len) {
        timed_run_work(&w->timed, what_if_at(w, number)->sets, out);
        return;
    }
    beside = &w->with->beside;
    beside->work(beside->self, number - w->all->len, out);
}

static void take(WhatIf *what_if, const GString *text, const char *reason)
{
    what_if->reason = timed_run_done(text, reason, &what_if->iteration_ps);
    what_if->how = reason ? WHAT_IF_LOST : WHAT_IF_RUN;
}

/* ---- ahead of the end of the run --------------------------------------- */

static void work_ahead(gpointer self, guint i, GString *out)
{
    const WhatIfs *w = self;

    work(self, g_array_index(w->numbers, guint, i), out);
}

void what_ifs_run_ahead(WhatIfs *w, const GArray *numbers)
{
    const RunMany many = { .n = numbers->len, .work = work_ahead, .self = w };

    g_array_append_vals(w->numbers, numbers->data, numbers->len);
    if (w->from.ahead && numbers->len > 0)
        w->ahead = w->from.ahead->begin(&many);
}

/* Those of which nothing came may be asked for again, then. */
static void done_ahead(gpointer self, guint i, const GString *text)
{
    WhatIfs *w = self;

    g_assert(!text || i == w->held->len);
    if (text)
        g_ptr_array_add(w->held,
                        g_string_new_len(text->str, (gssize)text->len));
    else
        g_array_set_size(w->numbers, w->held->len);
}

/* FALSE: of those that are asked for there is none. */
static gboolean take_held(WhatIfs *w)
{
    gboolean takes = FALSE;

    for (guint i = 0; i < w->held->len; i++) {
        WhatIf *what_if = what_if_at(w, g_array_index(w->numbers, guint, i));
        gpointer text = g_ptr_array_index(w->held, i);

        if (!text || what_if->how != WHAT_IF_ASKED)
            continue;
        take(what_if, text, NULL);
        free_held(text);
        g_ptr_array_index(w->held, i) = NULL;
        takes = TRUE;
    }
    return takes;
}

/* Only what has begun is left of .numbers. */
static void stop_ahead(WhatIfs *w)
{
    g_array_set_size(w->numbers,
                     w->ahead ? w->from.ahead->stop(w->ahead) : w->held->len);
}

/* ---- all that are asked for -------------------------------------------- */

static gboolean has(const GArray *numbers, guint number)
{
    for (guint i = 0; i < numbers->len; i++)
        if (g_array_index(numbers, guint, i) == number)
            return TRUE;
    return FALSE;
}

static gboolean is_to_begin(const WhatIfs *w, guint number)
{
    return what_if_at(w, number)->how == WHAT_IF_ASKED &&
           !has(w->pieces, number) && !has(w->numbers, number);
}

/* Those that are asked for, and nobody has begun: first who stands for others,
 * as what comes of him may ask for these. */
static void add_pieces(WhatIfs *w)
{
    for (guint i = 0; i < w->all->len; i++)
        if (what_if_at(w, i)->stands && is_to_begin(w, i))
            g_array_append_val(w->pieces, i);
    for (guint i = 0; i < w->all->len; i++)
        if (is_to_begin(w, i))
            g_array_append_val(w->pieces, i);
}

static guint number(gpointer self, guint i)
{
    const WhatIfs *w = self;

    return g_array_index(w->pieces, guint, i);
}

static void done(gpointer self, guint i, const GString *text,
                 const char *reason)
{
    WhatIfs *w = self;
    const RunMany *beside = &w->with->beside;
    guint n = number(self, i);

    if (n < w->all->len)
        take(what_if_at(w, n), text, reason);
    else
        beside->done(beside->self, n - w->all->len, text, reason);
}

static gboolean more(gpointer self, guint *n)
{
    WhatIfs *w = self;
    gboolean may_be;

    do
        may_be = w->with->more && w->with->more(w->with->self);
    while (take_held(w));
    add_pieces(w);
    *n = w->pieces->len;
    return may_be || w->numbers->len > w->held->len;
}

gboolean what_ifs_run_asked(WhatIfs *w, const WhatIfMore *with, GError **error)
{
    const WhatIfMore none = { 0 };
    RunMany many = {
        .number = number, .work = work, .done = done, .more = more, .self = w
    };
    gboolean ok;

    w->with = with ?: &none;
    g_array_set_size(w->pieces, 0);
    stop_ahead(w);
    for (guint i = 0; i < w->with->beside.n; i++) {
        guint beside = w->all->len + i;

        g_array_append_val(w->pieces, beside);
    }
    add_pieces(w);
    many.n = w->pieces->len;
    ok = w->ahead ? w->from.ahead->run_many(w->ahead, done_ahead, &many, error)
                  : w->from.run_many(&many, error);
    free_ahead(w);
    return ok;
}

gboolean what_ifs_run(GArray *all, const WhatIfSource *from, GError **error)
{
    g_autoptr(WhatIfs) w = what_ifs_new(from, all);

    what_ifs_prove(w);
    return what_ifs_run_asked(w, NULL, error);
}
