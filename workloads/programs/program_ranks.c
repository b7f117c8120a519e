/* program_ranks.c - adds groups and roles of a program to the graph */
#include "workloads/programs/program_state.h"

static gboolean set_rank_conflict_error(const ConfigNode *where, GError **error,
                                        char *text)
{
    config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

/* Returns the ids of @list; owner: the caller. */
static uint32_t *npu_ids_of_list(const ConfigList *list)
{
    const uint64_t *from = list->items;
    uint32_t *ids = g_new(uint32_t, list->n);

    for (guint i = 0; i < list->n; i++)
        ids[i] = (uint32_t)from[i];
    return ids;
}

/* ---- groups ----------------------------------------------------------- */

/* Returns in how many ways (dims, size and ranks) the group is given.  Only 1
 * is valid. */
static int count_ways_group_is_given(const ProgramGroup *group)
{
    return (group->dims.n > 0) + (group->size != CONFIG_AUTO) +
           (group->ranks.n > 0);
}

static gboolean check_program_group(const ProgramGroup *group,
                                    const OpGraph *graph, GError **error)
{
    for (guint i = 0; i < graph->groups->len; i++)
        if (g_str_equal(op_graph_group(graph, i)->name, group->name))
            return set_rank_conflict_error(
                group->node, error,
                i == OP_GROUP_ALL
                    ? g_strdup("name: 'all' is the group of all NPUs")
                    : g_strdup_printf("name: there are two groups '%s'",
                                      group->name));
    if (count_ways_group_is_given(group) != 1)
        return set_rank_conflict_error(
            group->node, error,
            g_strdup_printf(
                "name: group '%s' needs one of 'dims', "
                "'size' and 'ranks'%s",
                group->name,
                count_ways_group_is_given(group) > 1 ? ", not several" : ""));
    return TRUE;
}

static gboolean add_explicit_rank_lists(const ProgramGroup *group,
                                        OpGroup *added, GError **error)
{
    const ConfigList *lists = group->ranks.items;
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (guint i = 0; i < group->ranks.n; i++) {
        g_autofree uint32_t *some = npu_ids_of_list(&lists[i]);

        if (lists[i].n != lists[0].n)
            return set_rank_conflict_error(
                lists[i].node, error,
                g_strdup_printf("%u NPUs in a group of '%s', and %u in "
                                "its first: all are equally large",
                                lists[i].n, group->name, lists[0].n));
        g_array_append_vals(ids, some, lists[i].n);
    }
    added->grouped_by = GROUP_LISTS;
    added->size = lists[0].n;
    added->n_lists = group->ranks.n;
    added->ids =
        (uint32_t *)(gpointer)g_array_free(g_steal_pointer(&ids), FALSE);
    return TRUE;
}

static gboolean add_program_group(const ProgramGroup *group, OpGraph *graph,
                                  GError **error)
{
    const int *dims = group->dims.items;
    OpGroup added = { .name = group->name,
                      .node = group->node,
                      .grouped_by = GROUP_STRIDE,
                      .size = (uint32_t)group->size,
                      .stride = (uint32_t)group->stride };

    if (!check_program_group(group, graph, error))
        return FALSE;
    if (group->dims.n > 0)
        added.grouped_by = GROUP_DIMS;
    for (guint i = 0; i < group->dims.n; i++)
        added.dims_mask |= 1U << dims[i];
    if (group->ranks.n > 0 && !add_explicit_rank_lists(group, &added, error))
        return FALSE;
    op_graph_add_group(graph, &added);
    g_free(added.ids);
    return TRUE;
}

gboolean program_add_groups(const Program *program, OpGraph *graph,
                            GError **error)
{
    const ProgramGroup *groups = program->groups.items;

    for (guint i = 0; i < program->groups.n; i++)
        if (!add_program_group(&groups[i], graph, error))
            return FALSE;
    return TRUE;
}

/* ---- roles ------------------------------------------------------------ */

static gboolean check_ranks_of_role(const ProgramRole *role, GError **error)
{
    const ProgramRanks *ranks = &role->ranks;
    int n =
        (ranks->dim > 0) + (ranks->size != CONFIG_AUTO) + (ranks->list.n > 0);

    if (n > 1)
        return set_rank_conflict_error(
            role->node, error,
            g_strdup("ranks: one of 'dim', 'size' and 'list', not "
                     "several"));
    if (ranks->size != CONFIG_AUTO && ranks->first >= ranks->size)
        return set_rank_conflict_error(
            role->node, error,
            g_strdup("ranks: 'at' must be less than 'size', because "
                     "it is counted from 0"));
    if (ranks->last != CONFIG_AUTO && ranks->last < ranks->first)
        return set_rank_conflict_error(
            role->node, error, g_strdup("ranks: 'last' is not before 'at'"));
    return TRUE;
}

static gboolean add_program_role(const ProgramRole *role, OpGraph *graph,
                                 GError **error)
{
    const ProgramRanks *ranks = &role->ranks;
    OpRole added = { .name = role->name, .node = role->node };

    if (!check_ranks_of_role(role, error))
        return FALSE;
    if (ranks->dim > 0) {
        added.ranks_by = RANKS_DIM;
        added.dim = (uint32_t)ranks->dim - 1;
        added.first = (uint32_t)ranks->first;
        added.last =
            ranks->last == CONFIG_AUTO ? added.first : (uint32_t)ranks->last;
    } else if (ranks->size != CONFIG_AUTO) {
        added.ranks_by = RANKS_STRIDE;
        added.size = (uint32_t)ranks->size;
        added.stride = (uint32_t)ranks->stride;
        added.remainder = (uint32_t)ranks->first;
    } else if (ranks->list.n > 0) {
        added.ranks_by = RANKS_LIST;
        added.n_ids = ranks->list.n;
        added.ids = npu_ids_of_list(&ranks->list);
    }
    op_graph_add_role(graph, &added);
    g_free(added.ids);
    return TRUE;
}

gboolean program_add_roles(const Program *program, OpGraph *graph,
                           GError **error)
{
    const ProgramRole *roles = program->roles.items;

    for (guint i = 0; i < program->roles.n; i++) {
        for (guint j = 0; j < i; j++)
            if (g_str_equal(roles[i].name, roles[j].name))
                return set_rank_conflict_error(
                    roles[i].node, error,
                    g_strdup_printf("name: there are two roles '%s'",
                                    roles[i].name));
        if (!add_program_role(&roles[i], graph, error))
            return FALSE;
    }
    return TRUE;
}
