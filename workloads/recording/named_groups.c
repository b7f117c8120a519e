/*
 * named_groups.c - infers the members of groups that traces only name
 *
 * The two rules of the header are applied in order, after all files have been
 * read.
 */
#include "workloads/recording/named_groups.h"

static uint32_t number_of_all_ranks(const Recording *recording)
{
    return MAX(recording->n_world, recording->ranks->len);
}

/* Returns, for each group name, the ranks that use it, in the order of the
 * recording.  The caller owns the table. */
static GHashTable *list_ranks_by_group_name(const Recording *recording)
{
    GHashTable *names =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);

    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);

        for (guint c = 0; c < rank->comms->len; c++) {
            const RecordComm *comm = &g_array_index(rank->comms, RecordComm, c);
            uint64_t id = rank->rank;
            GArray *ids;

            if (comm->group != RECORD_NONE || !comm->group_name)
                continue;
            ids = g_hash_table_lookup(names, comm->group_name);
            if (!ids) {
                ids = g_array_new(FALSE, FALSE, sizeof(uint64_t));
                g_hash_table_insert(names, (gpointer)comm->group_name, ids);
            }
            if (ids->len == 0 ||
                g_array_index(ids, uint64_t, ids->len - 1) != id)
                g_array_append_val(ids, id);
        }
    }
    return names;
}

static int compare_rank_numbers(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static uint32_t add_listed_group(Recording *recording, GArray *ids,
                                 const char *name)
{
    OpGroup group = { .name = name, .grouped_by = GROUP_LISTS, .n_lists = 1 };

    g_array_sort(ids, compare_rank_numbers);
    group.size = ids->len;
    group.ids = g_new(uint32_t, ids->len);
    for (guint i = 0; i < ids->len; i++)
        group.ids[i] = (uint32_t)g_array_index(ids, uint64_t, i);
    return record_add_group(recording, &group);
}

/* Returns the inferred group of @comm, or RECORD_NONE if it cannot be
 * inferred. */
static uint32_t infer_group_members(Recording *recording,
                                    const RecordComm *comm, GArray *ids)
{
    uint32_t n = number_of_all_ranks(recording), size = comm->group_size,
             before;
    uint32_t group = RECORD_NONE;

    if (ids && ids->len < recording->ranks->len &&
        (size == 0 || size == ids->len)) {
        before = recording->groups->len;
        group = add_listed_group(recording, ids, comm->group_name);
        recording->n_named_groups += recording->groups->len - before;
    } else if (size > 0 && size < n && n % size == 0) {
        OpGroup added = { .name = "sized",
                          .grouped_by = GROUP_STRIDE,
                          .size = size,
                          .stride = 1 };

        before = recording->groups->len;
        group = record_add_group(recording, &added);
        recording->n_sized_groups += recording->groups->len - before;
    }
    return group;
}

static gboolean all_ranks_have_numbers(const Recording *recording)
{
    for (guint r = 0; r < recording->ranks->len; r++)
        if (record_rank(recording, r)->rank == RECORD_NO_RANK)
            return FALSE;
    return TRUE;
}

void record_resolve_groups(Recording *recording)
{
    g_autoptr(GHashTable) names = list_ranks_by_group_name(recording);
    gboolean is_numbered = all_ranks_have_numbers(recording);

    for (guint r = 0; r < recording->ranks->len; r++) {
        RecordRank *rank = record_rank(recording, r);

        for (guint c = 0; c < rank->comms->len; c++) {
            RecordComm *comm = &g_array_index(rank->comms, RecordComm, c);
            gpointer listed =
                recording->named && comm->group_name
                    ? g_hash_table_lookup(recording->named, comm->group_name)
                    : NULL;

            if (listed)
                comm->group = GPOINTER_TO_UINT(listed) - 1;
            else if (comm->group == RECORD_NONE)
                comm->group = infer_group_members(
                    recording, comm,
                    is_numbered && comm->group_name
                        ? g_hash_table_lookup(names, comm->group_name)
                        : NULL);
        }
    }
}
