/*
 * candidate.h - a run file with some of it changed, as --set would change it
 *
 * What may be changed has aspects, each of which is as the file has it or is
 * something else: one or several "KEY=VALUE".  So two candidates are the same
 * where their texts are, each change can be put onto another candidate or taken
 * from it, and who changes one aspect need not know of the others.
 *
 * Order    aspects are applied in the order of the table, so that a key goes
 *          before those below it
 * Owner    the caller owns the candidate, which owns its texts
 */
#ifndef SIM_STUDY_OPTIMISE_CANDIDATE_H
#define SIM_STUDY_OPTIMISE_CANDIDATE_H

#include <glib.h>

typedef enum {
    ASPECT_EXCHANGE,   /* messages of gradients */
    ASPECT_SPARSE,     /* sparse gradients gathered or dense */
    ASPECT_LANES,      /* of a program */
    ASPECT_SCHEDULER,  /* which collective goes first */
    ASPECT_ALGORITHM,  /* of collectives, by size */
    ASPECT_CHUNK,      /* what is pipelined */
    ASPECT_OPERATORS,  /* kernels that become one */
    ASPECT_ACCUMULATE, /* micro-batches */
    ASPECT_RECOMPUTE,  /* activations calculated twice */
    N_ASPECTS,
} Aspect;

extern const char *const aspect_names[N_ASPECTS];

typedef struct {
    char *sets[N_ASPECTS]; /* owned: "KEY=VALUE" in lines; NULL: as it is */
} Candidate;

Candidate *candidate_new(void);
Candidate *candidate_copy(const Candidate *candidate);
void candidate_free(Candidate *candidate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Candidate, candidate_free)

/* A copy in which @aspect is @sets; NULL: as the file has it. */
Candidate *candidate_with(const Candidate *candidate, Aspect aspect,
                          const char *sets);

/* Aspects that are not as the file has them. */
guint candidate_n_changes(const Candidate *candidate);

/* What is equal where candidates are.  Owner: the caller. */
char *candidate_text(const Candidate *candidate);

/* What load_run() takes.  Owner: the caller. */
char **candidate_sets(const Candidate *candidate);

#endif
