/* run_ranks.c - the critical path of a run through all NPUs, where it is wanted
 */
#include "sim/cli/answers/run_ranks.h"

#include "sim/host/output.h"
#include "sim/view/text/ranks_text.h"

void ranks_options_clear(RanksOptions *options)
{
    g_free(options->csv);
}

gboolean ranks_listen(const RanksOptions *options, System *system,
                      RankPath **ret, GError **error)
{
    *ret = NULL;
    if (!options->wanted && !options->csv)
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

char *ranks_answer(const RanksOptions *options, const System *system,
                   RankPath *path, gboolean *to_stdout, GError **error)
{
    g_autoptr(RankStudy) study = NULL;
    SystemResult r = system_result(system);

    rank_path_finish(path, &r);
    study = rank_study_new(system, path);
    if (!write_rows(options->csv, study, to_stdout, error))
        return NULL;
    return ranks_text(study);
}
