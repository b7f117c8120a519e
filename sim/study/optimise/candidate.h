/*
 * candidate.h - a run file with some settings changed, as by the option --set
 *
 * The settings are divided into aspects.  An aspect is either unchanged or one
 * or several "KEY=VALUE".  Therefore two candidates are equal exactly if their
 * texts are, any change can be added to a candidate or removed from it, and
 * code that changes one aspect need not know the others.
 *
 * Order    aspects are applied in the order of the table, so that a key is set
 *          before the keys below it
 * Owner    the caller owns the candidate, which owns its texts
 */
#ifndef SIM_STUDY_OPTIMISE_CANDIDATE_H
#define SIM_STUDY_OPTIMISE_CANDIDATE_H

#include <glib.h>

typedef enum {
    ASPECT_PLAN,       /* how a model is divided among the NPUs */
    ASPECT_EXCHANGE,   /* how gradients are grouped into messages */
    ASPECT_SPARSE,     /* whether sparse gradients are gathered or sent dense */
    ASPECT_LANES,      /* buffers and cycles of a program's lanes */
    ASPECT_SCHEDULER,  /* which collective goes first */
    ASPECT_ALGORITHM,  /* algorithms of collectives, by size */
    ASPECT_CHUNK,      /* size of the chunks that are pipelined */
    ASPECT_OPERATORS,  /* kernels that are fused */
    ASPECT_ACCUMULATE, /* number of micro-batches */
    ASPECT_RECOMPUTE,  /* activations that are computed twice */
    N_ASPECTS,
} CandidateAspect;

extern const char *const aspect_names[N_ASPECTS];

typedef struct {
    char *sets[N_ASPECTS]; /* owned: lines of "KEY=VALUE"; NULL: unchanged */
} Candidate;

Candidate *candidate_new(void);
Candidate *candidate_copy(const Candidate *candidate);
void candidate_free(Candidate *candidate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Candidate, candidate_free)

/* Returns a copy in which @aspect has the settings @sets; NULL: unchanged. */
Candidate *candidate_with_setting_changed(const Candidate *candidate,
                                          CandidateAspect aspect,
                                          const char *sets);

/* Returns the number of aspects that are changed. */
guint candidate_n_changes(const Candidate *candidate);

/* Returns a text that is equal for equal candidates, which the caller owns. */
char *candidate_id_text(const Candidate *candidate);

/* Returns the settings as load_run() takes them, which the caller owns. */
char **candidate_settings_list(const Candidate *candidate);

#endif
