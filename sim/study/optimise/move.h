/*
 * move.h - what a search may change of a run
 *
 * A move proposes settings of one aspect: some at the beginning, by what is
 * known of the run, and later others near to one that is there.  Several moves
 * may have one aspect, of which only one can be in force.  One kind is one file
 * in moves/ and one line in the table of move.c.
 *
 * Owner    texts are the caller's; moves are static
 */
#ifndef SIM_STUDY_OPTIMISE_MOVE_H
#define SIM_STUDY_OPTIMISE_MOVE_H

#include "sim/study/optimise/draw.h"
#include "sim/study/optimise/known.h"

/* Which parts of the critical path it can save (trial_path.h), as bits; other
 * gaps any can. */
typedef enum {
    SAVES_KERNELS = 1, /* with hosts, and gaps as recorded */
    SAVES_MESSAGES = 2,
    SAVES_LANES = 4,
    SAVES_EXCHANGE = SAVES_MESSAGES | SAVES_LANES,
    SAVES_ANY = SAVES_EXCHANGE | SAVES_KERNELS,
} MoveSaves;

typedef struct {
    const char *name, *summary;
    Aspect aspect;
    int saves; /* MoveSaves */
    /* Adds what to try first, as owned texts; nothing where it has nothing to
     * do. */
    void (*seeds)(const Known *known, GPtrArray *ret);
    /* What is near @sets, which the aspect has now (NULL: as the file has it);
     * NULL: those are none of its settings, or it has nothing to do. */
    char *(*vary)(const Known *known, const char *sets, Draw *draw);
    /* Before .seeds where it needs messages of runs: trials that show them, the
     * first with one for each tensor.  NULL: it needs none. */
    void (*probes)(const Known *known, GPtrArray *ret);
} Move;

/* Ends with NULL. */
extern const Move *const moves[];

/* NULL: there is none of that name. */
const Move *move_find(const char *name);

#endif
