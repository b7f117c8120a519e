/*
 * missing.c - ranks of the world that were not recorded
 *
 * Most jobs are profiled on some ranks.  Which operations another rank has is
 * inferred from the groups of the recording, by the first of these rules that
 * applies:
 *
 *   1. It is in a group with recorded ranks: it does what the nearest of them
 *      does.  The largest group counts, but not one of all ranks.
 *   2. A group by size and stride stands for all such groups: in its own one it
 *      does what another member does, for which rule 1 or 2 applies.
 *   3. If these rules say it of the first n ranks and of no other, every n
 * ranks do what the first n do.
 *   4. It does what the recorded rank with the next lower number does.
 *
 * A group in which recorded ranks have different roles (a pipeline's) says
 * nothing about likeness.  The groups of a rank that was not recorded are those
 * of the recorded one, moved by the difference of their numbers.
 */
#include "workloads/recording/take/script.h"

/* ---- which recorded rank each does as ---------------------------------- */

static uint32_t distance(uint32_t a, uint32_t b)
{
    return MAX(a, b) - MIN(a, b);
}

/* TRUE: @ids has recorded ranks of different roles. */
static gboolean is_across_roles(const Script *s, const uint32_t *recorded,
                                const uint32_t *ids, uint32_t n)
{
    uint32_t role = RECORD_NONE;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = ids[i] < s->n_ranks ? recorded[ids[i]] : RECORD_NONE;

        if (r == RECORD_NONE)
            continue;
        if (role != RECORD_NONE && take_rank(s->take, r)->role != role)
            return TRUE;
        role = take_rank(s->take, r)->role;
    }
    return FALSE;
}

/* The recorded rank of @ids that is nearest to NPU @npu; RECORD_NONE. */
static uint32_t nearest(const Script *s, const uint32_t *recorded,
                        const uint32_t *ids, uint32_t n, uint32_t npu)
{
    uint32_t best = RECORD_NONE;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = ids[i] < s->n_ranks ? recorded[ids[i]] : RECORD_NONE;

        if (r != RECORD_NONE &&
            (best == RECORD_NONE ||
             distance(ids[i], npu) < distance(s->place_of[best], npu)))
            best = r;
    }
    return best;
}

/* Rule 1.  @sizes: of the group by which .likes of an NPU was found. */
static void like_in_set(Script *s, const uint32_t *recorded,
                        const uint32_t *ids, uint32_t n, uint32_t *sizes)
{
    if (n >= s->n_ranks || is_across_roles(s, recorded, ids, n))
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t like;

        if (ids[i] >= s->n_ranks || recorded[ids[i]] != RECORD_NONE ||
            sizes[ids[i]] >= n)
            continue;
        like = nearest(s, recorded, ids, n, ids[i]);
        if (like == RECORD_NONE)
            continue;
        s->likes[ids[i]] = like;
        sizes[ids[i]] = n;
    }
}

/* How far apart the members of @ids are, if all are as far and the set is one
 * of those that divide all ranks so; else 0. */
static uint32_t stride_of(const uint32_t *ids, uint32_t n)
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

/* Rule 2, once.  TRUE: .likes of some NPU was found. */
static gboolean like_by_stride(Script *s, uint32_t size, uint32_t stride)
{
    gboolean found = FALSE;

    if ((uint64_t)size * stride > s->n_ranks ||
        s->n_ranks % (size * stride) != 0)
        return FALSE;
    for (uint32_t npu = 0; npu < s->n_ranks; npu++) {
        uint32_t first = npu - npu / stride % size * stride;

        for (uint32_t i = 0; i < size && s->likes[npu] == RECORD_NONE; i++) {
            s->likes[npu] = s->likes[first + i * stride];
            found |= s->likes[npu] != RECORD_NONE;
        }
    }
    return found;
}

static const OpGroup *group_at(const Script *s, guint i)
{
    return &g_array_index(s->take->recording->groups, OpGroup, i);
}

static gboolean like_by_strides(Script *s, const uint32_t *recorded)
{
    gboolean found = FALSE;

    for (guint g = 0; g < s->take->recording->groups->len; g++) {
        const OpGroup *group = group_at(s, g);
        uint32_t stride = group->by == GROUP_LISTS && group->n_lists > 0
                              ? stride_of(group->ids, group->size)
                              : 0;

        if (group->by == GROUP_STRIDE && group->size > 0)
            stride = MAX(group->stride, 1);
        if (stride > 0 && group->size < s->n_ranks &&
            (group->by == GROUP_STRIDE ||
             !is_across_roles(s, recorded, group->ids, group->size)))
            found |= like_by_stride(s, group->size, stride);
    }
    return found;
}

