/*
 * symmetry_reduction.h - finds the NPUs that behave identically in a run
 *
 * A run simulates one NPU of each equivalence class.  Two NPUs are equivalent
 * if a translation of the topology (network/symmetry_classes.h) maps one to the
 * other and preserves every constraint that the caller has added:
 *
 *   colours   An NPU maps to an NPU of the same colour.  Roles, perturbations
 *             and recorded times are colours.
 *   groups    A group maps to a group.  RankMapping says what may happen to its
 *             ranks; that depends on the collective algorithm.
 *   messages  A sender maps to a sender and a receiver to a receiver.
 *
 * For each dimension the module finds the smallest step, among the divisors of
 * the size, whose translation preserves all constraints.  Translations along
 * different dimensions can be combined, so a dimension of step s contributes s
 * classes and the numbers multiply.
 *
 * The units of a switch may be permuted in any way (Symmetry.any_order), and so
 * may the NPUs of nodes on rails (.any_part_order).  There the module chooses
 * the dimensions itself.  It cuts the NPU ids where colours
 * change and where groups begin and end (symmetry_bounds.h). It first tries to
 * preserve each group only as a set of NPUs. That is valid if all members of
 * each group turn out to be in one class: every rank then sends and receives
 * the same number of bytes in each step, and no link is shared by two units, as
 * units may be permuted. In units with several NPUs this applies only to groups
 * whose members have the same index in their units. If no such shape exists,
 * ranks are compared one by one.
 *
 * Leaves out symmetries that need a step along two dimensions at the same
 *          time, such as the two colours of a chessboard
 * Units    NPU ids
 * Errors   none; a system without symmetry has one class per NPU
 * Owner    the caller owns the SymmetryReduction and the texts it gets; arrays,
 * members and texts that are passed in are borrowed until the SymmetryReduction
 * is freed Cost     O(NPUs x constraints x divisors of the dimension sizes)
 */
#ifndef MODELS_RUN_PREPARE_SYMMETRY_REDUCTION_H
#define MODELS_RUN_PREPARE_SYMMETRY_REDUCTION_H

#include "models/collectives/algorithm.h"
#include "models/collectives/group_members.h"
#include "network/symmetry_classes.h"

/* How a translation may map the ranks of a group. */
typedef enum {
    RANKS_ROTATED, /* by one offset on the grid of the group */
    RANKS_XORED,   /* by the exclusive or with one mask */
    RANKS_FIXED,   /* each rank maps to the same rank */
    RANKS_ANY,     /* in any way: all ranks do the same */
} RankMapping;

typedef struct SymmetryReduction SymmetryReduction;

/* Returns a reduction of @topology without constraints. */
SymmetryReduction *symmetry_reduction_new(const Topology *topology);
void symmetry_reduction_free(SymmetryReduction *reduction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SymmetryReduction, symmetry_reduction_free)

/* Requires that each NPU i maps to an NPU with the same @colours[i].  @why is a
 * clause for the user that names the cause; symmetry_reduction_find() may
 * return it. */
void symmetry_reduction_add_colours(SymmetryReduction *reduction,
                                    const uint32_t *colours, const char *why);
/* Requires that each group of @members maps to a group, with its ranks mapped
 * as @ranks says.  @grid is the layout of the ranks; it is NULL if, and only
 * if, @ranks is RANKS_ANY. */
void symmetry_reduction_add_groups(SymmetryReduction *reduction,
                                   const CollMembers *members,
                                   const CollGroup *grid, RankMapping ranks,
                                   const char *why);
/* Requires that rank @from of each group maps to a rank @from, and rank @to to
 * a rank @to.  The other ranks are idle and may map to any idle rank. */
void symmetry_reduction_add_message(SymmetryReduction *reduction,
                                    const CollMembers *members, uint32_t from,
                                    uint32_t to, const char *why);

/* Returns the equivalence classes.  Sets *@ret_why to the first cause that
 * prevented fewer classes, or to NULL if all NPUs are in one class.  The caller
 * owns both. */
SymmetryFold *symmetry_reduction_find(const SymmetryReduction *reduction,
                                      char **ret_why);

#endif
