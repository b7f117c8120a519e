/* collective.c - names of the kinds of collectives, and the data that a rank
 * has before and gets by each */
#include "workloads/collective.h"

const char *const coll_kind_names[COLL_N_KINDS + 1] = { COLL_KIND_WORDS, NULL };

const char *coll_kind_name(CollKind kind)
{
    g_assert(kind < COLL_N_ALL_KINDS);
    return kind == COLL_SEND ? "message" : coll_kind_names[kind];
}

/* clang-format off */
#define NONE  COLL_NOTHING
#define BLOCK COLL_BLOCK
#define ALL   COLL_PAYLOAD

static const CollContract promises[COLL_N_ALL_KINDS] = {
    /* Columns: .done_as, .collective_has_root, .adds, .root_has, .others_have,
     * .root_gets, .others_get. */
    [COLL_REDUCE_SCATTER] =
        { COLL_REDUCE_SCATTER, FALSE, TRUE, ALL, ALL, BLOCK, BLOCK },
    [COLL_ALL_GATHER] =
        { COLL_ALL_GATHER, FALSE, FALSE, BLOCK, BLOCK, ALL, ALL },
    [COLL_ALL_REDUCE] =
        { COLL_ALL_REDUCE, FALSE, TRUE, ALL, ALL, ALL, ALL },
    [COLL_ALL_TO_ALL] =
        { COLL_ALL_TO_ALL, FALSE, FALSE, ALL, ALL, ALL, ALL },
    [COLL_BROADCAST] =
        { COLL_BROADCAST, TRUE, FALSE, ALL, NONE, NONE, ALL },
    [COLL_REDUCE] =
        { COLL_REDUCE, TRUE, TRUE, ALL, ALL, ALL, NONE },
    [COLL_GATHER] =
        { COLL_GATHER, TRUE, FALSE, BLOCK, BLOCK, ALL, NONE },
    [COLL_SCATTER] =
        { COLL_SCATTER, TRUE, FALSE, ALL, NONE, NONE, BLOCK },
    [COLL_BARRIER] =
        { COLL_ALL_GATHER, FALSE, FALSE, BLOCK, BLOCK, ALL, ALL },
    /* The blocks of an all-to-allv are unequal; the rest is as for an
     * all-to-all. */
    [COLL_ALL_TO_ALLV] =
        { COLL_ALL_TO_ALL, FALSE, FALSE, ALL, ALL, ALL, ALL },
    [COLL_SHIFT] =
        { COLL_SHIFT, FALSE, FALSE, ALL, ALL, ALL, ALL },
    [COLL_SEND] =
        { COLL_SEND, FALSE, FALSE, ALL, NONE, ALL, NONE },
};
/* clang-format on */

const CollContract *coll_contract(CollKind kind)
{
    g_assert(kind < COLL_N_ALL_KINDS);
    return &promises[kind];
}
