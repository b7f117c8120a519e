/*
 * missing_ranks.c - operations and groups of ranks that were not recorded
 *
 * Most jobs are profiled on some ranks only.  The groups of the recording
 * determine which recorded rank an unrecorded rank copies, by the first rule
 * that applies:
 *
 *   1. If the rank is in a group with recorded ranks, it copies the nearest of
 *      them.  The largest such group counts, except a group of all ranks.
 *   2. A group by size and stride represents all such groups.  In its own
 *      group, the rank copies what another member copies by rule 1 or 2.
 *   3. If these rules apply to the first n ranks and to no others, each block
 *      of n ranks copies the first n ranks.
 *   4. Otherwise, the rank copies the recorded rank with the next lower number.
 *
 * A group without collectives, or in which recorded ranks have different roles,
 * such as that of a pipeline, is ignored.  The groups of an unrecorded rank are
 * those of the copied rank, shifted by the difference of their numbers.
 */
#include "workloads/recording/trace_to_program/imported_program.h"

/* ---- the recorded rank that each NPU copies ---------------------------- */

static uint32_t rank_distance(uint32_t a, uint32_t b)
{
    return MAX(a, b) - MIN(a, b);
}

/* Returns whether recorded ranks of @ids have different roles. */
static gboolean rank_set_spans_several_roles(const ImportedProgram *program,
                                             const uint32_t *recorded,
                                             const uint32_t *ids, uint32_t n)
{
    uint32_t role = RECORD_NONE;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = ids[i] < program->n_ranks ? recorded[ids[i]] : RECORD_NONE;

        if (r == RECORD_NONE)
            continue;
        if (role != RECORD_NONE &&
            replay_rank(program->replay, r)->role != role)
            return TRUE;
        role = replay_rank(program->replay, r)->role;
    }
    return FALSE;
}

/* Returns the recorded rank of @ids that is nearest to NPU @npu, or
 * RECORD_NONE. */
static uint32_t nearest_recorded_rank(const ImportedProgram *program,
                                      const uint32_t *recorded,
                                      const uint32_t *ids, uint32_t n,
                                      uint32_t npu)
{
    uint32_t best = RECORD_NONE;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = ids[i] < program->n_ranks ? recorded[ids[i]] : RECORD_NONE;

        if (r != RECORD_NONE && (best == RECORD_NONE ||
                                 rank_distance(ids[i], npu) <
                                     rank_distance(program->npu_of[best], npu)))
            best = r;
    }
    return best;
}

/* Returns, for each group of the recording, whether its ranks do a collective.
 * Ranks that only send each other messages, such as stages of a pipeline, do
 * different work.  The caller owns the array. */
static guint8 *groups_with_collectives(const ImportedProgram *program)
{
    const RecordMatch *match = program->replay->match;
    guint8 *has = g_new0(guint8, program->replay->recording->groups->len + 1);

    for (guint i = 0; i < match->instances->len; i++) {
        const RecordInstance *instance = record_instance(match, i);

        if (instance->group != RECORD_NONE && instance->kind != COLL_SEND)
            has[instance->group] = 1;
    }
    return has;
}

/* Applies rule 1 of the file head to a set of ranks.  @sizes holds, for each
 * NPU, the size of the group that determined its source. */
static void copy_nearest_in_set(ImportedProgram *program,
                                const uint32_t *recorded, const uint32_t *ids,
                                uint32_t n, uint32_t *sizes)
{
    if (n >= program->n_ranks ||
        rank_set_spans_several_roles(program, recorded, ids, n))
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t source;

        if (ids[i] >= program->n_ranks || recorded[ids[i]] != RECORD_NONE ||
            sizes[ids[i]] >= n)
            continue;
        source = nearest_recorded_rank(program, recorded, ids, n, ids[i]);
        if (source == RECORD_NONE)
            continue;
        program->source_of_npu[ids[i]] = source;
        sizes[ids[i]] = n;
    }
}

/* Returns the constant distance of the members of @ids, if the set is one of
 * the sets of that size and stride that partition all ranks; otherwise 0. */
