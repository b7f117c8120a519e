/*
 * lanes.c - buffer, cycle and order of the lanes that a program has
 *
 * Of each lane by itself.  Who has none gets one for all-reduces: see
 * add_lane().
 */
#include <string.h>

#include "sim/study/optimise/moves/value_impl.h"

static void seed(const Known *known, GPtrArray *ret)
{
    (void)known;
    (void)ret;
}

static char *vary(const Known *known, const char *sets, Draw *draw)
{
    (void)known;
    (void)sets;
    (void)draw;
    return NULL;
}

const Move move_lanes = {
    .name = "lanes",
    .summary = "buffer, cycle and order of a program's lanes",
    .aspect = ASPECT_LANES,
    .is_of_messages = TRUE,
    .seeds = seed,
    .vary = vary,
};
