/*
 * group_names.h - groups that traces name and do not list
 *
 * A file of groups alone (readers/comm_groups.c) lists members by name.  Of a
 * group that no file lists, the members are inferred, and counted:
 *
 *   1. If only some of the ranks name it, those that do are its members.
 *   2. If its size is known and less than that of the world, it is one of the
 *      sets of as many ranks that follow each other.
 *
 * Else it stays unknown, which is taken as all ranks.
 */
#ifndef WORKLOADS_RECORDING_GROUP_NAMES_H
#define WORKLOADS_RECORDING_GROUP_NAMES_H

#include "workloads/recording/recording.h"

/* Once all files are read; does nothing the second time. */
void record_resolve_groups(Recording *recording);

#endif
