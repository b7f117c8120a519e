/*
 * dpro_names.h - parses the names of dPRO's events; private to dpro.c
 *
 * Owner    the caller owns returned texts
 */
#ifndef WORKLOADS_READERS_DPRO_NAMES_H
#define WORKLOADS_READERS_DPRO_NAMES_H

#include "workloads/recording/recording.h"

/* Returns @name without the process before it and the chunk after it. */
char *dpro_plain_name(const char *name);
/* Returns the kind of node.  RECORD_OTHER: it is not replayed, or not known. */
RecordKind dpro_kind_of(const char *name, OpPass *ret_pass);
/* Parses "host3.rank1". Returns FALSE if @pid is not a rank. */
gboolean dpro_parse_pid(const char *pid, uint32_t *ret_host,
                        uint32_t *ret_place);

#endif
