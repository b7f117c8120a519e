/*
 * soak_improvements.h - improvements of a system, and by how much they may slow
 * it
 *
 * Serving the oldest chunk first is list scheduling.  A list schedule may end
 * later if its parts take less time (Graham 1969: up to 2 - 1/m times the best
 * order on m links).  It depends on how few chunks share a link at the end, and
 * on what was admitted before an urgent collective. tests/README.md has the
 * causes of the worst cases.
 *
 * One run may therefore be slower by SOAK_MAX_PPM, and few runs may be slower
 * by more than SOAK_NOTABLE_PPM.  Without choices (soak_case_make_chain()) no
 * run may be
 * slower. */
#ifndef TESTS_SOAK_SOAK_IMPROVEMENTS_H
#define TESTS_SOAK_SOAK_IMPROVEMENTS_H

#include "tests/soak/soak_case.h"

/* The largest measured slowdown is 218649 ppm in 26070 runs. */
#define SOAK_MAX_PPM     350000
#define SOAK_NOTABLE_PPM 10000
#define SOAK_LARGE_PPM   20000
/* The measured number is 5 per thousand. */
#define SOAK_NOTABLE_MAX_PER_MILLE 20

typedef struct {
    const char *name;
    /* The function returns FALSE if the improvement does not apply. */
    gboolean (*change)(SoakCase *c);
} SoakImprovement;

#define SOAK_N_IMPROVEMENTS 12
extern const SoakImprovement soak_improvements[SOAK_N_IMPROVEMENTS];

#endif
