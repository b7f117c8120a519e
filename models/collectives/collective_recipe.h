/*
 * collective_recipe.h - how a software stack carries out one collective
 *
 * A stack (models/stacks) that has searched rings, packed trees or read a
 * schedule returns a recipe.  It consists of channels, each of which carries
 * its share of the chunks in its own way, and the costs of the protocol.
 * Without a stack, algorithm_choice.h decides; there is then one channel and no
 * protocol.
 *
 * Units    bytes, ps
 * Owner    the stack that made it; it must outlive the plans made from it
 */
#ifndef MODELS_COLLECTIVES_COLLECTIVE_RECIPE_H
#define MODELS_COLLECTIVES_COLLECTIVE_RECIPE_H

#include "models/collectives/schedule.h"
#include "network/topology.h"

/* The cost of messages up to some size, for some reaches. */
typedef struct {
    /* The reaches to which the cost applies, bits of TOPOLOGY_PLANE(). */
    uint32_t reaches;
    /* Largest payload of a message to which the cost applies. */
    uint64_t most_bytes;
    SimTime step_ps; /* time before a message can leave */
    /* Rate for the bytes of a message, up to .most_timed_bytes; a rate of 0
     * adds no time. */
    uint64_t bytes_per_s, most_timed_bytes;
} CollMessageCost;

/* Costs of a protocol in addition to links: time and bytes per message. */
typedef struct {
    const char *name; /* name in tables: "Simple" */
    uint32_t wire_num,
        wire_den; /* .wire_num bytes are sent for .wire_den bytes of payload */
    /* For each reach, the time before a message can leave. */
    SimTime step_ps[TOPOLOGY_N_REACHES];
    /* Borrowed: costs by message size, of which the first that fits counts; if
     * none fits, .step_ps applies. */
    const CollMessageCost *costs;
    uint32_t n_costs;
} CollProtocol;

/* A channel: one of the ways in which chunks pass through the group. */
typedef struct {
    /* Algorithm for the whole group; NULL: one algorithm per dimension. */
    const CollAlgorithm *algorithm;
    /* Steps for coll_scheduled; otherwise NULL. */
    const CollSchedule *schedule;
    /* Owned: rank i of the algorithm is rank order[i] of the group; NULL:
     * identity. */
    uint32_t *order;
    /* Algorithms by dimension: one for each dimension of the platform that the
     * group spans, the innermost first; NULL: as `auto` chooses. */
    const CollAlgorithm *levels[COLL_MAX_DIMS];
    gboolean in_two; /* an all-reduce is done as a reduce-scatter and an
                        all-gather */
    uint32_t plane;  /* links that it may use: see path_id.h */
    uint32_t
        share; /* share of the chunks, relative to the sum over all channels */
} CollChannel;

typedef struct {
    const char *algorithm;        /* name in tables: "ring", "tree", "NVLS" */
    const CollProtocol *protocol; /* borrowed; NULL: no protocol costs */
    SimTime launch_ps;            /* replaces the launch time of the endpoint */
    /* Time that a thread of the NPU needs for each network message of up to
     * .post_bytes on the wire, one after the other; 0: no such thread. */
    SimTime post_ps;
    uint64_t post_bytes;
    uint32_t n_sms; /* SMs that the collective's kernel uses; 0: unknown */
    /* Time that the stack predicted when it chose; 0: none. */
    SimTime predicted_ps;
    /* Sizes of the cut.  Each may be CONFIG_AUTO: chunking.h chooses it. */
    uint64_t chunk_bytes, message_bytes, window;
    uint32_t n_channels;
    CollChannel *channels; /* owned: .n_channels channels */
} CollRecipe;

/* Returns the bytes on the wire for @bytes of payload.  @recipe may be NULL. */
static inline uint64_t coll_wire_bytes(const CollRecipe *recipe, uint64_t bytes)
{
    const CollProtocol *protocol = recipe ? recipe->protocol : NULL;

    if (!protocol || protocol->wire_num == protocol->wire_den)
        return bytes;
    return (uint64_t)(((SimWide)bytes * protocol->wire_num +
                       protocol->wire_den - 1) /
                      protocol->wire_den);
}

/* Returns the payload of @wire_bytes, the inverse of coll_wire_bytes(). */
static inline uint64_t coll_payload_bytes(const CollRecipe *recipe,
                                          uint64_t wire_bytes)
{
    const CollProtocol *protocol = recipe ? recipe->protocol : NULL;

    if (!protocol || protocol->wire_num == protocol->wire_den)
        return wire_bytes;
    return (uint64_t)((SimWide)wire_bytes * protocol->wire_den /
                      protocol->wire_num);
}

/* Returns the time before a message of @wire_bytes that goes as far as @reach
 * can leave.  @recipe may be NULL. */
SimTime coll_protocol_step_ps(const CollRecipe *recipe, TopologyReach reach,
                              uint64_t wire_bytes);

void coll_recipe_free(CollRecipe *recipe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CollRecipe, coll_recipe_free)

#endif
