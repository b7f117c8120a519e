/*
 * dpro_names.h - for dpro.c only: what the names of events say
 *
 * Owner    texts that are returned are the caller's
 */
#ifndef WORKLOADS_READERS_DPRO_NAMES_H
#define WORKLOADS_READERS_DPRO_NAMES_H

#include "workloads/recording/recording.h"

/* Without the process before it and the chunk behind it. */
char *dpro_plain_name(const char *name);
/* RECORD_OTHER: it is not replayed, or not known. */
RecordKind dpro_kind_of(const char *name, OpPass *ret_pass);
/* "host3.rank1"; FALSE: it is no rank's. */
gboolean dpro_parse_pid(const char *pid, uint32_t *ret_host,
                        uint32_t *ret_place);

#endif
