/*
 * chakra_groups.h - process groups in PyTorch's host nodes; private to chakra.c
 *
 * A node "process_group:init" has as its input
 *
 *     [{"pg_name": "1", "ranks": [0, 2], "group_size": 2, ...}, ...]
 *
 * as JSON inside a Python string, so quotes may be of either kind and may be
 * escaped by a backslash.  An empty list of ranks means all ranks.
 */
#ifndef WORKLOADS_READERS_CHAKRA_GROUPS_H
#define WORKLOADS_READERS_CHAKRA_GROUPS_H

#include "workloads/readers/chakra_node.h"
#include "workloads/recording/recording.h"

/* Parses the groups in @text.  Adds each to @recording, and to @groups, which
 * maps the name (in .texts) to 1 + the index of Recording.groups.  Ignores text
 * that is not a group. */
void chakra_add_groups(const ChakraText *text, Recording *recording,
                       GHashTable *groups);
/* Returns the index of the group @name, or RECORD_NONE if its members are not
 * known. */
uint32_t chakra_find_group(const ChakraText *name, Recording *recording,
                           GHashTable *groups);

#endif
