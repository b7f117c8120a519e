/* candidate.c - a run file with some settings changed, as by the option
 * --set */
#include "sim/study/optimise/candidate.h"

#include <string.h>

const char *const aspect_names[N_ASPECTS] = {
    [ASPECT_PLAN] = "plan",
    [ASPECT_EXCHANGE] = "exchange",
    [ASPECT_SPARSE] = "sparse",
    [ASPECT_LANES] = "lanes",
    [ASPECT_SCHEDULER] = "scheduler",
    [ASPECT_ALGORITHM] = "algorithm",
    [ASPECT_CHUNK] = "chunk",
    [ASPECT_OPERATORS] = "operators",
    [ASPECT_ACCUMULATE] = "accumulate",
    [ASPECT_RECOMPUTE] = "recompute",
};

Candidate *candidate_new(void)
{
    return g_new0(Candidate, 1);
}

Candidate *candidate_copy(const Candidate *candidate)
{
    Candidate *copy = candidate_new();

    for (guint i = 0; i < N_ASPECTS; i++)
        copy->sets[i] = g_strdup(candidate->sets[i]);
    return copy;
}

void candidate_free(Candidate *candidate)
{
    if (!candidate)
        return;
    for (guint i = 0; i < N_ASPECTS; i++)
        g_free(candidate->sets[i]);
    g_free(candidate);
}

Candidate *candidate_with_setting_changed(const Candidate *candidate,
                                          CandidateAspect aspect,
                                          const char *sets)
{
    Candidate *copy = candidate_copy(candidate);

    g_assert(aspect < N_ASPECTS);
    g_free(copy->sets[aspect]);
    copy->sets[aspect] = g_strdup(sets);
    return copy;
}

guint candidate_n_changes(const Candidate *candidate)
{
    guint n = 0;

    for (guint i = 0; i < N_ASPECTS; i++)
        n += candidate->sets[i] != NULL;
    return n;
}

char *candidate_id_text(const Candidate *candidate)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < N_ASPECTS; i++)
        if (candidate->sets[i])
            g_string_append_printf(out, "%s\n", candidate->sets[i]);
    return g_string_free(out, FALSE);
}

char **candidate_settings_list(const Candidate *candidate)
{
    g_autofree char *text = candidate_id_text(candidate);
    gsize n = strlen(text);

    if (n > 0)
        text[n - 1] = '\0'; /* removes the last line feed */
    return g_strsplit(text, "\n", -1);
}
