#include "models/collectives/algorithm.h"

/* To add an algorithm, add a file and a line here. */
const CollAlgorithm *const coll_algorithms[] = {
    &coll_ring,
    &coll_halving_doubling,
    &coll_direct,
    NULL,
};
