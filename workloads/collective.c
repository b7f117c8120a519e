#include "workloads/collective.h"

const char *const coll_kind_names[COLL_N_KINDS + 1] = {
    [COLL_REDUCE_SCATTER] = "reduce-scatter",
    [COLL_ALL_GATHER] = "all-gather",
    [COLL_ALL_REDUCE] = "all-reduce",
    [COLL_ALL_TO_ALL] = "all-to-all",
    [COLL_N_KINDS] = NULL,
};
