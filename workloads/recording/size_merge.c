/* size_merge.c - merges the sizes in one file with the times in another */
#include "workloads/recording/size_merge.h"

/* ---- ranks ------------------------------------------------------------- */

static gboolean node_is_communication(const RecordNode *node)
{
    return node->comm != RECORD_NONE;
}

/* Returns whether all nodes of @rank are communication calls of the host
 * without times. */
static gboolean rank_has_only_sizes(const RecordRank *rank)
{
    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);

        if (!node_is_communication(node) || !(node->flags & RECORD_ON_HOST) ||
            node->begin_ps != RECORD_NO_TIME || node->duration_ps > 0)
            return FALSE;
    }
    return rank->nodes->len > 0;
}

/* Returns the ranks that have only sizes if @of_sizes, otherwise the others. */
static GPtrArray *list_ranks_with_only_sizes(const Recording *recording,
                                             gboolean of_sizes)
{
    GPtrArray *ranks = g_ptr_array_new();

    for (guint i = 0; i < recording->ranks->len; i++) {
        RecordRank *rank = record_rank(recording, i);

        if (rank_has_only_sizes(rank) == of_sizes)
            g_ptr_array_add(ranks, rank);
    }
    return ranks;
}

/* Returns whether every rank has a number and the numbers are unique. */
static gboolean ranks_have_unique_numbers(const GPtrArray *ranks)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < ranks->len; i++) {
        const RecordRank *rank = g_ptr_array_index(ranks, i);

        if (rank->rank == RECORD_NO_RANK ||
            !g_hash_table_add(seen, GUINT_TO_POINTER(rank->rank)))
            return FALSE;
    }
    return TRUE;
}

static RecordRank *find_rank_by_number(const GPtrArray *ranks, uint32_t number)
{
    for (guint i = 0; i < ranks->len; i++) {
        RecordRank *rank = g_ptr_array_index(ranks, i);

        if (rank->rank == number)
            return rank;
    }
    return NULL;
}

/* ---- communications ---------------------------------------------------- */

typedef struct {
    RecordComm *comm;
    uint32_t node;
    int64_t requested_ps;
    gboolean is_matched;
} SizedCommunication;

static gint compare_requests(gconstpointer a, gconstpointer b)
{
    const SizedCommunication *x = a, *y = b;

    if (x->requested_ps != y->requested_ps)
        return x->requested_ps < y->requested_ps ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Returns the communications of @rank by the time of the host's call, or in the
 * order of the file if they have no times. */
static GArray *list_recorded_communications(const RecordRank *rank)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(SizedCommunication));

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        SizedCommunication asked = { .comm =
                                         record_node_communication(rank, node),
                                     .node = i,
                                     .requested_ps = node->begin_ps };

        if (!asked.comm)
            continue;
        if (node->launch != RECORD_NONE)
            asked.requested_ps = record_node(rank, node->launch)->begin_ps;
        g_array_append_val(all, asked);
    }
    g_array_sort(all, compare_requests);
    return all;
}

/* Returns whether a communication recorded as kind @ran may be of the kind
 * @asked.  NCCL implements some kinds by sends and receives, which look like an
 * all-to-all without metadata, and a barrier by an all-reduce. */
static gboolean kinds_are_compatible(CollKind ran, CollKind asked)
{
    if (ran == asked || ran == COLL_N_ALL_KINDS)
        return TRUE;
    if (ran == COLL_ALL_REDUCE)
        return asked == COLL_BARRIER;
    return ran == COLL_ALL_TO_ALL &&
           (asked == COLL_ALL_TO_ALLV || asked == COLL_SEND ||
            asked == COLL_GATHER || asked == COLL_SCATTER);
}

static void copy_communication_sizes(SizedCommunication *to,
                                     SizedCommunication *from)
{
    RecordComm *comm = to->comm;
    const RecordComm *sizes = from->comm;

    to->is_matched = from->is_matched = TRUE;
    comm->kind = sizes->kind;
    comm->is_guess = FALSE;
    if (!comm->has_bytes) {
        comm->has_bytes = sizes->has_bytes;
        comm->bytes = sizes->bytes;
        comm->is_share = sizes->is_share;
    }
    if (!comm->in_split && sizes->in_split)
        comm->in_split = g_array_ref(sizes->in_split);
    if (!comm->out_split && sizes->out_split)
        comm->out_split = g_array_ref(sizes->out_split);
    if (comm->group == RECORD_NONE)
        comm->group = sizes->group;
}

/* ---- by id ------------------------------------------------------------- */

/* Number of communications on each side that find_communication_id_offset()
 * compares. */
#define MAX_VOTES 64

/* Sets *@ret to the most frequent offset of ids between compatible
 * communications. Returns FALSE if less than half of them have it. */
