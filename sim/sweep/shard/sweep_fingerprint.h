/*
 * sweep_fingerprint.h - a word that identifies a program and the points of a
 * sweep
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_SWEEP_SHARD_SWEEP_FINGERPRINT_H
#define SIM_SWEEP_SHARD_SWEEP_FINGERPRINT_H

#include "sim/sweep/sweep_run.h"

/* Returns MODEL-POINTS. Two processes with the same word have the same points
 * under the same numbers: POINTS is a hash of the number of points, the axes,
 * and the ids of the points that were read when the sweep was checked. */
char *sweep_fingerprint(const SweepRun *run);

/* Returns whether @word is of this program. */
gboolean sweep_fingerprint_is_of_program(const char *word);

#endif
