/* what_ifs.c - runs one configuration many times, each time with other
 * settings */
#include "sim/study/what_ifs.h"

#include <string.h>

#include "models/run/report/configs_with_same_results.h"
#include "sim/study/config_value.h"
#include "sim/study/failed_runs.h"
#include "sim/study/load_run_file.h"
#include "sim/study/timed_run.h"

struct WhatIfs {
    WhatIfSource from;
    GArray *what_ifs;   /* borrowed: of WhatIf */
    ConfigDoc *library; /* owned: caches the files, so that each is read once */
    TimedRuns timed;
    gpointer ahead;  /* owned by .from.ahead; NULL: none started early */
    GArray *numbers; /* owned, of guint: the what-ifs that run early */
    GPtrArray *early_results; /* owned, of GString: their results, by index in
                               * .numbers; NULL once used */
    GArray *pieces;           /* owned, of guint: the what-ifs started by
                               * what_ifs_run_requested(), and extra work */
    const WhatIfExtraWork *extra_work;
    char *ended; /* owned: why the watch ended a run in this process; then no
                  * more are run here.  NULL: it did not. */
};

void what_if_clear(gpointer data)
{
    WhatIf *what_if = data;

    g_free(what_if->name);
    g_strfreev(what_if->sets);
    g_free(what_if->reason);
}

gboolean what_ifs_check_none_failed(const GArray *all, GError **error)
{
    FailedRuns failed_runs = { 0 };

    for (guint i = 0; i < all->len; i++) {
        const WhatIf *what_if = &g_array_index(all, WhatIf, i);

        failed_runs_count_run(
            &failed_runs, what_if->name,
            what_if->method == WHAT_IF_CRASHED ? what_if->reason : NULL);
    }
    return failed_runs_check_none(&failed_runs, "what-ifs", error);
}

static WhatIf *what_if_by_number(const WhatIfs *what_ifs, guint number)
{
    return &g_array_index(what_ifs->what_ifs, WhatIf, number);
}

static SimTime mean_iteration_ps(const System *system)
{
    return system_result(system).iteration_ps;
}

static void free_result_text(gpointer text)
{
    if (text)
        g_string_free(text, TRUE);
}

WhatIfs *what_ifs_new(const WhatIfSource *from, GArray *all)
{
    WhatIfs *what_ifs = g_new0(WhatIfs, 1);

    what_ifs->from = *from;
    what_ifs->what_ifs = all;
    what_ifs->library = config_library_new();
    what_ifs->timed =
        (TimedRuns){ from->path,        from->sets,        from->run_options,
                     mean_iteration_ps, what_ifs->library, from->watch };
    what_ifs->numbers = g_array_new(FALSE, FALSE, sizeof(guint));
    what_ifs->early_results = g_ptr_array_new_with_free_func(free_result_text);
    what_ifs->pieces = g_array_new(FALSE, FALSE, sizeof(guint));
    return what_ifs;
}

static void free_early_runs(WhatIfs *what_ifs)
{
    if (what_ifs->ahead)
        what_ifs->from.ahead->free(what_ifs->ahead);
    what_ifs->ahead = NULL;
}

void what_ifs_free(WhatIfs *what_ifs)
{
    if (!what_ifs)
        return;
    free_early_runs(what_ifs);
    g_free(what_ifs->ended);
    config_doc_free(what_ifs->library);
    g_array_unref(what_ifs->numbers);
    g_ptr_array_unref(what_ifs->early_results);
    g_array_unref(what_ifs->pieces);
    g_free(what_ifs);
}

/* ---- what-ifs that provably change nothing ----------------------------- */

static char *time_relevant_values_text(const SystemConfig *config)
{
    g_autofree gpointer params = NULL;
    const SystemConfig kept =
        result_invariance_neutral_config_for_time(config, &params);
    GString *out = g_string_new(NULL);

    config_append_values(out, system_fields, &kept);
    return g_string_free(out, FALSE);
}

typedef struct {
    const TimedRuns *timed;
    const char *values;                 /* borrowed: of the base run */
    const ResultInvariance *invariance; /* borrowed: of the base run */
    const System *ran;
    const SystemConfig
        *neutral_config; /* borrowed: what
                          * result_invariance_neutral_config_for_time() leaves
                          * of the base run's configuration */
} BaseRunFacts;

/* Returns whether report/configs_with_same_results.h judges changes of the key
 * in @set. It does not judge a value that
 * result_invariance_neutral_config_for_time() leaves unchanged: that value must
 * be equal in both runs, and @set changes it. */
static gboolean setting_is_covered_by_invariance(const BaseRunFacts *base,
                                                 const char *set)
{
    g_autofree char *key = g_strndup(set, strcspn(set, "="));
    uint64_t value, left;
    ConfigType type;

    return !config_value_read_at_path(system_config(base->ran), key, &value,
                                      &type) ||
           !config_value_read_at_path(base->neutral_config, key, &left,
                                      &type) ||
           value != left;
}