static uint32_t constant_stride_of_rank_set(const uint32_t *ids, uint32_t n)
{
    if (n < 2 || ids[1] <= ids[0])
        return 0;
    for (uint32_t i = 2; i < n; i++)
        if (ids[i] <= ids[i - 1] || ids[i] - ids[i - 1] != ids[1] - ids[0])
            return 0;
    if (ids[0] % ((uint64_t)n * (ids[1] - ids[0])) >= ids[1] - ids[0])
        return 0;
    return ids[1] - ids[0];
}

/* Applies rule 2 of the file head once.  Returns whether it set the source of
 * some NPU. */
static gboolean copy_ranks_by_stride(ImportedProgram *program, uint32_t size,
                                     uint32_t stride)
{
    gboolean has_found = FALSE;

    if ((uint64_t)size * stride > program->n_ranks ||
        program->n_ranks % (size * stride) != 0)
        return FALSE;
    for (uint32_t npu = 0; npu < program->n_ranks; npu++) {
        uint32_t first = npu - npu / stride % size * stride;

        for (uint32_t i = 0;
             i < size && program->source_of_npu[npu] == RECORD_NONE; i++) {
            program->source_of_npu[npu] =
                program->source_of_npu[first + i * stride];
            has_found |= program->source_of_npu[npu] != RECORD_NONE;
        }
    }
    return has_found;
}

static const OpGroup *recorded_group_at(const ImportedProgram *program, guint i)
{
    return &g_array_index(program->replay->recording->groups, OpGroup, i);
}

static gboolean copy_ranks_by_all_strides(ImportedProgram *program,
                                          const uint32_t *recorded,
                                          const guint8 *has_collectives)
{
    gboolean has_found = FALSE;

    for (guint g = 0; g < program->replay->recording->groups->len; g++) {
        const OpGroup *group = recorded_group_at(program, g);
        uint32_t stride =
            group->grouped_by == GROUP_LISTS && group->n_lists > 0
                ? constant_stride_of_rank_set(group->ids, group->size)
                : 0;

        if (group->grouped_by == GROUP_STRIDE && group->size > 0)
            stride = MAX(group->stride, 1);
        if (stride > 0 && group->size < program->n_ranks &&
            has_collectives[g] &&
            (group->grouped_by == GROUP_STRIDE ||
             !rank_set_spans_several_roles(program, recorded, group->ids,
                                           group->size)))
            has_found |= copy_ranks_by_stride(program, group->size, stride);
    }
    return has_found;
}

/* Applies rule 3 of the file head to the NPUs without a source. */
static void copy_ranks_by_block(ImportedProgram *program)
{
    uint32_t n = 0;

    while (n < program->n_ranks && program->source_of_npu[n] != RECORD_NONE)
        n++;
    for (uint32_t npu = n; npu < program->n_ranks; npu++)
        if (program->source_of_npu[npu] != RECORD_NONE)
            return;
    for (uint32_t npu = n;
         n > 0 && program->n_ranks % n == 0 && npu < program->n_ranks; npu++)
        program->source_of_npu[npu] = program->source_of_npu[npu - n];
}

/* Makes each NPU without a source copy the recorded rank with the next lower
 * number, or the first one.  This is rule 4 of the file head. */
static void copy_ranks_by_number(ImportedProgram *program,
                                 const uint32_t *recorded)
{
    uint32_t source = RECORD_NONE;

    for (uint32_t npu = 0; npu < program->n_ranks && source == RECORD_NONE;
         npu++)
        source = recorded[npu];
    for (uint32_t npu = 0; npu < program->n_ranks; npu++) {
        if (recorded[npu] != RECORD_NONE)
            source = recorded[npu];
        if (program->source_of_npu[npu] == RECORD_NONE)
            program->source_of_npu[npu] = source;
    }
}

