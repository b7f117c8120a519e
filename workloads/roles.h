/*
 * roles.h - sets of NPUs, as they are described where there is no platform yet
 *
 * Units    ids of NPUs
 * Owner    the graph; nodes are borrowed from the document
 */
#ifndef WORKLOADS_ROLES_H
#define WORKLOADS_ROLES_H

#include <stdint.h>

#include "sim/config/config_field.h"

#define OP_MAX_ROLES 64
#define OP_GROUP_ALL 0 /* the group of all NPUs, which every graph has */

typedef enum {
    GROUP_ALL,    /* one set: all NPUs */
    GROUP_DIMS,   /* NPUs that differ in some dimensions of the platform */
    GROUP_STRIDE, /* i, i + stride, ..., size of them */
    GROUP_LISTS,  /* as they are listed */
} OpGroupBy;

/* Disjoint sets of ranks, all of them equally large. */
typedef struct {
    const char *name; /* owned by the graph */
    OpGroupBy by;
    uint32_t dims_mask;    /* GROUP_DIMS: bit d stands for dimension d */
    uint32_t size, stride; /* GROUP_STRIDE; of GROUP_LISTS the size, too */
    uint32_t n_lists;
    uint32_t *ids;          /* owned by the graph: n_lists x size NPUs */
    const ConfigNode *node; /* for complaints; NULL: of all NPUs */
} OpGroup;

typedef enum {
    RANKS_ALL,
    RANKS_DIM,    /* .first to .last of dimension .dim */
    RANKS_STRIDE, /* NPUs of which id / stride mod size is .at */
    RANKS_LIST,   /* as they are listed */
} OpRanksBy;

typedef struct {
    const char *name; /* owned by the graph */
    OpRanksBy by;
    uint32_t dim, first, last;
    uint32_t size, stride, at;
    uint32_t n_ids;
    uint32_t *ids;          /* owned by the graph */
    gboolean serves;        /* the others train: results are theirs */
    const ConfigNode *node; /* for complaints; NULL: of all NPUs */
} OpRole;

#endif
