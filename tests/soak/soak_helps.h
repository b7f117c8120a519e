/*
 * soak_helps.h - what can only help, and by how much it may not
 *
 * A system that serves its oldest chunk first is a list schedule, and such may
 * end later when its parts take less time (Graham 1969: up to 2 - 1/m times
 * the best order on m links).  What decides is how few chunks share a link at
 * the end, and what was admitted before something urgent came.  tests/README
 * says what was found behind the worst of them.  So one run may be slower by
 * SOAK_MAX_PPM, and runs that are by more than SOAK_MANY_PPM are few.  Where
 * nothing has a choice (soak_case_make_chain()) none may be slower at all.
 */
#ifndef TESTS_SOAK_SOAK_HELPS_H
#define TESTS_SOAK_SOAK_HELPS_H

#include "tests/soak/soak_case.h"

#define SOAK_MAX_PPM        350000 /* measured: 218649, of 26070 comparisons */
#define SOAK_MANY_PPM       10000
#define SOAK_MUCH_PPM       20000
#define SOAK_MANY_PER_MILLE 20 /* measured: 5 */

typedef struct {
    const char *name;
    gboolean (*change)(SoakCase *c); /* FALSE: it has nothing to do here */
} SoakHelp;

#define SOAK_N_HELPS 12
extern const SoakHelp soak_helps[SOAK_N_HELPS];

#endif
