#include "models/collectives/algorithm.h"

/* To add an algorithm, add a file and a line here, and its name below. */
const CollAlgorithm *const coll_algorithms[] = {
    &coll_ring, &coll_halving_doubling, &coll_direct, &coll_in_switch, NULL,
};

const char *const coll_algorithm_names[] = {
    "auto", "ring", "halving-doubling", "direct", "in-switch", NULL,
};
