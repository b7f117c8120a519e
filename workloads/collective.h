/*
 * collective.h - the kinds of collectives, and the result of each
 *
 * Each of the ranks 0 .. n-1 holds a payload, or a block, which is 1/n of a
 * payload.  Some kinds have a root rank.  The algorithms are in
 * models/collectives/.
 *
 *   reduce-scatter  each rank ends with a different block of the sum of all
 *                   payloads
 *   all-gather      every rank ends with every rank's block
 *   all-reduce      every rank ends with the whole sum
 *   all-to-all      block b of rank r ends at rank b
 *   broadcast       every rank ends with the root's payload
 *   reduce          the root ends with the whole sum
 *   gather          the root ends with every rank's block
 *   scatter         rank r ends with block r of the root's payload
 *   all-to-allv     an all-to-all with unequal blocks: the size of block b of
 *                   each rank is proportional to the weight of rank b
 *   shift           rank r + 1 (mod n) ends with the payload of rank r
 *   barrier         no rank leaves before all ranks have arrived; an all-gather
 *                   of the smallest messages
 *
 * A message is handled by phases, chunks and endpoints like a collective, but
 * is not a collective: one rank of a group sends its payload to another rank,
 * and the other ranks are not involved.  It is not among the kinds that a user
 * can name.
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
    COLL_SHIFT,
    COLL_N_KINDS, /* number of kinds of collectives */
    /* A message from one rank of a group to another; it is not a collective. */
    COLL_SEND = COLL_N_KINDS,
    COLL_N_ALL_KINDS,
} CollKind;

/* Names of the collectives, in the order of CollKind. */
#define COLL_KIND_WORDS                                                        \
    "reduce-scatter", "all-gather", "all-reduce", "all-to-all", "broadcast",   \
        "reduce", "gather", "scatter", "barrier", "all-to-allv", "shift"

/* Names of the collectives in the order of CollKind, then NULL, for fields of
 * type CONFIG_ENUM. */
extern const char *const coll_kind_names[COLL_N_KINDS + 1];

/* Returns the name of any kind of collective, or "message". */
const char *coll_kind_name(CollKind kind);

/* The part of a payload that a rank has or receives. */
typedef enum {
    COLL_NOTHING,
    COLL_BLOCK, /* 1/n of a payload for n ranks */
    COLL_PAYLOAD,
} CollShare;

/* Properties of a kind of collective: the data that each rank has before it,
 * and the data that each rank has received when it is done. */
typedef struct {
    CollKind done_as; /* the kind that its algorithms implement */
    gboolean collective_has_root;
    gboolean adds; /* the result is a sum over the ranks */
    /* Data before the start: of the root or the sender, and of the other
     * ranks. */
    CollShare root_has, others_have;
    /* Data received by the end: by the root or the receiver, and by the other
     * ranks.  Data that a rank already has is not counted. */
    CollShare root_gets, others_get;
} CollContract;

/* Prefix sums of the weights of an all-to-allv.  The weight of rank r is
 * .sums[r + 1] - .sums[r]. */
typedef struct {
    uint32_t n;      /* number of ranks */
    uint64_t sums[]; /* n + 1 entries; the first is 0, the last is positive */
} CollWeights;

/* Returns whether @kind is an all-to-all or an all-to-allv. */
static inline gboolean coll_is_any_all_to_all(CollKind kind)
{
    return kind == COLL_ALL_TO_ALL || kind == COLL_ALL_TO_ALLV;
}

/* Returns whether @rank receives anything: whether its weight is positive. */
static inline gboolean coll_has_weight(const CollWeights *weights,
                                       uint32_t rank)
{
    return weights->sums[rank + 1] > weights->sums[rank];
}

/* Returns the properties of a kind, which may be COLL_SEND. */
const CollContract *coll_contract(CollKind kind);

#endif