void imported_find_copied_ranks(ImportedProgram *program)
{
    g_autofree uint32_t *recorded =
        g_new(uint32_t, (gsize)program->n_ranks + 1);
    g_autofree uint32_t *sizes = g_new0(uint32_t, (gsize)program->n_ranks + 1);
    g_autofree guint8 *has_collectives = groups_with_collectives(program);

    g_free(program->source_of_npu);
    program->source_of_npu = g_new(uint32_t, (gsize)program->n_ranks + 1);
    for (uint32_t npu = 0; npu < program->n_ranks; npu++)
        recorded[npu] = RECORD_NONE;
    for (guint r = 0; r < program->replay->ranks->len; r++)
        if (program->npu_of[r] < program->n_ranks)
            recorded[program->npu_of[r]] = r;
    for (uint32_t npu = 0; npu < program->n_ranks; npu++)
        program->source_of_npu[npu] = recorded[npu];
    for (guint g = 0;
         program->has_missing && g < program->replay->recording->groups->len;
         g++) {
        const OpGroup *group = recorded_group_at(program, g);

        if (group->grouped_by != GROUP_LISTS || !has_collectives[g])
            continue;
        for (uint32_t list = 0; list < group->n_lists; list++)
            copy_nearest_in_set(program, recorded,
                                group->ids + list * group->size, group->size,
                                sizes);
    }
    while (program->has_missing &&
           copy_ranks_by_all_strides(program, recorded, has_collectives))
        ;
    copy_ranks_by_block(program);
    copy_ranks_by_number(program, recorded);
}

/* ---- groups ------------------------------------------------------------ */

static gboolean group_has_member(const ImportedGroup *group, uint32_t npu)
{
    for (guint i = 0; i < group->ids->len; i++)
        if (g_array_index(group->ids, uint32_t, i) == npu)
            return TRUE;
    return FALSE;
}

/* Adds the set of the rank that @npu copies to @group, shifted to @npu, unless
 * it overlaps an existing set. */
static void add_group_with_shifted_ranks(const ImportedProgram *program,
                                         ImportedGroup *group, uint32_t npu)
{
    uint32_t from = program->npu_of[program->source_of_npu[npu]];
    g_autoptr(GArray) shifted = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    guint first = 0;

    while (first < group->ids->len &&
           g_array_index(group->ids, uint32_t, first) != from)
        first++;
    if (first == group->ids->len)
        return;
    first -= first % group->size;
    for (guint i = 0; i < group->size; i++) {
        int64_t id = (int64_t)g_array_index(group->ids, uint32_t, first + i) +
                     npu - from;
        uint32_t added = (uint32_t)id;

        if (id < 0 || id >= program->n_ranks || group_has_member(group, added))
            return;
        g_array_append_val(shifted, added);
    }
    g_array_append_vals(group->ids, shifted->data, shifted->len);
}

/* Returns for each group whether @role has an operation in it.  The caller owns
 * the array. */
static guint8 *groups_of_role(const ImportedProgram *program,
                              const ImportedRole *role)
{
    guint8 *has = g_new0(guint8, program->groups->len + 1);
    const ReplayRank *source = imported_first_rank_of_role(program, role);

    for (uint32_t i = 0; i < source->ops->len; i++)
        if (replay_op(source, i)->kind == REPLAY_SHARED)
            has[program->group_of[replay_op(source, i)->instance]] = 1;
    return has;
}

static gboolean group_is_complete(const ImportedProgram *program,
                                  const ImportedGroup *group,
                                  guint8 *const *has, guint g)
{
    for (guint i = 0; i < group->ids->len; i++) {
        uint32_t npu = g_array_index(group->ids, uint32_t, i);

        if (!has[replay_rank(program->replay, program->source_of_npu[npu])
                     ->role][g])
            return FALSE;
    }
    for (uint32_t npu = 0; npu < program->n_ranks; npu++)
        if (has[replay_rank(program->replay, program->source_of_npu[npu])->role]
               [g] &&
            !group_has_member(group, npu))
            return FALSE;
    return TRUE;
}

gboolean imported_complete_groups(ImportedProgram *program)
{
    g_autoptr(GPtrArray) has = g_ptr_array_new_with_free_func(g_free);
    gboolean ok = TRUE;

    if (!program->has_missing)
        return TRUE;
    for (guint i = 0; i < program->roles->len; i++)
        g_ptr_array_add(has,
                        groups_of_role(program, imported_role(program, i)));
    for (guint g = 0; ok && g < program->groups->len; g++) {
        ImportedGroup *group = imported_group(program, g);

        if (group->grouped_by != GROUP_LISTS)
            continue;
        for (uint32_t npu = 0; npu < program->n_ranks; npu++)
            if (!group_has_member(group, npu))
                add_group_with_shifted_ranks(program, group, npu);
        ok = group_is_complete(program, group, (guint8 *const *)has->pdata, g);
    }
    return ok;
}
