/* optimise.c - finds changes that make a run faster, by simulation */
#include "sim/study/optimise/optimise.h"

#include "sim/core/csv.h"
#include "sim/study/failed_runs.h"
#include "sim/study/optimise/candidate_run.h"
#include "sim/study/optimise/candidate_search.h"

/* ---- the contribution of each change ----------------------------------- */

/* Runs a candidate and takes ownership of it. Returns its trial, or NULL and
 * sets @error. */
static const Trial *run_candidate_trial(OptimiseResult *result,
                                        Candidate *candidate, GError **error)
{
    g_autoptr(GPtrArray) one =
        g_ptr_array_new_with_free_func((GDestroyNotify)candidate_free);

    g_ptr_array_add(one, candidate);
    result->trials.n_most++; /* not counted as a run of the search */
    if (!run_new_candidate_trials(&result->trials, one, "worth", error))
        return NULL;
    return find_candidate_trial(&result->trials, candidate);
}

/* Removes the changes without which the best candidate is as fast. */
static gboolean remove_useless_changes(OptimiseResult *result, GError **error)
{
    for (CandidateAspect aspect = 0; aspect < N_ASPECTS; aspect++) {
        const Candidate *now = result->best->candidate;
        const Trial *without;

        if (!now->sets[aspect])
            continue;
        without = run_candidate_trial(
            result, candidate_with_setting_changed(now, aspect, NULL), error);
        if (!without)
            return FALSE;
        if (trial_is_about_as_fast(without, result->trials.best->time_ps))
            result->best = without;
    }
    return TRUE;
}

static gboolean measure_aspect_contribution(OptimiseResult *result,
                                            CandidateAspect aspect,
                                            GError **error)
{
    OptimiseContribution worth = { .aspect = aspect,
                                   .sets =
                                       result->best->candidate->sets[aspect] };

    worth.alone = run_candidate_trial(
        result,
        candidate_with_setting_changed(result->default_trial->candidate, aspect,
                                       worth.sets),
        error);
    if (worth.alone)
        worth.without =
            run_candidate_trial(result,
                                candidate_with_setting_changed(
                                    result->best->candidate, aspect, NULL),
                                error);
    if (!worth.without)
        return FALSE;
    g_array_append_val(result->contributions, worth);
    return TRUE;
}

static gboolean measure_contributions(OptimiseResult *result, GError **error)
{
    result->best = find_simplest_best_trial(&result->trials);
    if (!remove_useless_changes(result, error))
        return FALSE;
    for (CandidateAspect aspect = 0; aspect < N_ASPECTS; aspect++)
        if (result->best->candidate->sets[aspect] &&
            !measure_aspect_contribution(result, aspect, error))
            return FALSE;
    return TRUE;
}

/* ---- running the default and the search ---------------------------------- */

/* Returns the first proposals of the move @name, followed by NULL for the
 * unchanged setting; only NULL if the move is not allowed. */
static GPtrArray *first_proposals_of_move(const OptimiseResult *result,
                                          const char *name)
{
    GPtrArray *ret = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; result->task->moves[i]; i++)
        if (g_str_equal(result->task->moves[i]->name, name))
            result->task->moves[i]->seeds(result->profile, ret);
    g_ptr_array_add(ret, NULL);
    return ret;
}

/* Finds candidates that need less memory than the default, which does not fit:
 * all combinations of the moves that save memory. */
static gboolean try_smaller_memory_candidates(OptimiseResult *result,
                                              GError **error)
{
    g_autoptr(GPtrArray) accumulates =
        first_proposals_of_move(result, "accumulate");
    g_autoptr(GPtrArray) recomputes =
        first_proposals_of_move(result, "recompute");
    g_autoptr(GPtrArray) all =
        g_ptr_array_new_with_free_func((GDestroyNotify)candidate_free);

    for (guint i = 0; i < accumulates->len; i++)
        for (guint k = 0; k < recomputes->len; k++) {
            g_autoptr(Candidate) one = candidate_with_setting_changed(
                result->default_trial->candidate, ASPECT_ACCUMULATE,
                g_ptr_array_index(accumulates, i));

            g_ptr_array_add(all, candidate_with_setting_changed(
                                     one, ASPECT_RECOMPUTE,
                                     g_ptr_array_index(recomputes, k)));
        }
    return run_new_candidate_trials(&result->trials, all, "memory", error);
}

