/*
 * candidate_search.h - the search for a faster candidate
 *
 *     1  The default is run.  It stays the best until a run is faster.
 *
 *     2  In rounds, each move makes its first proposals on top of the simplest
 *        of the best candidates (find_simplest_best_trial(): fewer messages
 *        are also simulated faster).  Moves that can save most of the critical
 *        path come first; a move that cannot save anything is skipped.  The
 *        message times are measured anew before, because other changes affect
 *        them.  The rounds end when one finds nothing.  A move whose proposals
 *        change no time is not used any more.
 *
 *     3  Simulated annealing: BATCH neighbours of the current candidate are
 *        run.  The fastest of them becomes the current one if it is faster or,
 *        with a probability that falls over time, if it is slower.  Moves are
 *        drawn with their share of the critical path as weight.  The search
 *        ends when all allowed trials were made, or when many batches found
 *        nothing better; fewer batches if there is less to save.
 *
 * Only such comparisons decide in steps 2 and 3, so a run is cut off as soon as
 * it has lost (run_cut_off.h); the search does the same as if all runs were
 * complete.  Runs that show messages are always complete.
 *
 * Order    deterministic: the result depends on the seed, not on the number of
 *          parallel runs
 */
#ifndef SIM_STUDY_OPTIMISE_CANDIDATE_SEARCH_H
#define SIM_STUDY_OPTIMISE_CANDIDATE_SEARCH_H

#include "sim/study/optimise/search_moves.h"

typedef struct {
    RunProfile *profile;      /* borrowed */
    Trials *trials;           /* borrowed; the first is the default */
    const SearchMove **moves; /* borrowed: allowed moves; ends with NULL */
    uint64_t seed;
    uint64_t useful; /* bit i: move i has changed a time; initially 0 */
} CandidateSearch;

/* Searches.  Returns FALSE and sets @error if a run was interrupted; the trials
 * keep what was found until then. */
G_GNUC_WARN_UNUSED_RESULT
gboolean search_moves(CandidateSearch *search, GError **error);

#endif
