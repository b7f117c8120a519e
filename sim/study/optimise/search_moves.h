/*
 * search_moves.h - the kinds of changes that a search may make to a run
 *
 * A move proposes settings of one aspect.  It makes the first proposals from
 * what is known about the run, and later proposals near to an existing one.
 * Several moves may have the same aspect, of which one can be in force.  Each
 * move is one file in moves/ and one line in the table of search_moves.c.
 *
 * Owner    the caller owns texts; moves are static
 */
#ifndef SIM_STUDY_OPTIMISE_SEARCH_MOVES_H
#define SIM_STUDY_OPTIMISE_SEARCH_MOVES_H

#include "sim/study/optimise/random_draw.h"
#include "sim/study/optimise/run_profile.h"

/* The parts of the critical path that a move can shorten
 * (trial_critical_path.h), as bits.  Any move can shorten unknown gaps. */
typedef enum {
    SAVES_KERNELS = 1, /* shortens kernels, hosts and recorded gaps */
    SAVES_MESSAGES = 2,
    SAVES_LANES = 4,
    SAVES_EXCHANGE = SAVES_MESSAGES | SAVES_LANES,
    SAVES_ANY = SAVES_EXCHANGE | SAVES_KERNELS,
} MoveSaves;

typedef struct {
    const char *name, *summary;
    CandidateAspect aspect;
    int saves; /* a set of MoveSaves */
    /* Appends the first proposals as texts, which the caller owns; none if the
     * move does not apply. */
    void (*seeds)(const RunProfile *profile, GPtrArray *ret);
    /* Returns settings near @sets, the present ones of the aspect (NULL:
     * unchanged), which the caller owns.  Returns NULL if @sets are not
     * settings of this move, or if the move does not apply. */
    char *(*vary)(const RunProfile *profile, const char *sets,
                  RandomDraw *draw);
    /* Appends settings for trials that show the messages of a run, the first
     * with one message per tensor.  It is called before .seeds.  NULL: the move
     * does not need messages. */
    void (*probes)(const RunProfile *profile, GPtrArray *ret);
} SearchMove;

/* The table of all moves, which ends with NULL. */
extern const SearchMove *const moves[];

/* Returns the move @name, or NULL if there is none. */
const SearchMove *find_search_move(const char *name);

#endif
