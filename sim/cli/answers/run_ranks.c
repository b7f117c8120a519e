/*
 * run_ranks.c - see run_ranks.h
 */
#include "sim/cli/answers/run_ranks.h"

#include "sim/host/output.h"
#include "sim/sweep/run_many_pool.h"
#include "sim/view/text/ranks_text.h"

void ranks_options_clear(RanksOptions *options)
{
    g_free(options->csv);
    g_strfreev(options->wishes);
}

gboolean ranks_are_wanted(const RanksOptions *options)
{
    return options->wanted || options->csv || options->wishes;
}

gboolean ranks_listen(const RanksOptions *options, System *system,
                      RankPath **ret, GError **error)
{
    *ret = NULL;
    if (!ranks_are_wanted(options))
        return TRUE;
    *ret = rank_path_new(system, error);
    return *ret != NULL;
}

static gboolean write_rows(const char *csv, const RankStudy *study,
                           gboolean *to_stdout, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!csv)
        return TRUE;
    rank_study_add_rows(text, study);
    *to_stdout |= output_is_stdout(csv);
    return output_write(csv, text, error);
}

char *ranks_answer(const RanksOptions *options, const char *file,
                   char *const *sets, FoldMode fold, const System *system,
                   RankPath *path, GArray **ret_what_ifs, gboolean *to_stdout,
                   GError **error)
{
    g_autoptr(RankStudy) study = NULL;
    GArray *what_ifs;
    SystemResult r = system_result(system);

    *ret_what_ifs = NULL;
    rank_path_finish(path, &r);
    study = rank_study_new(system, path);
    if (!write_rows(options->csv, study, to_stdout, error))
        return NULL;
    if (!options->wanted && !options->wishes)
        return ranks_text(study, NULL);
    *ret_what_ifs = what_ifs = rank_whatif_run(
        study, options->wishes, file, sets, fold, run_many_pool, error);
    return what_ifs ? ranks_text(study, what_ifs) : NULL;
}