/* Returns FALSE if the what-if cannot equal the base run.
 * report/configs_with_same_results.h does not judge changes of the platform's
 * topology. */
static gboolean what_if_may_equal_base_run(const BaseRunFacts *base,
                                           const WhatIf *what_if)
{
    for (char **set = what_if->sets; *set; set++)
        if (g_str_has_prefix(*set, "platform.topology") ||
            !setting_is_covered_by_invariance(base, *set))
            return FALSE;
    return TRUE;
}

/* Returns whether the what-if provably equals the base run.  A configuration
 * that cannot be read does not; its error is reported when it is run. */
static gboolean what_if_provably_equals_base_run(const BaseRunFacts *base,
                                                 const WhatIf *what_if)
{
    g_autofree char **both =
        timed_run_join_settings(base->timed, what_if->sets);
    g_autofree char *values = NULL;
    g_auto(ResultInvariancePlan)
        plan = { .run_options = base->timed->run_options };
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = load_run_cached(
        base->timed->library, base->timed->path, both, &config, NULL);

    if (!doc)
        return FALSE;
    values = time_relevant_values_text(&config);
    return g_str_equal(values, base->values) &&
           result_invariance_has_same_time(base->invariance, base->ran, &config,
                                           &plan);
}

void what_ifs_prove_unchanged(WhatIfs *what_ifs)
{
    const System *ran = what_ifs->from.system;
    g_autoptr(ResultInvariance) invariance = result_invariance_new(ran);
    g_autofree char *values = time_relevant_values_text(system_config(ran));
    g_autofree gpointer params = NULL;
    const SystemConfig kept =
        result_invariance_neutral_config_for_time(system_config(ran), &params);
    const BaseRunFacts base = { &what_ifs->timed, values, invariance, ran,
                                &kept };

    for (guint i = 0; i < what_ifs->what_ifs->len; i++) {
        WhatIf *what_if = what_if_by_number(what_ifs, i);

        if (!what_if_may_equal_base_run(&base, what_if) ||
            !what_if_provably_equals_base_run(&base, what_if))
            continue;
        what_if->iteration_ps = mean_iteration_ps(ran);
        what_if->method = WHAT_IF_PROVED;
    }
}

/* ---- running a what-if --------------------------------------------------- */

/* Runs what-if @number.  Extra work has the numbers after the last what-if. */
static void run_what_if(gpointer self, guint number, GString *out)
{
    WhatIfs *what_ifs = self;
    const RunMany *extra;

    if (what_ifs->ended) {
        g_string_append_printf(out, " %s", what_ifs->ended);
        return;
    }
    if (number < what_ifs->what_ifs->len) {
        if (!timed_run_simulate(&what_ifs->timed,
                                what_if_by_number(what_ifs, number)->sets, out))
            what_ifs->ended = g_strdup(out->str + 1);
        return;
    }
    extra = &what_ifs->extra_work->extra;
    extra->work(extra->self, number - what_ifs->what_ifs->len, out);
}

static void store_run_result_in_what_if(WhatIf *what_if, const GString *text,
                                        const char *reason)
{
    what_if->reason =
        timed_run_parse_result(text, reason, &what_if->iteration_ps);
    what_if->method = reason ? WHAT_IF_CRASHED : WHAT_IF_RUN;
}

/* ---- runs before the base run ends ------------------------------------- */

static void run_what_if_in_background(gpointer self, guint i, GString *out)
{
    const WhatIfs *what_ifs = self;

    run_what_if(self, g_array_index(what_ifs->numbers, guint, i), out);
}

void what_ifs_start_in_background(WhatIfs *what_ifs, const GArray *numbers)
{
    const RunMany many = { .n = numbers->len,
                           .work = run_what_if_in_background,
                           .self = what_ifs };

    g_array_append_vals(what_ifs->numbers, numbers->data, numbers->len);
    if (what_ifs->from.ahead && numbers->len > 0)
        what_ifs->ahead = what_ifs->from.ahead->begin(&many);
}

/* Receives the result of an early run.  Without a text this and all later runs
 * failed, so they are forgotten and may be requested again. */
static void receive_background_result(gpointer self, guint i,
                                      const GString *text)
{
    WhatIfs *what_ifs = self;

    g_assert(!text || i == what_ifs->early_results->len);
    if (text)
        g_ptr_array_add(what_ifs->early_results,
                        g_string_new_len(text->str, (gssize)text->len));
    else
        g_array_set_size(what_ifs->numbers, what_ifs->early_results->len);
}

/* Uses the early results of requested what-ifs.  Returns FALSE if there are
 * none. */
