/*
 * minor_factors.h - groups the what-ifs that hardly matter, so that one run
 * tests all of them; private to what_if_pruning.c
 *
 * A what-if is minor if its resource accounts for less than 1 % of the critical
 * path.  The groups are what-ifs, too, and they are nested:
 *
 *     group 1   all minor what-ifs
 *     group 2   the same without the leader of group 1; or without its first
 *               few members, if one of them sets nothing that the others do not
 *
 * The leader of a group is the member with the most time on the critical path.
 * If the run of a group changes the iteration time, what_if_pruning.c runs the
 * leader and the next group. That finds up to two what-ifs that matter without
 * a run for each member.
 *
 * Units    ps over the whole run, one value per row of critical_path_rows.h
 */
#ifndef SIM_STUDY_REST_H
#define SIM_STUDY_REST_H

#include "models/observe/critical_path_rows.h"
#include "sim/study/what_ifs.h"

/* Indices of WhatIf.group.  A what-if can be in one group of each kind. */
enum { GROUP_PATTERN, GROUP_MINOR };

/* Returns whether kernels get less of the resource of @row if communication
 * gets more of it. */
static inline gboolean takes_resource_from_kernels(uint32_t row)
{
    return row == PATH_RESOURCES + RESOURCE_HBM_SHARE ||
           row == PATH_RESOURCES + RESOURCE_SMS;
}

/* Returns what-if @number of @what_ifs, which owns it. */
static inline WhatIf *what_if_number_in_list(const GArray *what_ifs,
                                             guint number)
{
    return &g_array_index(what_ifs, WhatIf, number);
}

/* Appends the groups to @what_ifs (of WhatIf), the outermost first, and the
 * number of each group's leader to @leaders (of guint).  Sets
 * .group[GROUP_MINOR] of the members.  @path_ps holds the time of each row on
 * the critical path of a run of @total_ps. */
void group_minor_what_ifs(GArray *what_ifs, const SimTime *path_ps,
                          SimTime total_ps, GArray *leaders);

#endif
