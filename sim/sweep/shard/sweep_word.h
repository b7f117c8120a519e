/*
 * sweep_word.h - one word for a program and the points of a sweep
 *
 * Owner    the text is the caller's
 */
#ifndef SIM_SWEEP_SHARD_SWEEP_WORD_H
#define SIM_SWEEP_SHARD_SWEEP_WORD_H

#include "sim/sweep/sweep_run.h"

/* MODEL-POINTS.  Two processes for which it is the same have the same points
 * under the same numbers: it is over how many there are, the axes, and the ids
 * of those that were read when the sweep was checked. */
char *sweep_word(const SweepRun *run);

/* Whether a word is of this program. */
gboolean sweep_word_is_ours(const char *word);

#endif
