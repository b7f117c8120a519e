/*
 * shortest.h - the ways of fewest hops through a graph, and which of equal ones
 *
 * At each node the way goes on over one of the links that lead nearer to the
 * destination.  Nodes may be ends that pass nothing on: ways begin and stop
 * there only.  Where there are several links, either the first of the graph is
 * taken, always, or one by a hash of the seed, the node, the destination and
 * the sender's choice of way: messages to one destination keep to their ways,
 * those to others spread over all.
 *
 * Cost     two bytes a node and destination; a look at the links out of a node
 *          for each hop. A node of many links has four bytes a destination
 * more, and its links are looked at only where a hash chooses among several
 * Owner    the caller owns the Routes, and the arrays given, of which nothing
 * is borrowed
 */
#ifndef NETWORK_ROUTING_SHORTEST_H
#define NETWORK_ROUTING_SHORTEST_H

#include <glib.h>
#include <stdint.h>

typedef struct Routes Routes;

/* What ways are looked for in.  Link i leads from node .from[i] to node .to[i].
 * Destinations are the nodes 0 .. .n_targets - 1; of others no way is known. */
typedef struct {
    uint32_t n_nodes, n_targets, n_links;
    uint32_t n_ends; /* of the nodes the first, which pass nothing on */
    const uint32_t *from, *to;
    const gboolean *uses; /* of each link; NULL: all are used */
    gboolean hashes;
    uint64_t seed;
} RoutesOf;

Routes *routes_new(const RoutesOf *of);
void routes_free(Routes *routes);

/* Links to @target; UINT32_MAX: it cannot be reached. */
uint32_t routes_hops(const Routes *routes, uint32_t at, uint32_t target);

/* The link to take, where there is a way and @at is not @target. */
uint32_t routes_next(const Routes *routes, uint32_t at, uint32_t target,
                     uint32_t way);

#endif
