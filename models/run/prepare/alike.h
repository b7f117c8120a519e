/*
 * alike.h - which NPUs of a system cannot be told apart
 *
 * A topology offers translations (network/symmetry.h).  Of these a run may use
 * what everything on the platform bears: what each NPU is (its role, how slow
 * it is), and who is which rank of which group.  A translation along one
 * dimension is borne when it takes
 *
 *   - each NPU to one of the same colour;
 *   - each group to a group, its ranks to ranks that do the same: those of an
 *     algorithm by rotation may be rotated on the group's grid, those by XOR
 *     combined with a mask, others have to stay what they are;
 *   - who sends a message to who sends one, and who receives it likewise.
 *
 * Of every dimension the least such step is used.  Steps along different
 * dimensions are borne together when each is by itself, and all that they
 * generate is; what only a step along two dimensions at once would bear (a
 * chessboard) is not looked for.
 *
 * Where the topology may be taken in any order (a switch), dimensions are made
 * of what is on it: where runs of one colour, and ranks of groups, begin and
 * end.  Where each group then is of one class it matters only that groups go to
 * groups: each rank of an algorithm that treats all alike sends and receives as
 * much in each step, whoever the peer is, and no link is of two units.  Of
 * units with several ends that goes for groups whose members are the same end
 * of each.
 *
 * Units    NPU ids
 * Owner    the caller owns the Alike and its text; arrays, members and
 * sentences are borrowed until it is freed Cost     NPUs x what is added x
 * divisors that are tried, where anything is
 */
#ifndef MODELS_RUN_PREPARE_ALIKE_H
#define MODELS_RUN_PREPARE_ALIKE_H

#include "models/collectives/algorithm.h"
#include "models/collectives/members.h"
#include "network/symmetry.h"

/* What may become of the ranks of a group. */
typedef enum {
    ALIKE_ROTATED, /* moved on the grid of the group */
    ALIKE_XORED,   /* combined with a mask */
    ALIKE_SAME,    /* nothing */
} AlikeRanks;

typedef struct Alike Alike;

Alike *alike_new(const Topology *topology);
void alike_free(Alike *alike);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Alike, alike_free)

/* NPUs of different @colours, one each, are different; @why says so, a clause
 * about what they are. */
void alike_add_colours(Alike *alike, const uint32_t *colours, const char *why);
/* All groups of @members do the same; @grid lays their ranks out. */
void alike_add_groups(Alike *alike, const CollMembers *members,
                      const CollGroup *grid, AlikeRanks ranks, const char *why);
/* Of each group rank @from sends to rank @to, and the others do nothing. */
void alike_add_message(Alike *alike, const CollMembers *members, uint32_t from,
                       uint32_t to, const char *why);

/* The classes.  *@ret_why is why they are not as few as there could be, one
 * clause; NULL: every NPU is like every other.  Owner: the caller of both. */
Fold *alike_fold(const Alike *alike, char **ret_why);

#endif