static gboolean take_background_results(WhatIfs *what_ifs)
{
    gboolean has_used = FALSE;

    for (guint i = 0; i < what_ifs->early_results->len; i++) {
        WhatIf *what_if = what_if_by_number(
            what_ifs, g_array_index(what_ifs->numbers, guint, i));
        gpointer text = g_ptr_array_index(what_ifs->early_results, i);

        if (!text || what_if->method != WHAT_IF_REQUESTED)
            continue;
        store_run_result_in_what_if(what_if, text, NULL);
        free_result_text(text);
        g_ptr_array_index(what_ifs->early_results, i) = NULL;
        has_used = TRUE;
    }
    return has_used;
}

/* Starts no more early runs; .numbers keeps those that have started. */
static void stop_background_what_ifs(WhatIfs *what_ifs)
{
    g_array_set_size(what_ifs->numbers,
                     what_ifs->ahead
                         ? what_ifs->from.ahead->stop(what_ifs->ahead)
                         : what_ifs->early_results->len);
}

/* ---- running all requested what-ifs -------------------------------------- */

static gboolean list_contains_number(const GArray *numbers, guint number)
{
    for (guint i = 0; i < numbers->len; i++)
        if (g_array_index(numbers, guint, i) == number)
            return TRUE;
    return FALSE;
}

static gboolean must_start_what_if(const WhatIfs *what_ifs, guint number)
{
    return what_if_by_number(what_ifs, number)->method == WHAT_IF_REQUESTED &&
           !list_contains_number(what_ifs->pieces, number) &&
           !list_contains_number(what_ifs->numbers, number);
}

/* Adds the requested what-ifs that have not started.  Groups come first,
 * because their results may request their members. */
static void add_requested_what_if_pieces(WhatIfs *what_ifs)
{
    for (guint i = 0; i < what_ifs->what_ifs->len; i++)
        if (what_if_by_number(what_ifs, i)->is_group &&
            must_start_what_if(what_ifs, i))
            g_array_append_val(what_ifs->pieces, i);
    for (guint i = 0; i < what_ifs->what_ifs->len; i++)
        if (must_start_what_if(what_ifs, i))
            g_array_append_val(what_ifs->pieces, i);
}

static guint number_of_what_if_for_piece(gpointer self, guint i)
{
    const WhatIfs *what_ifs = self;

    return g_array_index(what_ifs->pieces, guint, i);
}

static void receive_what_if_piece_result(gpointer self, guint i,
                                         const GString *text,
                                         const char *reason)
{
    WhatIfs *what_ifs = self;
    const RunMany *extra = &what_ifs->extra_work->extra;
    guint n = number_of_what_if_for_piece(self, i);

    if (n < what_ifs->what_ifs->len)
        store_run_result_in_what_if(what_if_by_number(what_ifs, n), text,
                                    reason);
    else
        extra->piece_ended(extra->self, n - what_ifs->what_ifs->len, text,
                           reason);
}

static gboolean request_more_what_if_pieces(gpointer self, guint *n)
{
    WhatIfs *what_ifs = self;
    gboolean may_follow;

    do
        may_follow = what_ifs->extra_work->more &&
                     what_ifs->extra_work->more(what_ifs->extra_work->self);
    while (take_background_results(what_ifs));
    add_requested_what_if_pieces(what_ifs);
    *n = what_ifs->pieces->len;
    return may_follow || what_ifs->numbers->len > what_ifs->early_results->len;
}

gboolean what_ifs_run_requested(WhatIfs *what_ifs,
                                const WhatIfExtraWork *extra_work,
                                GError **error)
{
    const WhatIfExtraWork none = { 0 };
    RunMany many = { .number = number_of_what_if_for_piece,
                     .work = run_what_if,
                     .piece_ended = receive_what_if_piece_result,
                     .find_more_pieces = request_more_what_if_pieces,
                     .self = what_ifs };
    gboolean ok;

    what_ifs->extra_work = extra_work ?: &none;
    g_array_set_size(what_ifs->pieces, 0);
    stop_background_what_ifs(what_ifs);
    for (guint i = 0; i < what_ifs->extra_work->extra.n; i++) {
        guint extra = what_ifs->what_ifs->len + i;

        g_array_append_val(what_ifs->pieces, extra);
    }
    add_requested_what_if_pieces(what_ifs);
    many.n = what_ifs->pieces->len;
    ok = what_ifs->ahead
             ? what_ifs->from.ahead->run_many(
                   what_ifs->ahead, receive_background_result, &many, error)
             : what_ifs->from.run_many(&many, error);
    free_early_runs(what_ifs);
    if (ok && what_ifs->ended)
        g_set_error_literal(error, SYSTEM_ERROR, SYSTEM_ERROR_ENDED,
                            what_ifs->ended);
    return ok && !what_ifs->ended;
}

gboolean what_ifs_prove_and_run(GArray *all, const WhatIfSource *from,
                                GError **error)
{
    g_autoptr(WhatIfs) w = what_ifs_new(from, all);

    what_ifs_prove_unchanged(w);
    return what_ifs_run_requested(w, NULL, error);
}