static gboolean find_communication_id_offset(const GArray *ran,
                                             const GArray *asked, int64_t *ret)
{
    guint n = MIN(ran->len, MAX_VOTES), m = MIN(asked->len, MAX_VOTES);
    int64_t *offsets = g_new(int64_t, (gsize)n * m + 1);
    guint n_all = 0, most = 0;

    for (guint i = 0; i < n; i++)
        for (guint j = 0; j < m; j++) {
            const RecordComm *x =
                g_array_index(ran, SizedCommunication, i).comm;
            const RecordComm *y =
                g_array_index(asked, SizedCommunication, j).comm;

            if (x->framework_id > 0 && y->framework_id > 0 &&
                kinds_are_compatible(x->kind, y->kind))
                offsets[n_all++] = (int64_t)(x->framework_id - y->framework_id);
        }
    for (guint i = 0; i < n_all; i++) {
        guint n_equal = 0;

        for (guint j = 0; j < n_all; j++)
            n_equal += offsets[j] == offsets[i];
        if (n_equal > most) {
            most = n_equal;
            *ret = offsets[i];
        }
    }
    g_free(offsets);
    return most > 0 && 2 * most >= MIN(n, m);
}

static uint32_t match_communications_by_ids(GArray *ran, GArray *asked,
                                            int64_t offset)
{
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_int64_hash, g_int64_equal);
    uint32_t n = 0;

    for (guint i = 0; i < asked->len; i++) {
        SizedCommunication *item = &g_array_index(asked, SizedCommunication, i);

        g_hash_table_insert(by_id, &item->comm->framework_id, item);
    }
    for (guint i = 0; i < ran->len; i++) {
        SizedCommunication *item = &g_array_index(ran, SizedCommunication, i);
        uint64_t id = item->comm->framework_id - (uint64_t)offset;
        SizedCommunication *found = g_hash_table_lookup(by_id, &id);

        if (!found || found->is_matched ||
            !kinds_are_compatible(item->comm->kind, found->comm->kind))
            continue;
        copy_communication_sizes(item, found);
        n++;
    }
    return n;
}

/* ---- by order --------------------------------------------------------- */

/* Returns the unmatched communications, borrowed from @all. */
static GPtrArray *list_unmatched_communications(GArray *all)
{
    GPtrArray *rest = g_ptr_array_new();

    for (guint i = 0; i < all->len; i++) {
        SizedCommunication *item = &g_array_index(all, SizedCommunication, i);

        if (!item->is_matched)
            g_ptr_array_add(rest, item);
    }
    return rest;
}

/* Matches all remaining communications by order, or none if some are
 * incompatible. */
static uint32_t match_communications_by_order(GArray *ran, GArray *asked)
{
    g_autoptr(GPtrArray) xs = list_unmatched_communications(ran),
                         ys = list_unmatched_communications(asked);

    if (xs->len != ys->len)
        return 0;
    for (guint i = 0; i < xs->len; i++) {
        const SizedCommunication *x = g_ptr_array_index(xs, i);
        const SizedCommunication *y = g_ptr_array_index(ys, i);

        if (!kinds_are_compatible(x->comm->kind, y->comm->kind))
            return 0;
    }
    for (guint i = 0; i < xs->len; i++)
        copy_communication_sizes(g_ptr_array_index(xs, i),
                                 g_ptr_array_index(ys, i));
    return xs->len;
}

/* Copies the sizes of @from to @to.  Pairs are found by equal ids first, then
 * by order if all kinds are compatible, and last by ids with a constant offset:
 * files from 2023 have a different offset for each thread. */
static void merge_sizes_of_rank(const RecordRank *to, const RecordRank *from,
                                RecordMergeReport *report)
{
    g_autoptr(GArray) ran = list_recorded_communications(to),
                      asked = list_recorded_communications(from);
    int64_t offset = 0;
    gboolean has_ids = find_communication_id_offset(ran, asked, &offset);
    uint32_t n_by_id = 0, n_by_order;

    if (has_ids && offset == 0)
        n_by_id = match_communications_by_ids(ran, asked, offset);
    n_by_order = match_communications_by_order(ran, asked);
    if (has_ids && n_by_id + n_by_order == 0) {
        n_by_id = match_communications_by_ids(ran, asked, offset);
        n_by_order = match_communications_by_order(ran, asked);
    }
    report->n_ranks++;
    report->n_by_id += n_by_id;
    report->n_by_order += n_by_order;
    report->n_unmatched += ran->len - n_by_id - n_by_order;
    report->n_left += asked->len - n_by_id - n_by_order;
}

/* ---- all --------------------------------------------------------------- */

void record_merge_size_files(Recording *recording, RecordMergeReport *ret)
{
    g_autoptr(GPtrArray) sizes = list_ranks_with_only_sizes(recording, TRUE);
    g_autoptr(GPtrArray) ran = list_ranks_with_only_sizes(recording, FALSE);
    gboolean by_number =
        ranks_have_unique_numbers(sizes) && ranks_have_unique_numbers(ran);

    *ret = (RecordMergeReport){ 0 };
    if (sizes->len == 0 || ran->len == 0)
        return;
    for (guint i = 0; i < sizes->len; i++) {
        RecordRank *from = g_ptr_array_index(sizes, i), *to = NULL;

        if (by_number)
            to = find_rank_by_number(ran, from->rank);
        else if (i < ran->len)
            to = g_ptr_array_index(ran, i);
        if (to)
            merge_sizes_of_rank(to, from, ret);
        else
            ret->n_ranks_left++;
    }
    for (guint i = 0; i < sizes->len; i++)
        g_ptr_array_remove(recording->ranks, g_ptr_array_index(sizes, i));
}
