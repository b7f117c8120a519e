/* chunk_size.c - the move that changes the size of the chunks of collectives */
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/study/optimise/moves/setting_values_impl.h"

#define KEY         "collectives.chunk"
#define LEAST_BYTES (UINT64_C(16) << 10)
#define MOST_BYTES  (UINT64_C(1) << 30)

static void propose_first_chunk_sizes(const RunProfile *profile, GPtrArray *ret)
{
    if (profile->communication <= 0 && profile->n_tensors == 0)
        return;
    for (uint64_t bytes = LEAST_BYTES * 4; bytes <= MOST_BYTES / 4; bytes *= 4)
        g_ptr_array_add(ret, make_candidate_setting(KEY, bytes, CONFIG_BYTES));
    g_ptr_array_add(ret, g_strdup(KEY "=auto"));
}

static char *vary_chunk_size(const RunProfile *profile, const char *sets,
                             RandomDraw *draw)
{
    uint64_t bytes;

    (void)profile;
    if (!sets || !g_str_has_prefix(sets, KEY "=") ||
        !quantity_parse(sets + strlen(KEY "="), CONFIG_BYTES, &bytes, NULL))
        return NULL;
    return make_candidate_setting(
        KEY, draw_value_near_current(bytes, LEAST_BYTES, MOST_BYTES, draw),
        CONFIG_BYTES);
}

const SearchMove move_chunk = {
    .name = "chunk",
    .summary = "the size of the chunks of a collective",
    .aspect = ASPECT_CHUNK,
    .saves = SAVES_MESSAGES,
    .seeds = propose_first_chunk_sizes,
    .vary = vary_chunk_size,
};
