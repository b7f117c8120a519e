/*
 * named_groups.h - groups that traces name without listing their members
 *
 * A file that lists groups (readers/comm_groups.c) has the members by name.
 * The members of other groups are inferred, and such groups are counted:
 *
 *   1. If only some of the ranks name the group, these ranks are its members.
 *   2. If its size is known and smaller than the world, it is one of the blocks
 *      of that many consecutive ranks.
 *
 * Otherwise the group stays unknown, which means all ranks.
 */
#ifndef WORKLOADS_RECORDING_NAMED_GROUPS_H
#define WORKLOADS_RECORDING_NAMED_GROUPS_H

#include "workloads/recording/recording.h"

/* Resolves the groups after all files have been read.  A second call has no
 * effect. */
void record_resolve_groups(Recording *recording);

#endif
