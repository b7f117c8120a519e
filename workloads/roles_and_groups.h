/*
 * roles_and_groups.h - descriptions of sets of NPUs, independent of a platform
 *
 * Units    ids of NPUs
 * Owner    the graph; nodes are borrowed from the document
 */
#ifndef WORKLOADS_ROLES_AND_GROUPS_H
#define WORKLOADS_ROLES_AND_GROUPS_H

#include <stdint.h>

#include "sim/config/config_field.h"

/* Keeps the number of a role in 16 bits, with one value left for "none". */
#define OP_MAX_ROLES 65535
#define OP_GROUP_ALL 0 /* the group of all NPUs, which every graph has */

typedef enum {
    GROUP_ALL,    /* one set: all NPUs */
    GROUP_DIMS,   /* NPUs that differ only in some dimensions of the platform */
    GROUP_STRIDE, /* i, i + stride, ..., .size members */
    GROUP_DIGITS, /* NPUs that differ only in some digits of their id */
    GROUP_LISTS,  /* explicit lists */
} OpGroupBy;

#define OP_GROUP_MAX_DIGITS 5

/* A digit of an id: id / stride mod size. */
typedef struct {
    uint32_t size, stride;
} OpGroupDigit;

/* Disjoint sets of ranks of equal size. */
typedef struct {
    const char *name; /* owned by the graph */
    OpGroupBy grouped_by;
    uint32_t dims_mask;    /* GROUP_DIMS: bit d is dimension d */
    uint32_t size, stride; /* GROUP_STRIDE; GROUP_LISTS and GROUP_DIGITS
                            * use .size, too */
    /* GROUP_DIGITS, by ascending stride; the first is the lowest of the rank */
    uint32_t n_digits;
    OpGroupDigit digits[OP_GROUP_MAX_DIGITS];
    uint32_t n_lists;
    uint32_t *ids; /* owned by the graph: n_lists x size NPU ids */
    /* Position for error messages; NULL for the group of all NPUs. */
    const ConfigNode *node;
} OpGroup;

typedef enum {
    RANKS_ALL,
    RANKS_DIM,    /* NPUs .first to .last of dimension .dim */
    RANKS_STRIDE, /* NPUs with (id / stride) mod size = .remainder */
    RANKS_LIST,   /* an explicit list */
} OpRanksBy;

typedef struct {
    const char *name; /* owned by the graph */
    OpRanksBy ranks_by;
    uint32_t dim, first, last;
    uint32_t size, stride, remainder;
    uint32_t n_ids;
    uint32_t *ids; /* owned by the graph */
    /* The role is a server: results are those of the other roles, which
     * train. */
    gboolean serves;
    /* Position for error messages; NULL for the role of all NPUs. */
    const ConfigNode *node;
} OpRole;

#endif
