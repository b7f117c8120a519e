/*
 * symmetry_bounds.h - finds numbers of NPU ids after which roles and groups
 * repeat or change
 *
 * A bound is a number of consecutive NPU ids that can form one step of a
 * dimension (symmetry_reduction.h).  Each function appends bounds to @bounds,
 * an array of uint32_t; the same bound can be appended several times.
 */
#ifndef MODELS_RUN_PREPARE_SYMMETRY_BOUNDS_H
#define MODELS_RUN_PREPARE_SYMMETRY_BOUNDS_H

#include "models/collectives/group_members.h"

/* Appends two bounds of the @n @colours to @bounds: the greatest common divisor
 * of the ids at which the colour changes, and the shortest period that divides
 * @n. */
void symmetry_bounds_add_colours(GArray *bounds, const uint32_t *colours,
                                 uint32_t n);
/* Appends the stride and the extent of each digit of @members (group_members.h)
 * to
 * @bounds.  If @with_bits, also appends all powers of two, one for each bit of
 * a rank. */
void symmetry_bounds_add_groups(GArray *bounds, const CollMembers *members,
                                gboolean with_bits);

/* Sorts @bounds in ascending order. */
void symmetry_bounds_sort(GArray *bounds);

#endif
