/* search_moves.c - the table of moves */
#include "sim/study/optimise/search_moves.h"

/* To add a move, add a file in moves/ and its variable to this list.  Moves are
 * tried in this order; the first one changes how many tensors can be
 * grouped. */
/* clang-format off */
#define MOVES(Add)      \
    Add(move_sparse)    \
    Add(move_groups)    \
    Add(move_fusion)    \
    Add(move_partition) \
    Add(move_servers)   \
    Add(move_order)     \
    Add(move_algorithm) \
    Add(move_chunk)     \
    Add(move_lanes)     \
    Add(move_operators)  \
    Add(move_accumulate) \
    Add(move_recompute)
/* clang-format on */

#define DECLARE(Which) extern const SearchMove Which;
#define POINTER(Which) &Which,

MOVES(DECLARE)

const SearchMove *const moves[] = { MOVES(POINTER) NULL };

const SearchMove *find_search_move(const char *name)
{
    for (guint i = 0; moves[i]; i++)
        if (g_str_equal(moves[i]->name, name))
            return moves[i];
    return NULL;
}
