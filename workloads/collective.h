/*
 * collective.h - the kinds of collectives, and what each promises
 *
 * Ranks 0 .. n-1 hold a payload each.  How the promise is kept is the matter
 * of models/collectives/.
 *
 *   reduce-scatter  rank r ends with block r' of the sum of all payloads, one
 *                   block a rank
 *   all-gather      every rank ends with every rank's block
 *   all-reduce      every rank ends with the whole sum
 *   all-to-all      block b of rank r ends at rank b
 *
 * A message goes the same way through phases, chunks and endpoints, but is no
 * collective: one rank of a group sends its payload to another, and the others
 * have no part in it.  It has no place among the kinds that a user names.
 *
 * Units    bytes.  A payload is S of [NCCLPERF]: the whole vector that one
 *          rank holds, before a reduce-scatter or after an all-gather.
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
    COLL_N_KINDS, /* of collectives: what all ranks of a group do */
    /* From one rank of a group to another: a message, no collective. */
    COLL_SEND = COLL_N_KINDS,
    COLL_BROADCAST,
    COLL_REDUCE,
    COLL_N_ALL_KINDS,
} CollKind;

/* Those of collectives in the order of CollKind, then NULL: the names of a
 * CONFIG_ENUM. */
extern const char *const coll_kind_names[COLL_N_KINDS + 1];

/* Of any kind, a message too. */
const char *coll_kind_name(CollKind kind);

#endif
