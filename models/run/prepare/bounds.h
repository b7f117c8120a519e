/*
 * bounds.h - how many NPUs in a row may go together, by what is on them
 *
 * Each function adds to @bounds, of uint32_t, as often as it comes to one.
 */
#ifndef MODELS_RUN_PREPARE_BOUNDS_H
#define MODELS_RUN_PREPARE_BOUNDS_H

#include "models/collectives/members.h"

/* Where runs of one colour end, and after how many of the @n NPUs they come
 * again. */
void bounds_add_colours(GArray *bounds, const uint32_t *colours, uint32_t n);
/* Where the digits of groups begin and end; @with_bits: each bit of a rank,
 * too. */
void bounds_add_groups(GArray *bounds, const CollMembers *members,
                       gboolean with_bits);

/* The least first. */
void bounds_sort(GArray *bounds);

#endif
