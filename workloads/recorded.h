/* recorded.h - what a graph was made of that was recorded, to be held against
 * it */
#ifndef WORKLOADS_RECORDED_H
#define WORKLOADS_RECORDED_H

#include <stdint.h>

typedef struct {
    uint64_t iteration_ps; /* 0: nothing was recorded */
    uint64_t n_ranks;      /* 0: not known */
    uint64_t n_unsized;    /* communications of which it does not say how much
                              they move: they are there with a byte each */
    const char *from;      /* owned by the graph */
    char **notes; /* owned by the graph: what the import inferred or left out, a
                   * sentence each; NULL: nothing */
} OpRecorded;

#endif
