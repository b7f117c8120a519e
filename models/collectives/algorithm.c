/* algorithm.c - the tables that algorithm_list.h makes */
#include "models/collectives/algorithm.h"

#define ADDRESS(Algorithm, name) &Algorithm,
#define NAME(Algorithm, name)    name,

const CollAlgorithm *const coll_algorithms[] = { COLL_ALGORITHMS(ADDRESS)
                                                     NULL };

const char *const coll_algorithm_names[] = { "auto",
                                             COLL_ALGORITHMS(NAME) NULL };