static gboolean run_default_trial(OptimiseResult *result, GError **error)
{
    g_autoptr(GPtrArray) one =
        g_ptr_array_new_with_free_func((GDestroyNotify)candidate_free);

    g_ptr_array_add(one, candidate_new());
    if (!run_new_candidate_trials(&result->trials, one, "default", error))
        return FALSE;
    result->default_trial = result->best =
        g_ptr_array_index(result->trials.trials, 0);
    if (result->default_trial->time_ps > 0)
        return TRUE;
    if (result->default_trial->has_crashed)
        return optimise_result_check_complete(result, error);
    if (!try_smaller_memory_candidates(result, error))
        return FALSE;
    if (result->trials.best)
        return TRUE;
    if (!optimise_result_check_complete(result, error))
        return FALSE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE, "%s",
                result->default_trial->reason);
    return FALSE;
}

OptimiseResult *optimise_run(const OptimiseTask *task, GError **error)
{
    g_autoptr(OptimiseResult) o = g_new0(OptimiseResult, 1);
    CandidateSearch search = { .moves = task->moves, .seed = task->seed };

    o->task = task;
    o->contributions = g_array_new(FALSE, FALSE, sizeof(OptimiseContribution));
    o->maker = task->maker;
    o->profile = run_profile_new(&o->maker, error);
    if (!o->profile)
        return NULL;
    o->maker.run_options.limits.n_hops =
        MAX(OPTIMISE_FEW_HOPS, o->profile->n_hops * OPTIMISE_MAX_HOPS_FACTOR);
    o->maker.work = o->profile->work;
    init_candidate_trials(&o->trials, &o->maker, MAX(task->n_evaluations, 1));
    if (!run_default_trial(o, error))
        return NULL;
    search.profile = o->profile;
    search.trials = &o->trials;
    if (!search_moves(&search, &o->interrupted))
        o->best = find_simplest_best_trial(&o->trials);
    else if (!measure_contributions(o, &o->interrupted))
        g_assert(o->interrupted);
    return g_steal_pointer(&o);
}

void optimise_result_free(OptimiseResult *result)
{
    if (!result)
        return;
    run_profile_free(result->profile);
    if (result->trials.trials)
        clear_trials(&result->trials);
    g_array_unref(result->contributions);
    g_clear_error(&result->interrupted);
    g_free(result);
}

/* The first failed trial is named as in the CSV rows. */
gboolean optimise_result_check_complete(const OptimiseResult *result,
                                        GError **error)
{
    g_autofree char *first = NULL;
    FailedRuns failed_runs = { 0 };

    for (guint i = 0; i < result->trials.trials->len; i++) {
        const Trial *trial = g_ptr_array_index(result->trials.trials, i);

        if (trial->has_crashed && !first)
            first = g_strdup_printf("number %u, by %s", i, trial->move);
        failed_runs_count_run(&failed_runs, first,
                              trial->has_crashed ? trial->reason : NULL);
    }
    return failed_runs_check_none(&failed_runs, "evaluations", error);
}

/* ---- writing the results to files ---------------------------------------- */

GString *optimise_result_run_file(const OptimiseResult *result,
                                  const char *folder, const char *head,
                                  GError **error)
{
    return candidate_run_file(&result->maker, result->best->candidate, folder,
                              head, error);
}

static void append_trial_row(guint i, const Trial *trial, SimTime least_ps,
                             GString *out)
{
    g_auto(GStrv) sets = g_strsplit(trial->text, "\n", -1);
    g_autofree char *text = NULL;
    guint n = g_strv_length(sets);

    if (n > 0 && *sets[n - 1] == '\0')
        g_clear_pointer(&sets[n - 1], g_free);
    text = g_strjoinv("; ", sets);
    csv_add_u64(out, i);
    csv_add_text(out, trial->move);
    if (trial->time_ps > 0)
        csv_add_fixed(out, trial->time_ps, 6);
    else
        csv_add_empty(out);
    csv_add_fixed(out, least_ps, 6);
    if (trial->time_ps > 0)
        csv_add_u64(out, trial->memory_bytes);
    else
        csv_add_empty(out);
    csv_add_text(out, trial->reason           ? trial->reason
                      : trial->cut_off_ps > 0 ? "cut off: not less"
                                              : "ok");
    csv_add_text(out, text);
    csv_end_row(out);
}

GString *optimise_result_to_csv(const OptimiseResult *result)
{
    static const char *const columns[] = { "evaluation",   "by",
                                           "time_us",      "least_us",
                                           "memory_bytes", "status",
                                           "changes" };
    GString *out = g_string_new(NULL);
    SimTime least_ps = 0;

    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        csv_add_text(out, columns[i]);
    csv_end_row(out);
    for (guint i = 0; i < result->trials.trials->len; i++) {
        const Trial *trial = g_ptr_array_index(result->trials.trials, i);

        if (!trial->messages)
            continue; /* a trial without a result was interrupted */
        if (trial->time_ps > 0 && (least_ps == 0 || trial->time_ps < least_ps))
            least_ps = trial->time_ps;
        append_trial_row(i, trial, least_ps, out);
    }
    return out;
}
