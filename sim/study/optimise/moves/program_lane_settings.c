/*
 * program_lane_settings.c - the move that changes buffer, cycle and order of a
 * program's lanes
 *
 * A program without collective lanes gets one lane for the all-reduces of all
 * roles. That models a library that executes one all-reduce at a time and may
 * fuse them. The settings of lanes follow in further lines, one for each
 * changed setting.
 */
#include <string.h>

#include "sim/config/config_node.h"
#include "sim/config/quantity.h"
#include "sim/study/optimise/moves/setting_values_impl.h"

#define PREFIX "workload.lanes."
#define OWN    "optimised"
/* The largest number of operations that get a lane.  Each of them adds a line
 * to the candidate. */
#define MOST_OPS    2000
#define MIB         (UINT64_C(1) << 20)
#define LEAST_BYTES UINT64_C(65536)
#define MOST_BYTES  (UINT64_C(1) << 30)

/* ---- reading the lanes of the program ------------------------------------ */

static gboolean is_program_workload(const RunProfile *profile)
{
    return strcmp(profile->config.workload.kind->name, "program") == 0;
}

static const ConfigNode *find_map_value(const ConfigNode *map, const char *key)
{
    for (guint i = 0; map && config_node_kind(map) == CONFIG_NODE_MAP &&
                      i < config_node_count(map);
         i++)
        if (g_str_equal(config_node_text(config_node_key(map, i)), key))
            return config_node_value(map, i);
    return NULL;
}

static gboolean has_map_text(const ConfigNode *op, const char *key,
                             const char *text)
{
    const ConfigNode *node = find_map_value(op, key);

    return node && g_strcmp0(config_node_text(node), text) == 0;
}

static guint count_program_lanes(const RunProfile *profile)
{
    const ConfigNode *lanes =
        config_doc_find_exact(profile->doc, "workload.lanes");

    return lanes ? config_node_count(lanes) : 0;
}

/* Appends a line for each all-reduce of role @r.  Returns the number of
 * lines. */
static guint append_all_reduce_lines(const ConfigNode *role, guint r,
                                     GString *out)
{
    const ConfigNode *ops = find_map_value(role, "ops");
    guint n = 0;

    for (guint i = 0; ops && i < config_node_count(ops); i++) {
        const ConfigNode *op = config_node_value(ops, i);

        if (!has_map_text(op, "kind", "collective") ||
            !has_map_text(op, "collective", "all-reduce"))
            continue;
        n++;
        g_string_append_printf(out, "\nworkload.roles.%u.ops.%u.lane=" OWN, r,
                               i);
    }
    return n;
}

/* Returns the first lines of the settings, which add a collective lane if there
 * is none; the text is empty if there are lanes. Returns NULL if the program
 * has no all-reduce, or too many, for a lane. */
static char *make_lane_declaration(const RunProfile *profile)
{
    const ConfigNode *roles =
        config_doc_find_exact(profile->doc, "workload.roles");
    GString *out = g_string_new(NULL);
    guint n = 0;

    if (count_program_lanes(profile) > 0)
        return g_string_free(out, FALSE);
    g_string_append(out, "workload.lanes=[{name: " OWN "}]");
    for (guint r = 0; roles && r < config_node_count(roles); r++)
        n += append_all_reduce_lines(config_node_value(roles, r), r, out);
    g_string_append_c(out, '\n');
    if (n > 0 && n <= MOST_OPS)
        return g_string_free(out, FALSE);
    g_string_free(out, TRUE);
    return NULL;
}

/* ---- proposing settings of lanes ----------------------------------------- */

static char *make_lane_setting(guint lane, const char *key, const char *value)
{
    return g_strdup_printf(PREFIX "%u.%s=%s", lane, key, value);
}

/* Adds @begin and @line as one text; frees @line. */
static void add_lane_proposal(const char *begin, char *line, GPtrArray *ret)
{
    g_ptr_array_add(ret, g_strconcat(begin, line, NULL));
    g_free(line);
}

