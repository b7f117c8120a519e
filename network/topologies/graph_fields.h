/*
 * graph_fields.h - a graph as the configuration gives it
 *
 * Owner    the configuration document owns all strings and lists
 */
#ifndef NETWORK_TOPOLOGIES_GRAPH_FIELDS_H
#define NETWORK_TOPOLOGIES_GRAPH_FIELDS_H

#include "network/topology_impl.h"

/* Limits on the size.  Routing tables grow with nodes times NPUs, and each link
 * has a name. */
#define GRAPH_MAX_NODES  8192
#define GRAPH_MAX_LINKS  65536
#define GRAPH_MAX_NPUS   2048
#define GRAPH_MAX_LIMITS 4096

typedef struct {
    const char *name, *kind;
} GraphNode;

typedef struct {
    const char *from, *to;
    TopologyLink link;
    gboolean both_ways;
} GraphLink;

typedef struct {
    const char *name;
    uint64_t bytes_per_s;
    ConfigList links; /* of ConfigList: the names of two nodes (const char *) */
} GraphLimit;

typedef struct {
    ConfigList nodes, links, limits;
    ConfigList allocate; /* of uint64_t: NPUs in the order of their new ids */
    gboolean npus_forward;
    int equal_cost; /* GraphEqualCost */
    uint64_t seed;
} GraphParams;

typedef enum {
    GRAPH_BY_HASH,
    GRAPH_FIRST,
} GraphEqualCost;

extern const ConfigField graph_fields[];

#endif
