/*
 * shortest_paths.h - shortest paths through a graph
 *
 * At each node, the path continues over a link that leads one hop nearer to the
 * target.  Ends may be excluded as forwarders; paths then only begin and stop
 * there.  If several links lead nearer, the choice is either always the first
 * link of the graph, or by a hash of the seed, the node, the target and the
 * path id.  With the hash, messages to one target keep to one path, and
 * different targets spread over all paths.
 *
 * Cost     2 bytes per node and target.  A hop examines the links out of a
 *          node.  A node with many links has 4 more bytes per target; its links
 *          are then examined only if a hash chooses among several.
 * Owner    the caller owns the Routes and the arrays passed in; none is
 *          borrowed
 */
#ifndef NETWORK_ROUTING_SHORTEST_PATHS_H
#define NETWORK_ROUTING_SHORTEST_PATHS_H

#include <glib.h>
#include <stdint.h>

typedef struct ShortestRoutes ShortestRoutes;

/* The graph.  Link i leads from node .from[i] to node .to[i].  Targets are the
 * nodes 0 .. .n_targets - 1; paths to other nodes are unknown. */
typedef struct {
    uint32_t n_nodes, n_targets, n_links;
    uint32_t n_ends; /* nodes 0 .. n_ends - 1 do not pass messages on */
    const uint32_t *from, *to;
    const gboolean *uses; /* per link; NULL: all links are used */
    gboolean hashes;
    uint64_t seed;
} ShortestRoutesInput;

/* Computes the shortest paths to all targets of the graph @input. */
ShortestRoutes *shortest_routes_new(const ShortestRoutesInput *input);
void shortest_routes_free(ShortestRoutes *routes);

/* Returns the number of links from @node to @target, or UINT32_MAX if @target
 * cannot be reached. */
uint32_t shortest_routes_n_hops(const ShortestRoutes *routes, uint32_t node,
                                uint32_t target);

/* Returns the link to take from @node to @target.  @node differs from @target,
 * and
 * @target can be reached. */
uint32_t shortest_routes_next_link(const ShortestRoutes *routes, uint32_t node,
                                   uint32_t target, uint32_t path_id);

#endif
