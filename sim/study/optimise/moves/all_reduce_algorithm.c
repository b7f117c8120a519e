/*
 * all_reduce_algorithm.c - the move that chooses the algorithm of all-reduces
 * by size
 *
 * It adds rows before those of the file: one row for all sizes, or one up to a
 * size and another one above it.  A run refuses an algorithm that the library
 * or the platform does not support.
 */
#include <string.h>

#include "models/collectives/algorithm.h"
#include "sim/config/quantity.h"
#include "sim/study/optimise/moves/setting_values_impl.h"
#include "sim/study/optimise/yaml_writer.h"

#define KEY         "collectives.choices="
#define LEAST_BYTES UINT64_C(1024)
#define MOST_BYTES  (UINT64_C(1) << 32)
#define FIRST_BYTES (UINT64_C(1) << 20)

/* Appends the rows of the file after the new ones. */
static void append_configured_rows(const RunProfile *profile, GString *out)
{
    const ConfigNode *rows =
        config_doc_find_exact(profile->doc, "collectives.choices");

    for (guint i = 0; rows && i < config_node_count(rows); i++) {
        g_autofree char *row = yaml_flow_text(config_node_value(rows, i));

        g_string_append_printf(out, ", %s", row);
    }
    g_string_append_c(out, ']');
}

/* Returns the settings that use @small up to @bytes (0: never) and @large
 * above, which the caller owns. */
static char *make_algorithm_settings(const RunProfile *profile,
                                     const char *small, uint64_t bytes,
                                     const char *large)
{
    GString *out = g_string_new(KEY "[");

    if (bytes > 0) {
        g_autofree char *most = quantity_format(bytes, CONFIG_BYTES);

        g_string_append_printf(out,
                               "{collective: all-reduce, most_bytes: %s, "
                               "algorithm: %s}, ",
                               most, small);
    }
    g_string_append_printf(out, "{collective: all-reduce, algorithm: %s}",
                           large);
    append_configured_rows(profile, out);
    return g_string_free(out, FALSE);
}

/* Returns the number of algorithm names, of which number 0 is `auto`. */
static guint count_algorithm_names(void)
{
    return g_strv_length((char **)coll_algorithm_names);
}

static gboolean run_has_all_reduce(const RunProfile *profile)
{
    return profile->n_tensors > 0 ? strcmp(run_profile_exchange_kind(profile),
                                           "parameter-server") != 0
                                  : profile->communication > 0;
}

static void propose_first_algorithms(const RunProfile *profile, GPtrArray *ret)
{
    if (!run_has_all_reduce(profile))
        return;
    for (guint i = 1; i < count_algorithm_names(); i++)
        g_ptr_array_add(ret, make_algorithm_settings(profile, "", 0,
                                                     coll_algorithm_names[i]));
}

static char *vary_algorithms(const RunProfile *profile, const char *sets,
                             RandomDraw *draw)
{
    guint n = count_algorithm_names();
    const char *small =
        coll_algorithm_names[1 + draw_integer_below(draw, n - 1)];
    const char *large =
        coll_algorithm_names[1 + draw_integer_below(draw, n - 1)];
    const char *last = sets ? strrchr(sets, '{') : NULL;
    uint64_t bytes = FIRST_BYTES;
    g_autofree char *now = NULL;

    if (!run_has_all_reduce(profile))
        return NULL;
    (void)read_setting_value(sets, "most_bytes", CONFIG_BYTES, &bytes);
    bytes = draw_value_near_current(bytes, LEAST_BYTES, MOST_BYTES, draw);
    if (last && strstr(last, "algorithm: ") &&
        draw_integer_below(draw, 2) == 0) {
        const char *name = strstr(last, "algorithm: ") + strlen("algorithm: ");

        now = g_strndup(name, strcspn(name, "},"));
        large = now;
    }
    return make_algorithm_settings(profile, small, bytes, large);
}

const SearchMove move_algorithm = {
    .name = "algorithm",
    .summary = "which algorithm an all-reduce takes, by its size",
    .aspect = ASPECT_ALGORITHM,
    .saves = SAVES_MESSAGES,
    .seeds = propose_first_algorithms,
    .vary = vary_algorithms,
};
