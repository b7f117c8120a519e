/*
 * program_groups.c - groups of the recording as groups of the program
 *
 * A set of ranks with a constant distance becomes a group by size and stride,
 * which contains all such sets.  Other sets are listed, and disjoint sets of
 * the same size form one group.  Ranks that exchange messages, directly or via
 * other ranks, form a set, too.
 */
#include "workloads/recording/trace_to_program/imported_program.h"

/* ---- sets ------------------------------------------------------------- */

static gboolean groups_are_same(const ImportedGroup *a, const ImportedGroup *b)
{
    return a->grouped_by == b->grouped_by && a->size == b->size &&
           a->stride == b->stride && a->dims_mask == b->dims_mask;
}

static uint32_t add_group_without_list(ImportedProgram *program,
                                       const ImportedGroup *group, char *name)
{
    ImportedGroup added = *group;

    for (guint i = 0; i < program->groups->len; i++)
        if (groups_are_same(imported_group(program, i), group)) {
            g_free(name);
            return i;
        }
    added.name = name;
    added.ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_val(program->groups, added);
    return program->groups->len - 1;
}

static uint32_t add_stride_group(ImportedProgram *program, uint32_t size,
                                 uint32_t stride)
{
    ImportedGroup group = { .grouped_by = GROUP_STRIDE,
                            .size = size,
                            .stride = stride };

    return add_group_without_list(
        program, &group,
        stride == 1 ? g_strdup_printf("by-%u", size)
                    : g_strdup_printf("by-%u-of-%u", size, stride));
}

/* Returns 1 if @group has exactly the set @ids, -1 if it has another set with
 * some of @ids, and 0 otherwise. */
static int compare_with_listed_sets(const ImportedGroup *group,
                                    const GArray *ids)
{
    for (guint list = 0; list * group->size < group->ids->len; list++) {
        guint n_common = 0, n_same = 0;

        for (guint i = 0; i < group->size; i++) {
            uint32_t id =
                g_array_index(group->ids, uint32_t, list * group->size + i);

            n_same += id == g_array_index(ids, uint32_t, i) ? 1 : 0;
            for (guint j = 0; j < ids->len; j++)
                n_common += id == g_array_index(ids, uint32_t, j) ? 1 : 0;
        }
        if (n_same == ids->len)
            return 1;
        if (n_common > 0)
            return -1;
    }
    return 0;
}

static uint32_t add_group_by_listed_ranks(ImportedProgram *program,
                                          const GArray *ids)
{
    ImportedGroup added = { .grouped_by = GROUP_LISTS, .size = ids->len };

    for (guint i = 0; i < program->groups->len; i++) {
        ImportedGroup *group = imported_group(program, i);
        int found = group->grouped_by == GROUP_LISTS && group->size == ids->len
                        ? compare_with_listed_sets(group, ids)
                        : -1;

        if (found == 0)
            g_array_append_vals(group->ids, ids->data, ids->len);
        if (found >= 0)
            return i;
    }
    added.ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_vals(added.ids, ids->data, ids->len);
    added.name = g_strdup_printf("list-%u", program->groups->len);
    g_array_append_val(program->groups, added);
    return program->groups->len - 1;
}

/* Returns the sets that are @ids, each moved by another number, and together
 * are all ranks, one after the other; or NULL if @ids has no such sets.  The
 * caller owns the array. */
static GArray *all_shifted_sets(const ImportedProgram *program,
                                const GArray *ids)
{
    g_autofree guint8 *is_taken = g_new0(guint8, (gsize)program->n_ranks + 1);
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint32_t least = UINT32_MAX;

    for (guint i = 0; i < ids->len; i++)
        least = MIN(least, g_array_index(ids, uint32_t, i));
    for (uint32_t npu = 0; npu < program->n_ranks; npu++) {
        if (is_taken[npu])
            continue;
        for (guint i = 0; i < ids->len; i++) {
            uint32_t id = g_array_index(ids, uint32_t, i) - least;

            if (id >= program->n_ranks - npu || is_taken[npu + id])
                return NULL;
            id += npu;
            is_taken[id] = 1;
            g_array_append_val(all, id);
        }
    }
    return g_steal_pointer(&all);
}

/* Returns the group of set @ids of the only rank, which represents all ranks:
 * the same set at all places.  If there is none, these are sets of neighbours,
 * or all ranks. */
