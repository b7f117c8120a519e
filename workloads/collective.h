/*
 * collective.h - the kinds of collectives, and what each promises
 *
 * Ranks 0 .. n-1 hold a payload each, or a block of one, 1/n of it.  Of some
 * kinds one rank is the root.  How the promise is kept is the matter of
 * models/collectives/.
 *
 *   reduce-scatter  rank r ends with block r' of the sum of all payloads, one
 *                   block a rank
 *   all-gather      every rank ends with every rank's block
 *   all-reduce      every rank ends with the whole sum
 *   all-to-all      block b of rank r ends at rank b
 *   broadcast       every rank ends with the root's payload
 *   reduce          the root ends with the whole sum
 *   gather          the root ends with every rank's block
 *   scatter         rank r ends with block r of the root's payload
 *   all-to-allv     an all-to-all whose blocks are not equal: block b of each
 *                   rank is in proportion to the weight of rank b
 *   barrier         every rank has heard of every rank, and nothing else: it is
 *                   an all-gather of the smallest messages
 *
 * A message goes the same way through phases, chunks and endpoints, but is no
 * collective: one rank of a group sends its payload to another, and the others
 * have no part in it.  It has no place among the kinds that a user names.
 *
 * Units    bytes.  A payload is S of [NCCLPERF]: the whole vector that one
 *          rank holds, before a reduce-scatter or a scatter, after an
 *          all-gather or a gather.
 * Sources  [NCCLPERF] in validate/SOURCES.md
 */
#ifndef WORKLOADS_COLLECTIVE_H
#define WORKLOADS_COLLECTIVE_H

#include <glib.h>
#include <stdint.h>

typedef enum {
    COLL_REDUCE_SCATTER,
    COLL_ALL_GATHER,
    COLL_ALL_REDUCE,
    COLL_ALL_TO_ALL,
    COLL_BROADCAST,
    COLL_REDUCE,
    COLL_GATHER,
    COLL_SCATTER,
    COLL_BARRIER,
    COLL_ALL_TO_ALLV,
    COLL_N_KINDS, /* of collectives: what all ranks of a group do */
    /* From one rank of a group to another: a message, no collective. */
    COLL_SEND = COLL_N_KINDS,
    COLL_N_ALL_KINDS,
} CollKind;

/* Their names, in that order. */
#define COLL_KIND_WORDS                                                        \
    "reduce-scatter", "all-gather", "all-reduce", "all-to-all", "broadcast",   \
        "reduce", "gather", "scatter", "barrier", "all-to-allv"

/* Those of collectives in the order of CollKind, then NULL: the names of a
 * CONFIG_ENUM. */
extern const char *const coll_kind_names[COLL_N_KINDS + 1];

/* Of any kind, a message too. */
const char *coll_kind_name(CollKind kind);

/* How much of a payload. */
typedef enum {
    COLL_NOTHING,
    COLL_BLOCK, /* one of as many as there are ranks */
    COLL_PAYLOAD,
} CollShare;

typedef struct {
    CollKind done_as; /* the kind that algorithms know it by */
    gboolean has_root;
    gboolean adds; /* what ranks get is a sum of what all had */
    /* Before: the root, or who sends the message, and the others. */
    CollShare root_has, others_have;
    /* Afterwards: the root, or who receives it, and the others; what they have
     * and may keep is not gotten. */
    CollShare root_gets, others_get;
} CollPromise;

/* Weights of an all-to-allv, added up: rank r's is .sums[r + 1] - .sums[r]. */
typedef struct {
    uint32_t n;      /* ranks */
    uint64_t sums[]; /* n + 1, from 0; the last is more */
} CollWeights;

/* Block b of rank r is for rank b, whether blocks are equal or not. */
static inline gboolean coll_is_exchange(CollKind kind)
{
    return kind == COLL_ALL_TO_ALL || kind == COLL_ALL_TO_ALLV;
}

static inline gboolean coll_has_weight(const CollWeights *weights,
                                       uint32_t rank)
{
    return weights->sums[rank + 1] > weights->sums[rank];
}

/* Of any kind. */
const CollPromise *coll_promise(CollKind kind);

#endif
