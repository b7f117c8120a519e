/* placement.c - assigns tensors or pieces of them to servers; see
 * placement.h */
#include "workloads/exchange/servers/placement.h"

#include <inttypes.h>

#define BITS_OF_PIECE 16 /* low bits of a key of [BYTEPS] */

/* Returns the server with the smallest load, the first one of equals. */
static uint32_t least_loaded_server(const uint64_t *loads, uint32_t n)
{
    uint32_t least = 0;

    for (uint32_t s = 1; s < n; s++)
        if (loads[s] < loads[least])
            least = s;
    return least;
}

/* Returns the index of tensor @i of the network in the order of gradients,
 * which is the reverse order. */
static guint tensor_index_in_network(const PlacementTask *task, guint i)
{
    return task->n - 1 - i;
}

/* Sets @ret to the server of each tensor: the tensors in @order, each on the
 * server with the smallest load. */
static void assign_tensors_by_load(const PlacementTask *task,
                                   const guint *order, uint32_t *ret)
{
    g_autofree uint64_t *loads = g_new0(uint64_t, task->n_servers);

    for (guint i = 0; i < task->n; i++) {
        uint32_t server = least_loaded_server(loads, task->n_servers);

        ret[order[i]] = server;
        loads[server] += task->bytes[order[i]];
    }
}

static gint compare_tensors_by_size(gconstpointer a, gconstpointer b,
                                    gpointer self)
{
    const PlacementTask *task = self;
    guint x = *(const guint *)a, y = *(const guint *)b;

    if (task->bytes[x] != task->bytes[y])
        return task->bytes[x] > task->bytes[y] ? -1 : 1;
    return x > y ? -1 : x < y; /* ties in the order of the network */
}

static void place_largest_tensors_first(const PlacementTask *task,
                                        uint32_t *ret)
{
    g_autofree guint *order = g_new(guint, task->n);

    for (guint i = 0; i < task->n; i++)
        order[i] = i;
    g_qsort_with_data(order, (gint)task->n, sizeof order[0],
                      compare_tensors_by_size, (gpointer)task);
    assign_tensors_by_load(task, order, ret);
}

static void place_tensors_in_network_order(const PlacementTask *task,
                                           uint32_t *ret)
{
    g_autofree guint *order = g_new(guint, task->n);

    for (guint i = 0; i < task->n; i++)
        order[i] = tensor_index_in_network(task, i);
    assign_tensors_by_load(task, order, ret);
}

static void place_tensors_round_robin(const PlacementTask *task, uint32_t *ret)
{
    for (guint i = 0; i < task->n; i++)
        ret[tensor_index_in_network(task, i)] = i % task->n_servers;
}

/* Placements of whole tensors. */
static void (*const placements[])(const PlacementTask *task, uint32_t *ret) = {
    place_largest_tensors_first,
    place_tensors_in_network_order,
    place_tensors_round_robin,
};

const char *const placement_names[] = { "greedy",    "in-order", "round-robin",
                                        "partition", "balanced", NULL };

G_STATIC_ASSERT(G_N_ELEMENTS(placements) == PLACEMENT_PARTITION);

static GArray *place_whole_tensors(int placement, const PlacementTask *task)
{
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(PlacedTensorPart));
    g_autofree uint32_t *servers = g_new(uint32_t, task->n);

    placements[placement](task, servers);
    for (guint i = 0; i < task->n; i++) {
        PlacedTensorPart part = { i, servers[i], task->bytes[i] };

        g_array_append_val(parts, part);
    }
    return parts;
}

static uint64_t count_pieces_of_tensor(const PlacementTask *task, guint tensor)
{
    return (task->bytes[tensor] - 1) / task->partition_bytes + 1;
}

static uint64_t count_all_pieces(const PlacementTask *task)
{
    uint64_t n = 0;

    for (guint i = 0; i < task->n; i++)
        n += count_pieces_of_tensor(task, i);
    return n;
}

/* Returns the server of piece @piece of the tensor with index @tensor in the
 * network: the hash djb2 of the decimal digits of its key [BYTEPS]. */
static uint32_t server_of_piece(guint tensor, uint64_t piece,
                                uint32_t n_servers)
{
    char digits[24];
    uint64_t hash = 5381;

    g_snprintf(digits, sizeof digits, "%" PRIu64,
               ((uint64_t)tensor << BITS_OF_PIECE) + piece);
    for (const char *c = digits; *c; c++)
        hash = hash * 33 + (uint64_t)*c;
    return (uint32_t)(hash % n_servers);
}

/* Cuts tensors into pieces. */
static GArray *place_pieces_of_tensors(gboolean by_load,
                                       const PlacementTask *task)
{
    g_autofree uint64_t *loads = g_new0(uint64_t, task->n_servers);
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(PlacedTensorPart));

    for (guint i = 0; i < task->n; i++) {
        uint64_t left_bytes = task->bytes[i];

        for (uint64_t p = 0; left_bytes > 0; p++) {
            PlacedTensorPart part = {
                .tensor = i, .bytes = MIN(left_bytes, task->partition_bytes)
            };

            part.server =
                by_load ? least_loaded_server(loads, task->n_servers)
                        : server_of_piece(tensor_index_in_network(task, i), p,
                                          task->n_servers);
            loads[part.server] += part.bytes;
            left_bytes -= part.bytes;
            g_array_append_val(parts, part);
        }
    }
    return parts;
}

uint64_t placement_count_parts(int placement, const PlacementTask *task)
{
    return placement >= PLACEMENT_PARTITION ? count_all_pieces(task) : task->n;
}

GArray *placement_place_tensors(int placement, const PlacementTask *task)
{
    return placement >= PLACEMENT_PARTITION
               ? place_pieces_of_tensors(placement > PLACEMENT_PARTITION, task)
               : place_whole_tensors(placement, task);
}
