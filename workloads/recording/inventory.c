/*
 * inventory.c - counts nodes, and the times in which streams are busy
 *
 * The busy time of a device is the length of the union of the intervals of its
 * nodes.  The overlap of computation and communication is the length of the
 * intersection of two unions.
 */
#include "workloads/recording/inventory.h"

typedef struct {
    int64_t from_ps, to_ps;
} Interval;

static int compare_intervals_by_begin(gconstpointer a, gconstpointer b)
{
    const Interval *one = a, *other = b;

    return (one->from_ps > other->from_ps) - (one->from_ps < other->from_ps);
}

/* Sorts @intervals and merges those that touch.  Returns their total length. */
static uint64_t merge_intervals(GArray *intervals)
{
    uint64_t sum_ps = 0;
    guint n = 0;

    g_array_sort(intervals, compare_intervals_by_begin);
    for (guint i = 0; i < intervals->len; i++) {
        Interval next = g_array_index(intervals, Interval, i);
        Interval *last = n ? &g_array_index(intervals, Interval, n - 1) : NULL;

        if (last && next.from_ps <= last->to_ps)
            last->to_ps = MAX(last->to_ps, next.to_ps);
        else
            g_array_index(intervals, Interval, n++) = next;
    }
    g_array_set_size(intervals, n);
    for (guint i = 0; i < n; i++) {
        const Interval *in = &g_array_index(intervals, Interval, i);

        sum_ps += (uint64_t)in->to_ps - (uint64_t)in->from_ps;
    }
    return sum_ps;
}

/* Returns the length of the intersection of two merged lists. */
static uint64_t intersection_length_ps(const GArray *a, const GArray *b)
{
    uint64_t sum_ps = 0;
    guint i = 0, k = 0;

    while (i < a->len && k < b->len) {
        const Interval *one = &g_array_index(a, Interval, i);
        const Interval *other = &g_array_index(b, Interval, k);
        int64_t from_ps = MAX(one->from_ps, other->from_ps);
        int64_t to_ps = MIN(one->to_ps, other->to_ps);

        if (to_ps > from_ps)
            sum_ps += (uint64_t)to_ps - (uint64_t)from_ps;
        if (one->to_ps < other->to_ps)
            i++;
        else
            k++;
    }
    return sum_ps;
}

/* Sets the times in which the device computes, communicates, does either or
 * both, and the span of all of them. */
static void count_busy_time(InventoryRank *rank_inventory)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Interval));
    g_autoptr(GArray) comm = g_array_new(FALSE, FALSE, sizeof(Interval));
    g_autoptr(GArray) compute = g_array_new(FALSE, FALSE, sizeof(Interval));

    for (guint i = 0; i < rank_inventory->rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank_inventory->rank, i);
        Interval in = { node->begin_ps, node->begin_ps };

        if (!inventory_is_device(node) || node->begin_ps == RECORD_NO_TIME)
            continue;
        if (__builtin_add_overflow(in.from_ps, node->duration_ps, &in.to_ps))
            in.to_ps = INT64_MAX;
        g_array_append_val(all, in);
        if (inventory_is_comm(node))
            g_array_append_val(comm, in);
        else
            g_array_append_val(compute, in);
    }
    rank_inventory->busy_ps = merge_intervals(all);
    rank_inventory->comm_busy_ps = merge_intervals(comm);
    rank_inventory->compute_busy_ps = merge_intervals(compute);
    rank_inventory->overlap_ps = intersection_length_ps(comm, compute);
    if (all->len)
        rank_inventory->span_ps =
            (uint64_t)g_array_index(all, Interval, all->len - 1).to_ps -
            (uint64_t)g_array_index(all, Interval, 0).from_ps;
}

/* ---- nodes ------------------------------------------------------------ */

static void count_kernel_blocks(InventoryRank *rank_inventory,
                                const InventoryBlocks *added)
{
    for (guint i = 0; i < rank_inventory->blocks->len; i++) {
        InventoryBlocks *of =
            &g_array_index(rank_inventory->blocks, InventoryBlocks, i);

        if (of->n_blocks == added->n_blocks) {
            of->n += added->n;
            return;
        }
    }
    g_array_append_val(rank_inventory->blocks, *added);
}

static gboolean is_same_communication_class(const InventoryComm *a,
                                            const InventoryComm *b)
{
    return a->place == b->place && a->record_kind == b->record_kind &&
           a->kind == b->kind && a->pass == b->pass && a->group == b->group;
}

static void count_recorded_communication(InventoryRank *rank_inventory,
                                         const InventoryComm *added)
{
    for (guint i = 0; i < rank_inventory->comms->len; i++) {
        InventoryComm *of =
            &g_array_index(rank_inventory->comms, InventoryComm, i);

        if (!is_same_communication_class(of, added))
            continue;
        of->n += added->n;
        of->n_without_bytes += added->n_without_bytes;
        of->bytes += added->bytes;
        of->duration_ps += added->duration_ps;
        return;
    }
    g_array_append_val(rank_inventory->comms, *added);
}

