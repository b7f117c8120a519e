/*
 * run_critical_path.c - the critical path of a run through all NPUs: options,
 * output file and text; see run_critical_path.h
 */
#include "sim/cli/answers/run_critical_path.h"

#include "sim/host/output.h"
#include "sim/sweep/run_many_pool.h"
#include "sim/view/text/ranks_text.h"

void critical_path_options_clear(CriticalPathOptions *options)
{
    g_free(options->csv);
    g_strfreev(options->user_what_ifs);
}

gboolean critical_path_is_requested(const CriticalPathOptions *options)
{
    return options->wanted || options->csv || options->user_what_ifs;
}

gboolean critical_path_start_listening(const CriticalPathOptions *options,
                                       System *system, RankPath **ret,
                                       GError **error)
{
    *ret = NULL;
    if (!critical_path_is_requested(options))
        return TRUE;
    *ret = rank_path_new(system, error);
    return *ret != NULL;
}

static gboolean write_critical_path_rows(const char *csv,
                                         const RankStudy *study,
                                         gboolean *to_stdout, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!csv)
        return TRUE;
    rank_study_append_csv(text, study);
    *to_stdout |= output_is_stdout_name(csv);
    return output_write_user_path(csv, text, error);
}

char *critical_path_text(const CriticalPathOptions *options, const char *file,
                         char *const *sets, RunOptions run_options,
                         const System *system, RankPath *path,
                         GArray **ret_what_ifs, gboolean *to_stdout,
                         GError **error)
{
    g_autoptr(RankStudy) study = NULL;
    GArray *what_ifs;
    SystemResult r = system_result(system);

    *ret_what_ifs = NULL;
    rank_path_finish(path, &r);
    study = rank_study_new(system, path);
    if (!write_critical_path_rows(options->csv, study, to_stdout, error))
        return NULL;
    if (!options->wanted && !options->user_what_ifs)
        return ranks_text(study, NULL);
    *ret_what_ifs = what_ifs =
        rank_what_ifs_run(study, options->user_what_ifs, file, sets,
                          run_options, run_many_pool, error);
    return what_ifs ? ranks_text(study, what_ifs) : NULL;
}