static uint32_t add_group_of_one_rank(ImportedProgram *program,
                                      const GArray *ids)
{
    g_autoptr(GArray) all = all_shifted_sets(program, ids);
    uint32_t index;

    if (!all) {
        program->replay->report.n[REPORT_UNEVEN_GROUPS]++;
        return program->n_ranks % ids->len == 0
                   ? add_stride_group(program, ids->len, 1)
                   : OP_GROUP_ALL;
    }
    index = add_group_by_listed_ranks(program, ids);
    g_array_set_size(imported_group(program, index)->ids, 0);
    g_array_append_vals(imported_group(program, index)->ids, all->data,
                        all->len);
    return index;
}

/* Returns whether @ids is one of the sets of its size and *@stride that
 * partition all ranks: equally spaced, within a block that begins at a multiple
 * of its length. */
static gboolean set_is_by_stride(const ImportedProgram *program,
                                 const GArray *ids, uint32_t *stride)
{
    const uint32_t *id = (const uint32_t *)(gpointer)ids->data;
    uint32_t n = ids->len;

    *stride = n > 1 && id[1] > id[0] ? id[1] - id[0] : 1;
    for (uint32_t i = 1; i < n; i++)
        if (id[i] != id[0] + i * *stride)
            return FALSE;
    return id[0] % ((uint64_t)n * *stride) < *stride &&
           program->n_ranks % ((uint64_t)n * *stride) == 0;
}

/* Returns the group of set @ids.  With a single rank that represents all, the
 * set represents all sets. */
static uint32_t add_group_of_rank_set(ImportedProgram *program,
                                      const GArray *ids)
{
    uint32_t stride;

    if (set_is_by_stride(program, ids, &stride))
        return add_stride_group(program, ids->len, stride);
    if (program->replay->recording->ranks->len == 1)
        return add_group_of_one_rank(program, ids);
    return add_group_by_listed_ranks(program, ids);
}

/* ---- groups of collectives -------------------------------------------- */

uint32_t imported_npu_of_rank(const ImportedProgram *program, uint32_t id)
{
    if (program->has_missing)
        return id;
    for (guint r = 0; r < program->replay->recording->ranks->len; r++)
        if (record_rank(program->replay->recording, r)->rank == id)
            return program->npu_of[r];
    return program->replay->recording->ranks->len == 1 ? id : UINT32_MAX;
}

/* Returns the group of the listed set with rank @id.  If the recorded ranks are
 * taken as the whole world, the set is reduced to them. */
static uint32_t group_of_listed_set(ImportedProgram *program,
                                    const OpGroup *group, uint32_t id)
{
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint32_t set, place;

    if (!record_find_rank_in_group(group, id, &set, &place))
        return OP_GROUP_ALL;
    for (uint32_t i = 0; i < group->size; i++) {
        uint32_t npu =
            imported_npu_of_rank(program, group->ids[set * group->size + i]);

        if (npu < program->n_ranks)
            g_array_append_val(ids, npu);
    }
    if (ids->len == program->n_ranks || ids->len == 0)
        return OP_GROUP_ALL;
    return add_group_of_rank_set(program, ids);
}

static uint32_t group_of_stride(ImportedProgram *program, const OpGroup *group)
{
    uint32_t stride = MAX(group->stride, 1);
    uint32_t size = group->size > 0 ? group->size : program->n_ranks / stride;

    if ((uint64_t)size * stride == program->n_ranks && stride == 1)
        return OP_GROUP_ALL;
    return add_stride_group(program, MAX(size, 1), stride);
}

static uint32_t group_of_collective(ImportedProgram *program,
                                    const RecordInstance *instance)
{
    const RecordMember *one =
        record_member(program->replay->match, instance, 0);
    uint32_t id = record_rank(program->replay->recording, one->rank)->rank;
    const OpGroup *group;

    if (instance->group == RECORD_NONE)
        return OP_GROUP_ALL;
    group = &g_array_index(program->replay->recording->groups, OpGroup,
                           instance->group);
    if (group->grouped_by == GROUP_LISTS)
        return group_of_listed_set(program, group, id);
    if (group->grouped_by == GROUP_STRIDE)
        return group_of_stride(program, group);
    if (group->grouped_by == GROUP_DIMS)
        return add_group_without_list(
            program,
            &(ImportedGroup){ .grouped_by = GROUP_DIMS,
                              .dims_mask = group->dims_mask },
            g_strdup_printf("dims-%x", group->dims_mask));
    return OP_GROUP_ALL;
}