static void count_recorded_node(InventoryRank *rank_inventory,
                                const RecordNode *node)
{
    const RecordComm *comm =
        record_node_communication(rank_inventory->rank, node);
    InventoryPlace place =
        node->flags & RECORD_ON_HOST ? INVENTORY_ON_HOST : INVENTORY_ON_DEVICE;

    rank_inventory->n_by[place][node->kind]++;
    rank_inventory->duration_ps_by[place][node->kind] += node->duration_ps;
    rank_inventory->n_steps += node->flags & RECORD_STEP ? 1 : 0;
    if (!comm)
        rank_inventory->pass_ps[MIN(node->pass, OP_N_PASSES)] +=
            node->duration_ps;
    if (inventory_is_device(node)) {
        rank_inventory->n_launched += node->launch != RECORD_NONE;
        rank_inventory->n_without_launch += node->launch == RECORD_NONE;
    }
    if (comm)
        count_recorded_communication(
            rank_inventory,
            &(InventoryComm){ .place = place,
                              .record_kind = (RecordKind)node->kind,
                              .kind = comm->kind,
                              .pass = node->pass,
                              .group = comm->group,
                              .n = 1,
                              .n_without_bytes = !comm->has_bytes,
                              .bytes = comm->bytes,
                              .duration_ps = node->duration_ps });
    if (comm && comm->n_blocks)
        count_kernel_blocks(rank_inventory,
                            &(InventoryBlocks){ comm->n_blocks, 1 });
}

static void count_recorded_dependencies(InventoryRank *rank_inventory)
{
    const RecordRank *rank = rank_inventory->rank;
    g_autoptr(GHashTable) ids = g_hash_table_new(g_int64_hash, g_int64_equal);

    rank_inventory->n_control_deps = rank->n_control_deps;
    rank_inventory->n_data_deps = rank->deps->len - rank->n_control_deps;
    if (rank->deps->len == 0)
        return;
    for (guint i = 0; i < rank->nodes->len; i++)
        g_hash_table_add(ids, &record_node(rank, i)->id);
    for (guint i = 0; i < rank->deps->len; i++)
        if (!g_hash_table_contains(ids,
                                   &g_array_index(rank->deps, uint64_t, i)))
            rank_inventory->n_absent_deps++;
}

/* ---- ranks ------------------------------------------------------------ */

static InventoryRank *new_inventory_rank(const RecordRank *rank)
{
    InventoryRank *rank_inventory = g_new0(InventoryRank, 1);

    rank_inventory->rank = rank;
    rank_inventory->comms = g_array_new(FALSE, FALSE, sizeof(InventoryComm));
    rank_inventory->blocks = g_array_new(FALSE, FALSE, sizeof(InventoryBlocks));
    return rank_inventory;
}

static void free_inventory_rank(gpointer data)
{
    InventoryRank *rank_inventory = data;

    g_array_unref(rank_inventory->comms);
    g_array_unref(rank_inventory->blocks);
    g_free(rank_inventory);
}

static InventoryRank *count_rank_contents(const RecordRank *rank)
{
    InventoryRank *rank_inventory = new_inventory_rank(rank);

    rank_inventory->n_found = rank->n_found;
    rank_inventory->n_nodes = rank->nodes->len;
    for (guint i = 0; i < rank->nodes->len; i++)
        count_recorded_node(rank_inventory, record_node(rank, i));
    count_recorded_dependencies(rank_inventory);
    count_busy_time(rank_inventory);
    return rank_inventory;
}

static void add_rank_counts(InventoryRank *all, const InventoryRank *one)
{
    all->n_found += one->n_found;
    all->n_nodes += one->n_nodes;
    for (int place = 0; place < INVENTORY_N_PLACES; place++)
        for (int kind = 0; kind < RECORD_N_KINDS; kind++) {
            all->n_by[place][kind] += one->n_by[place][kind];
            all->duration_ps_by[place][kind] +=
                one->duration_ps_by[place][kind];
        }
    for (int pass = 0; pass <= OP_N_PASSES; pass++)
        all->pass_ps[pass] += one->pass_ps[pass];
    all->n_data_deps += one->n_data_deps;
    all->n_control_deps += one->n_control_deps;
    all->n_absent_deps += one->n_absent_deps;
    all->n_steps += one->n_steps;
    for (guint i = 0; i < one->comms->len; i++)
        count_recorded_communication(
            all, &g_array_index(one->comms, InventoryComm, i));
    for (guint i = 0; i < one->blocks->len; i++)
        count_kernel_blocks(all,
                            &g_array_index(one->blocks, InventoryBlocks, i));
    all->n_launched += one->n_launched;
    all->n_without_launch += one->n_without_launch;
    all->span_ps += one->span_ps;
    all->busy_ps += one->busy_ps;
    all->compute_busy_ps += one->compute_busy_ps;
    all->comm_busy_ps += one->comm_busy_ps;
    all->overlap_ps += one->overlap_ps;
}

Inventory *inventory_new(const Recording *recording)
{
    Inventory *inventory = g_new0(Inventory, 1);

    inventory->recording = recording;
    inventory->ranks = g_ptr_array_new_with_free_func(free_inventory_rank);
    inventory->sum_of_ranks = new_inventory_rank(NULL);
    for (guint i = 0; i < recording->ranks->len; i++) {
        g_ptr_array_add(inventory->ranks,
                        count_rank_contents(record_rank(recording, i)));
        add_rank_counts(inventory->sum_of_ranks, inventory_rank(inventory, i));
    }
    return inventory;
}

void inventory_free(Inventory *inventory)
{
    if (!inventory)
        return;
    g_ptr_array_unref(inventory->ranks);
    free_inventory_rank(inventory->sum_of_ranks);
    g_free(inventory);
}

const char *inventory_comm_name(const InventoryComm *comm)
{
    if (comm->record_kind == RECORD_SEND || comm->record_kind == RECORD_RECEIVE)
        return record_kind_names[comm->record_kind];
    return comm->kind < COLL_N_KINDS ? coll_kind_name(comm->kind)
                                     : record_kind_names[comm->record_kind];
}
