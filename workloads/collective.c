/* collective.c - what the kinds of collectives are called */
#include "workloads/collective.h"

const char *const coll_kind_names[COLL_N_KINDS + 1] = {
    [COLL_REDUCE_SCATTER] = "reduce-scatter",
    [COLL_ALL_GATHER] = "all-gather",
    [COLL_ALL_REDUCE] = "all-reduce",
    [COLL_ALL_TO_ALL] = "all-to-all",
    [COLL_N_KINDS] = NULL,
};

const char *coll_kind_name(CollKind kind)
{
    static const char *const others[] = { "message", "broadcast", "reduce" };

    g_assert(kind < COLL_N_ALL_KINDS);
    return kind < COLL_N_KINDS ? coll_kind_names[kind]
                               : others[kind - COLL_N_KINDS];
}