/* ---- groups of messages ----------------------------------------------- */

/* Returns the first rank of the component of @rank: ranks that exchange
 * messages. */
static uint32_t first_rank_of_component(const ImportedProgram *program,
                                        uint32_t rank)
{
    while (program->component[rank] != rank)
        rank = program->component[rank];
    return rank;
}

static void join_message_ranks(ImportedProgram *program)
{
    const RecordMatch *match = program->replay->match;

    for (guint i = 0; i < match->instances->len; i++) {
        const RecordInstance *instance = record_instance(match, i);
        uint32_t a, b;

        if (instance->kind != COLL_SEND || instance->n != 2)
            continue;
        a = first_rank_of_component(program,
                                    record_member(match, instance, 0)->rank);
        b = first_rank_of_component(program,
                                    record_member(match, instance, 1)->rank);
        program->component[MAX(a, b)] = MIN(a, b);
    }
}

/* Returns the NPUs of the component of @rank, ascending.  The caller owns the
 * array. */
static GArray *npus_of_connected_component(const ImportedProgram *program,
                                           uint32_t rank)
{
    GArray *ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t place = 0; place < program->n_ranks; place++)
        for (guint r = 0; r < program->replay->ranks->len; r++)
            if (program->npu_of[r] == place &&
                first_rank_of_component(program, r) ==
                    first_rank_of_component(program, rank))
                g_array_append_val(ids, place);
    return ids;
}

/* Returns the group of a message.  @groups caches the group of each component,
 * by its first rank. */
static uint32_t group_of_message(ImportedProgram *program,
                                 const RecordInstance *instance,
                                 uint32_t *groups)
{
    uint32_t root = first_rank_of_component(
        program, record_member(program->replay->match, instance, 0)->rank);

    if (groups[root] == RECORD_NONE) {
        g_autoptr(GArray) ids = npus_of_connected_component(program, root);

        groups[root] = add_group_of_rank_set(program, ids);
    }
    return groups[root];
}

static void index_connected_components(ImportedProgram *program)
{
    for (guint r = 0; r < program->replay->ranks->len; r++) {
        g_autoptr(GArray) ids = npus_of_connected_component(program, r);

        for (guint i = 0; i < ids->len; i++)
            if (g_array_index(ids, uint32_t, i) == program->npu_of[r])
                program->index_in_component[r] = i;
    }
}

/* ---- all groups -------------------------------------------------------- */

uint32_t imported_group_index(const ImportedProgram *program, uint32_t group,
                              uint32_t npu)
{
    const ImportedGroup *g = imported_group(program, group);

    if (g->grouped_by == GROUP_STRIDE)
        return npu / g->stride % g->size;
    for (guint i = 0; g->grouped_by == GROUP_LISTS && i < g->ids->len; i++)
        if (g_array_index(g->ids, uint32_t, i) == npu)
            return i % g->size;
    return npu;
}

void imported_find_groups(ImportedProgram *program)
{
    const RecordMatch *match = program->replay->match;
    guint n = match->instances->len, n_ranks = program->replay->ranks->len;
    g_autofree uint32_t *groups = g_new(uint32_t, n_ranks + 1);

    (void)add_group_without_list(
        program, &(ImportedGroup){ .grouped_by = GROUP_ALL }, g_strdup("all"));
    program->group_of = g_new0(uint32_t, n + 1);
    program->component = g_new0(uint32_t, n_ranks + 1);
    program->index_in_component = g_new0(uint32_t, n_ranks + 1);
    for (guint r = 0; r < n_ranks; r++) {
        program->component[r] = r;
        groups[r] = RECORD_NONE;
    }
    join_message_ranks(program);
    index_connected_components(program);
    for (guint i = 0; i < n; i++) {
        const RecordInstance *instance = record_instance(match, i);

        if (instance->kind != COLL_SEND)
            program->group_of[i] = group_of_collective(program, instance);
        else if (instance->n == 2)
            program->group_of[i] = group_of_message(program, instance, groups);
    }
}
