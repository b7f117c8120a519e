/*
 * near.h - what joins the members of a group, as graphs that can be packed
 *
 * Near links lead from NPU to NPU with nothing between, or over a switch of
 * their own.  Where they do not join all, the machine's host does, and beyond
 * the machine a network: a server is the members that need no network.
 *
 * Units    bytes per second
 * Range    PACK_MAX_RANKS members of a server
 */
#ifndef MODELS_STACKS_NEAR_H
#define MODELS_STACKS_NEAR_H

#include "models/collectives/members.h"
#include "models/packing/graph.h"

/* From an NPU to another. */
typedef struct {
    uint32_t from, to; /* NPUs */
} NearEdge;

/* The near links among @npus[0 .. n-1], n at most PACK_MAX_RANKS, and the
 * payload rate of one; 0: there is none.  FALSE: they are not all of one rate,
 * or some NPUs are on a switch and others are not. */
gboolean near_graph(const Topology *topology, const uint32_t *npus, uint32_t n,
                    PackGraph *ret, uint64_t *ret_bytes_per_s);

/* Bytes a second of each of @n edges, when all carry at the same time over the
 * links of @plane, as many times that rate as @weights says, which may be NULL:
 * once.  It is what the busiest link, or limit, leaves them.  0: some have no
 * way. */
uint64_t near_rate(const Topology *topology, const NearEdge *edges,
                   const double *weights, uint32_t n, uint32_t plane);

/* *@ret_server of each of @npus[0 .. n-1] is the number of its server, counted
 * from 0 in the order of their first members; returns how many there are. */
uint32_t near_servers(const Topology *topology, const uint32_t *npus,
                      uint32_t n, uint32_t *ret_server);

#endif
