/*
 * recording_facts.h - facts about the recording that a graph was imported from
 *
 * A run compares the simulated time of an iteration with the recorded one, and
 * repeats the notes of the import.
 *
 * Units    ps
 */
#ifndef WORKLOADS_RECORDING_FACTS_H
#define WORKLOADS_RECORDING_FACTS_H

#include <stdint.h>

typedef struct {
    uint64_t iteration_ps; /* recorded time of an iteration; 0: not recorded */
    uint64_t n_ranks;      /* number of recorded ranks; 0: not known */
    /* Number of communications without a recorded size; each has 1 byte in the
     * graph. */
    uint64_t n_unsized;
    /* Owned by the graph: the source, such as "8 files of kineto". */
    const char *from;
    /* Owned by the graph: sentences about what the import inferred or left out;
     * NULL if there are none. */
    char **notes;
} OpRecorded;

#endif
