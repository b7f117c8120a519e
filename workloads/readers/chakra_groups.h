/*
 * chakra_groups.h - for chakra.c only: process groups as PyTorch's host tells
 * them as it makes them
 *
 * A node "process_group:init" has as its input
 *
 *     [{"pg_name": "1", "ranks": [0, 2], "group_size": 2, ...}, ...]
 *
 * as JSON within a text of Python, so that quotes are of either kind and may
 * stand behind a backslash.  No ranks are all ranks.
 */
#ifndef WORKLOADS_READERS_CHAKRA_GROUPS_H
#define WORKLOADS_READERS_CHAKRA_GROUPS_H

#include "workloads/readers/chakra_node.h"
#include "workloads/recording/recording.h"

/* Adds to @groups those that @text tells: their names (of .texts), to 1 +
 * index of Recording.groups.  What is no group is passed over. */
void chakra_add_groups(const ChakraText *text, Recording *recording,
                       GHashTable *groups);
/* RECORD_NONE: nobody told who is in the group @name. */
uint32_t chakra_find_group(const ChakraText *name, Recording *recording,
                           GHashTable *groups);

#endif
