/*
 * search.h - from the default to what is faster, by runs
 *
 *     1  the default, which stays the best until a run is faster
 *
 *     2  round by round, of each move what it proposes first, on the best so
 *        far (trials_simplest(): what is alike and takes fewer messages is
 *        also simulated sooner).  Moves that can save most by the critical path
 *        come first, and those not at all that can save nothing of the path of
 *        what they would be put on.  Before each round messages are looked at
 *        anew, since what was changed else changes what they take.  Until a
 *        round finds nothing.  A move of which all proposals take what they
 *        were put on is of no use here
 *
 *     3  annealing: what is near to where the search stands, BATCH at a time;
 *        the least of them is the next, if it is less or, with a chance that
 *        falls, if it is more.  Moves are drawn by what they can save of the
 *        path.  It ends when nothing better was found for long, the sooner the
 *        less there is to save, or with the trials that there may be
 *
 * Nothing but such comparisons decides in 2 and 3, so runs are cut off there as
 * soon as they are lost (cut_off.h): the search does what it would do if all
 * went to their end.  The runs that show messages do.
 *
 * Order    deterministic: the seed's, however many runs are made at a time
 */
#ifndef SIM_STUDY_OPTIMISE_SEARCH_H
#define SIM_STUDY_OPTIMISE_SEARCH_H

#include "sim/study/optimise/move.h"

typedef struct {
    Known *known;       /* borrowed */
    Trials *trials;     /* borrowed; the default is the first of them */
    const Move **moves; /* borrowed: that may be made; ends with NULL */
    uint64_t seed;
    uint64_t useful; /* bit i: move i has changed a time; from 0 */
} Search;

/* FALSE: a run was interrupted; what was found until then is in the trials. */
G_GNUC_WARN_UNUSED_RESULT
gboolean search_moves(Search *search, GError **error);

#endif
