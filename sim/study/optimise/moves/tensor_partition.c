/*
 * tensor_partition.c - the move that cuts tensors into partitions, sent by
 * urgency
 *
 * It also changes the credit: how many bytes are in flight.  If the library
 * sends one message at a time, the credit is one partition and stays so.
 */
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/study/config_value.h"
#include "sim/study/optimise/moves/setting_values_impl.h"

#define KIND        "partition"
#define MB          UINT64_C(1000000)
#define LEAST_BYTES UINT64_C(65536)
#define MOST_BYTES  (UINT64_C(1) << 30)

static char *make_partition_settings(const RunProfile *profile, uint64_t bytes,
                                     uint64_t credit_bytes)
{
    g_autofree char *part = quantity_format(bytes, CONFIG_BYTES);
    g_autofree char *credit = quantity_format(credit_bytes, CONFIG_BYTES);
    g_autofree char *more =
        g_strdup_printf(", bytes: %s, credit: %s", part, credit);

    return run_profile_exchange_sets(profile, KIND, more);
}

static gboolean sends_one_message_at_a_time(const RunProfile *profile)
{
    uint64_t n;
    ConfigType type;

    return config_value_read_at_path(
               &profile->config, "training.exchange.at_a_time", &n, &type) &&
           n == 1;
}

static void propose_first_partitions(const RunProfile *profile, GPtrArray *ret)
{
    uint64_t most = sends_one_message_at_a_time(profile) ? 1 : 4;

    if (profile->n_tensors == 0 || !run_profile_may_group_gradients(profile))
        return;
    for (uint64_t bytes = MB; bytes <= 64 * MB; bytes *= 4)
        for (uint64_t parts = 1; parts <= most; parts *= 4)
            g_ptr_array_add(
                ret, make_partition_settings(profile, bytes, parts * bytes));
}

static char *vary_partition(const RunProfile *profile, const char *sets,
                            RandomDraw *draw)
{
    uint64_t bytes, credit_bytes;

    if (!candidate_settings_use_exchange(sets, KIND) ||
        !read_setting_value(sets, "bytes", CONFIG_BYTES, &bytes) ||
        !read_setting_value(sets, "credit", CONFIG_BYTES, &credit_bytes))
        return NULL;
    if (draw_integer_below(draw, 2) == 0)
        bytes = draw_value_near_current(bytes, LEAST_BYTES, MOST_BYTES, draw);
    else
        credit_bytes = draw_value_near_current(credit_bytes, LEAST_BYTES,
                                               MOST_BYTES, draw);
    if (sends_one_message_at_a_time(profile))
        credit_bytes = bytes;
    return make_partition_settings(profile, bytes, credit_bytes);
}

const SearchMove move_partition = {
    .name = "partition",
    .summary = "tensors cut into partitions, and the credit of these",
    .aspect = ASPECT_EXCHANGE,
    .saves = SAVES_EXCHANGE,
    .seeds = propose_first_partitions,
    .vary = vary_partition,
};
