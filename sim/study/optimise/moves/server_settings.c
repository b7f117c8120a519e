/*
 * server_settings.c - the move that changes what parameter servers store and
 * get
 *
 * It chooses whether tensors are stored whole or in pieces, the size of pieces,
 * and the credit: how many bytes are in flight.  The placement of servers does
 * not change, because it is given by the machines.
 */
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/study/optimise/moves/setting_values_impl.h"

#define CUT         "training.exchange.placement=partition\n"
#define PART        CUT "training.exchange.partition="
#define CREDIT      "training.exchange.credit="
#define WHOLE       "training.exchange.placement="
#define LEAST_BYTES UINT64_C(65536)
#define MOST_BYTES  (UINT64_C(1) << 30)
#define KIB         UINT64_C(1024)

static gboolean are_parameter_servers_used(const RunProfile *profile)
{
    return strcmp(run_profile_exchange_kind(profile), "parameter-server") == 0;
}

static char *make_server_settings(uint64_t bytes, uint64_t credit_bytes)
{
    g_autofree char *part = quantity_format(bytes, CONFIG_BYTES);
    g_autofree char *credit = quantity_format(credit_bytes, CONFIG_BYTES);

    return credit_bytes == 0
               ? g_strconcat(PART, part, NULL)
               : g_strconcat(PART, part, "\n" CREDIT, credit, NULL);
}

static void propose_first_server_settings(const RunProfile *profile,
                                          GPtrArray *ret)
{
    static const char *const whole[] = { "greedy", "round-robin", "balanced" };

    if (!are_parameter_servers_used(profile))
        return;
    for (guint i = 0; i < G_N_ELEMENTS(whole); i++)
        g_ptr_array_add(ret, g_strconcat(WHOLE, whole[i], NULL));
    for (uint64_t bytes = 256 * KIB; bytes <= 64 * KIB * KIB; bytes *= 2)
        g_ptr_array_add(ret, make_server_settings(bytes, 0));
    for (uint64_t bytes = KIB * KIB; bytes <= 16 * KIB * KIB; bytes *= 4)
        g_ptr_array_add(ret, make_server_settings(bytes, 4 * bytes));
}

/* Sets *@ret to the quantity after @key.  Returns FALSE if there is none. */
static gboolean find_setting_quantity(const char *sets, const char *key,
                                      uint64_t *ret)
{
    const char *at = sets ? strstr(sets, key) : NULL;
    g_autofree char *text = NULL;

    if (!at)
        return FALSE;
    at += strlen(key);
    text = g_strndup(at, strcspn(at, "\n"));
    return quantity_parse(text, CONFIG_BYTES, ret, NULL);
}

static char *vary_server_settings(const RunProfile *profile, const char *sets,
                                  RandomDraw *draw)
{
    uint64_t bytes, credit_bytes = 0;

    if (!are_parameter_servers_used(profile) ||
        !find_setting_quantity(sets, PART, &bytes))
        return NULL;
    if (!find_setting_quantity(sets, CREDIT, &credit_bytes) ||
        draw_integer_below(draw, 2) == 0)
        bytes = draw_value_near_current(bytes, LEAST_BYTES, MOST_BYTES, draw);
    else
        credit_bytes = draw_value_near_current(credit_bytes, LEAST_BYTES,
                                               MOST_BYTES, draw);
    return make_server_settings(bytes, credit_bytes);
}

const SearchMove move_servers = {
    .name = "servers",
    .summary = "pieces that parameter servers get, and the credit of these",
    .aspect = ASPECT_EXCHANGE,
    .saves = SAVES_EXCHANGE,
    .seeds = propose_first_server_settings,
    .vary = vary_server_settings,
};
