/* program_collective_lanes.c - lanes of a program; see
 * workloads/collective_lane.h for their meaning */
#include "workloads/programs/program_collective_lanes.h"

#include "sim/config/config.h"
#include "sim/core/word_suggestions.h"

#define MOST_BYTES (UINT64_C(1) << 40)
#define MOST_PS    UINT64_C(1000000000000000)

static const char *const order_names[] = {
    [LANE_AS_READY] = "as-ready",
    [LANE_BY_PRIORITY] = "priority",
    NULL,
};

#define OFFSET(member) .offset = offsetof(ProgramLane, member)

static const ConfigField lane_fields[] = {
    { .key = "name",
      .help = "by which operations name it",
      .type = CONFIG_NAME,
      OFFSET(name) },
    { .key = "order",
      .help = "what goes first of what is ready",
      .type = CONFIG_ENUM,
      OFFSET(order),
      .names = order_names,
      .fallback = "as-ready",
      .source = "as it comes" },
    { .key = "at_a_time",
      .help = "operations in flight; 0: any number",
      .type = CONFIG_COUNT,
      OFFSET(at_a_time),
      .max = UINT32_MAX,
      .fallback = "1",
      .source = "a stream of a library" },
    { .key = "credit",
      .help = "bytes in flight; one operation alone may exceed them; 0 B: any",
      .type = CONFIG_BYTES,
      OFFSET(credit_bytes),
      .max = MOST_BYTES,
      .fallback = "0 B",
      .source = "none" },
    { .key = "fusion",
      .help = "collectives that fit into a buffer of that go as one; 0 B: none",
      .type = CONFIG_BYTES,
      OFFSET(fusion_bytes),
      .max = MOST_BYTES,
      .fallback = "0 B",
      .source = "none" },
    { .key = "cycle",
      .help = "between two looks at the ready tensors; 0 ns: at once",
      .type = CONFIG_TIME,
      OFFSET(cycle_ps),
      .max = MOST_PS,
      .fallback = "0 ns",
      .source = "none" },
    { .key = "negotiation",
      .help = "from a look until the chosen operations begin",
      .type = CONFIG_TIME,
      OFFSET(negotiate_ps),
      .max = MOST_PS,
      .fallback = "0 ns",
      .source = "none" },
    { .key = "copy",
      .help = "into a buffer, and out of it; auto: takes no time",
      .type = CONFIG_BANDWIDTH,
      OFFSET(copy_bytes_per_s),
      .min = 1,
      .max = UINT64_MAX >> 2,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "none" },
    CONFIG_END,
};

#undef OFFSET

const ConfigField program_lane_item = {
    .key = "lane",
    .help = "lets collectives begin, one after the other",
    .type = CONFIG_SECTION,
    .fields = lane_fields,
    .node_offset = offsetof(ProgramLane, node),
};

static gboolean set_lane_conflict_error(const ConfigNode *where, GError **error,
                                        char *text)
{
    config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

static gboolean find_lane_by_name(const OpGraph *graph, const char *name,
                                  uint32_t *ret)
{
    for (*ret = 0; *ret < graph->lanes->len; (*ret)++)
        if (g_str_equal(op_graph_lane(graph, *ret)->name, name))
            return TRUE;
    return FALSE;
}

gboolean program_add_lanes(const ConfigList *list, OpGraph *graph,
                           GError **error)
{
    const ProgramLane *lanes = list->items;
    uint32_t there;

    for (guint i = 0; i < list->n; i++) {
        const ProgramLane *lane = &lanes[i];

        if (g_str_equal(lane->name, PROGRAM_NO_LANE))
            return set_lane_conflict_error(
                lane->node, error,
                g_strdup("name: 'none' is what has no lane"));
        if (find_lane_by_name(graph, lane->name, &there))
            return set_lane_conflict_error(
                lane->node, error,
                g_strdup_printf("name: there are two lanes '%s'", lane->name));
        (void)op_graph_add_lane(
            graph, &(OpLane){ .name = lane->name,
                              .order = (OpLaneOrder)lane->order,
                              .at_a_time = (uint32_t)lane->at_a_time,
                              .credit_bytes = lane->credit_bytes,
                              .fusion_bytes = lane->fusion_bytes,
                              .cycle_ps = lane->cycle_ps,
                              .negotiate_ps = lane->negotiate_ps,
                              .copy_bytes_per_s = lane->copy_bytes_per_s });
    }
    return TRUE;
}

gboolean program_set_lane(OpGraph *graph, uint32_t op, const char *name,
                          const ConfigNode *node, GError **error)
{
    g_autoptr(GPtrArray) names = NULL;
    const char *near;
    uint32_t lane;

    if (g_str_equal(name, PROGRAM_NO_LANE))
        return TRUE;
    if (find_lane_by_name(graph, name, &lane)) {
        op_graph_set_lane(graph, op, lane);
        return TRUE;
    }
    names = g_ptr_array_new();
    for (guint i = 0; i < graph->lanes->len; i++)
        g_ptr_array_add(names, (gpointer)op_graph_lane(graph, i)->name);
    g_ptr_array_add(names, NULL);
    near = words_find_nearest(name, (const char *const *)names->pdata);
    return set_lane_conflict_error(
        node, error,
        near ? g_strdup_printf("lane: there is no lane '%s'; did you "
                               "mean '%s'?",
                               name, near)
             : g_strdup_printf("lane: there is no lane '%s'", name));
}