/* Rule 3. */
static void like_by_block(Script *s)
{
    uint32_t n = 0;

    while (n < s->n_ranks && s->likes[n] != RECORD_NONE)
        n++;
    for (uint32_t npu = n; npu < s->n_ranks; npu++)
        if (s->likes[npu] != RECORD_NONE)
            return;
    for (uint32_t npu = n; n > 0 && s->n_ranks % n == 0 && npu < s->n_ranks;
         npu++)
        s->likes[npu] = s->likes[npu - n];
}

/* Rule 4. */
static void like_by_number(Script *s, const uint32_t *recorded)
{
    uint32_t like = RECORD_NONE;

    for (uint32_t npu = 0; npu < s->n_ranks && like == RECORD_NONE; npu++)
        like = recorded[npu];
    for (uint32_t npu = 0; npu < s->n_ranks; npu++) {
        if (recorded[npu] != RECORD_NONE)
            like = recorded[npu];
        if (s->likes[npu] == RECORD_NONE)
            s->likes[npu] = like;
    }
}

void script_find_likes(Script *s)
{
    g_autofree uint32_t *recorded = g_new(uint32_t, (gsize)s->n_ranks + 1);
    g_autofree uint32_t *sizes = g_new0(uint32_t, (gsize)s->n_ranks + 1);

    g_free(s->likes);
    s->likes = g_new(uint32_t, (gsize)s->n_ranks + 1);
    for (uint32_t npu = 0; npu < s->n_ranks; npu++)
        recorded[npu] = RECORD_NONE;
    for (guint r = 0; r < s->take->ranks->len; r++)
        if (s->place_of[r] < s->n_ranks)
            recorded[s->place_of[r]] = r;
    for (uint32_t npu = 0; npu < s->n_ranks; npu++)
        s->likes[npu] = recorded[npu];
    for (guint g = 0; s->has_missing && g < s->take->recording->groups->len;
         g++)
        for (uint32_t list = 0; group_at(s, g)->by == GROUP_LISTS &&
                                list < group_at(s, g)->n_lists;
             list++)
            like_in_set(s, recorded,
                        group_at(s, g)->ids + list * group_at(s, g)->size,
                        group_at(s, g)->size, sizes);
    while (s->has_missing && like_by_strides(s, recorded))
        ;
    like_by_block(s);
    like_by_number(s, recorded);
}

/* ---- their groups -------------------------------------------------------- */

static gboolean has_member(const TakeGroup *group, uint32_t npu)
{
    for (guint i = 0; i < group->ids->len; i++)
        if (g_array_index(group->ids, uint32_t, i) == npu)
            return TRUE;
    return FALSE;
}

/* Adds the set of .likes of @npu to @group, moved to @npu; nothing, if it does
 * not fit beside the sets that are there. */
static void add_moved(const Script *s, TakeGroup *group, uint32_t npu)
{
    uint32_t from = s->place_of[s->likes[npu]];
    g_autoptr(GArray) moved = g_array_new(FALSE, FALSE, sizeof(uint32_t));
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

        if (id < 0 || id >= s->n_ranks || has_member(group, added))
            return;
        g_array_append_val(moved, added);
    }
    g_array_append_vals(group->ids, moved->data, moved->len);
}

/* By group: whether the role has an operation in it.  Owner: the caller. */
static guint8 *groups_of_role(const Script *s, const TakeRole *role)
{
    guint8 *has = g_new0(guint8, s->groups->len + 1);
    const TakeRank *like = script_like(s, role);

    for (uint32_t i = 0; i < like->ops->len; i++)
        if (take_op(like, i)->kind == TAKE_SHARED)
            has[s->group_of[take_op(like, i)->instance]] = 1;
    return has;
}

static gboolean is_complete(const Script *s, const TakeGroup *group,
                            guint8 *const *has, guint g)
{
    for (guint i = 0; i < group->ids->len; i++) {
        uint32_t npu = g_array_index(group->ids, uint32_t, i);

        if (!has[take_rank(s->take, s->likes[npu])->role][g])
            return FALSE;
    }
    for (uint32_t npu = 0; npu < s->n_ranks; npu++)
        if (has[take_rank(s->take, s->likes[npu])->role][g] &&
            !has_member(group, npu))
            return FALSE;
    return TRUE;
}

gboolean script_complete_groups(Script *s)
{
    g_autoptr(GPtrArray) has = g_ptr_array_new_with_free_func(g_free);
    gboolean ok = TRUE;

    if (!s->has_missing)
        return TRUE;
    for (guint i = 0; i < s->roles->len; i++)
        g_ptr_array_add(has, groups_of_role(s, script_role(s, i)));
    for (guint g = 0; ok && g < s->groups->len; g++) {
        TakeGroup *group = script_group(s, g);

        if (group->by != GROUP_LISTS)
            continue;
        for (uint32_t npu = 0; npu < s->n_ranks; npu++)
            if (!has_member(group, npu))
                add_moved(s, group, npu);
        ok = is_complete(s, group, (guint8 *const *)has->pdata, g);
    }
    return ok;
}
