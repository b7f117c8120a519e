/*
 * recipe.h - how one collective is done, as somebody decided beforehand
 *
 * A stack (models/stacks) that has searched rings, packed trees or read a
 * schedule hands it over as a recipe: channels, each of which takes its share
 * of the chunks in its own way, and what the protocol costs.  Where nobody
 * decides, choice.h does, and there is one channel and no protocol.
 *
 * Units    bytes, ps
 * Owner    who made it, a stack; it outlives the plans made of it
 */
#ifndef MODELS_COLLECTIVES_RECIPE_H
#define MODELS_COLLECTIVES_RECIPE_H

#include "models/collectives/schedule.h"
#include "network/topology.h"

/* What messages of some size take, as far as some reaches. */
typedef struct {
    uint32_t reaches;    /* of TOPOLOGY_PLANE() */
    uint64_t most_bytes; /* of payload */
    SimTime step_ps;     /* before it can go; and */
    /* what its bytes take, or as many of them as the rest waits for; 0: nothing
     */
    uint64_t bytes_per_s, most_timed_bytes;
} CollMessageCost;

/* What the way of a message costs beyond its links, and how much it grows. */
typedef struct {
    const char *name;            /* "Simple"; in tables */
    uint32_t wire_num, wire_den; /* bytes sent for wire_den of payload */
    SimTime step_ps[TOPOLOGY_N_REACHES]; /* before a message can go */
    /* Borrowed: by its size, the first that fits; what none does takes
     * .step_ps. */
    const CollMessageCost *costs;
    uint32_t n_costs;
} CollProtocol;

/* One way through the group. */
typedef struct {
    const CollAlgorithm *algorithm; /* of the whole group; NULL: by level */
    const CollSchedule *schedule;   /* of coll_scheduled; else NULL */
    /* Owned: rank i of the algorithm is rank order[i] of the group; NULL: in
     * order. */
    uint32_t *order;
    /* By level: one for each dimension of the platform that the group is, from
     * the inmost; NULL: as `auto` has it there. */
    const CollAlgorithm *levels[COLL_MAX_DIMS];
    gboolean in_two; /* an all-reduce is a reduce-scatter, then an all-gather */
    uint32_t plane;  /* links that it may take: see reach.h */
    uint32_t share;  /* of the chunks, out of the sum of all channels' */
} CollChannel;

typedef struct {
    const char *algorithm;        /* "ring", "tree", "NVLS"; in tables */
    const CollProtocol *protocol; /* borrowed; NULL: costs nothing */
    SimTime launch_ps;            /* instead of the endpoint's own; */
    /* Of an NPU's thread for each message into the network of as many bytes on
     * the wire, one after the other; 0: no such thread. */
    SimTime post_ps;
    uint64_t post_bytes;
    uint32_t n_sms;       /* that its kernel takes; 0: not said */
    SimTime predicted_ps; /* as its stack reckons, by which it chose; 0: not */
    /* CONFIG_AUTO each: as cut.h chooses. */
    uint64_t chunk_bytes, message_bytes, window;
    uint32_t n_channels;
    CollChannel *channels; /* owned: n_channels */
} CollRecipe;

/* What @recipe, or NULL, makes of @bytes of payload on the wire. */
static inline uint64_t coll_wire_bytes(const CollRecipe *recipe, uint64_t bytes)
{
    const CollProtocol *protocol = recipe ? recipe->protocol : NULL;

    if (!protocol || protocol->wire_num == protocol->wire_den)
        return bytes;
    return (uint64_t)(((SimWide)bytes * protocol->wire_num +
                       protocol->wire_den - 1) /
                      protocol->wire_den);
}

/* The payload in @wire_bytes, as coll_wire_bytes() has made them. */
static inline uint64_t coll_payload_bytes(const CollRecipe *recipe,
                                          uint64_t wire_bytes)
{
    const CollProtocol *protocol = recipe ? recipe->protocol : NULL;

    if (!protocol || protocol->wire_num == protocol->wire_den)
        return wire_bytes;
    return (uint64_t)((SimWide)wire_bytes * protocol->wire_den /
                      protocol->wire_num);
}

/* What @recipe, or NULL, takes before a message of @wire_bytes that goes as far
 * as @reach can go. */
SimTime coll_step_ps(const CollRecipe *recipe, TopologyReach reach,
                     uint64_t wire_bytes);

void coll_recipe_free(CollRecipe *recipe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CollRecipe, coll_recipe_free)

#endif