static void propose_lane_settings(const char *begin, guint lane, GPtrArray *ret)
{
    static const char *const some[] = { "1", "2", "4", "0" };

    for (uint64_t bytes = MIB; bytes <= 256 * MIB; bytes *= 4) {
        g_autofree char *text = quantity_format(bytes, CONFIG_BYTES);

        add_lane_proposal(begin, make_lane_setting(lane, "fusion", text), ret);
    }
    for (guint i = 0; i < G_N_ELEMENTS(some); i++)
        add_lane_proposal(begin, make_lane_setting(lane, "at_a_time", some[i]),
                          ret);
    add_lane_proposal(begin, make_lane_setting(lane, "order", "priority"), ret);
}

static void propose_first_lanes(const RunProfile *profile, GPtrArray *ret)
{
    g_autofree char *begin =
        is_program_workload(profile) ? make_lane_declaration(profile) : NULL;

    for (guint lane = 0; begin && lane < MAX(count_program_lanes(profile), 1);
         lane++)
        propose_lane_settings(begin, lane, ret);
}

/* ---- varying the lanes of an existing candidate -------------------------- */

/* Returns a random setting of @lane.  A buffer is near to @now, which may be
 * NULL. */
static char *draw_lane_setting(guint lane, const char *now, RandomDraw *draw)
{
    static const char *const some[] = { "0", "1", "2", "3", "4", "8" };
    uint64_t bytes = 16 * MIB;
    g_autofree char *text = NULL;

    switch (draw_integer_below(draw, 4)) {
    case 0:
        return make_lane_setting(
            lane, "at_a_time",
            some[draw_integer_below(draw, G_N_ELEMENTS(some))]);
    case 1:
        return make_lane_setting(lane, "order",
                                 draw_integer_below(draw, 2) == 0 ? "priority"
                                                                  : "as-ready");
    default:
        if (now)
            (void)!quantity_parse(now, CONFIG_BYTES, &bytes, NULL);
        bytes = draw_value_near_current(bytes, LEAST_BYTES, MOST_BYTES, draw);
        text = quantity_format(bytes, CONFIG_BYTES);
        return make_lane_setting(lane, "fusion", text);
    }
}

/* Returns whether two settings are equal up to and including "=". */
static gboolean is_setting_of_same_key(const char *a, const char *b)
{
    gsize n = (gsize)(strchr(b, '=') - b) + 1;

    return strncmp(a, b, n) == 0;
}

static char *vary_collective_lane(const RunProfile *profile, const char *sets,
                                  RandomDraw *draw)
{
    guint lane = draw_integer_below(draw, MAX(count_program_lanes(profile), 1));
    g_autofree char *key = make_lane_setting(lane, "fusion", "");
    const char *now = sets ? strstr(sets, key) : NULL;
    g_autofree char *value =
        now ? g_strndup(now + strlen(key), strcspn(now + strlen(key), "\n"))
            : NULL;
    g_autofree char *line = draw_lane_setting(lane, value, draw);
    g_autofree char *begin =
        is_program_workload(profile) ? make_lane_declaration(profile) : NULL;
    g_auto(GStrv) lines = g_strsplit(sets ? sets : "", "\n", -1);
    g_autoptr(GString) out = NULL;

    if (!begin)
        return NULL;
    out = g_string_new(begin);
    for (guint i = 0; lines[i]; i++)
        if (g_str_has_prefix(lines[i], PREFIX) &&
            !is_setting_of_same_key(lines[i], line))
            g_string_append_printf(out, "%s\n", lines[i]);
    g_string_append(out, line);
    return g_strdup(out->str);
}

const SearchMove move_lanes = {
    .name = "lanes",
    .summary = "buffer, cycle and order of a program's lanes",
    .aspect = ASPECT_LANES,
    .saves = SAVES_EXCHANGE,
    .seeds = propose_first_lanes,
    .vary = vary_collective_lane,
};
