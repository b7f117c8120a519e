/*
 * inventory.h - counts everything that a recording holds
 *
 * For each rank: nodes by kind and place, dependencies, communication, and how
 * long the device was busy.  Nothing is matched, repaired or left out; the
 * report of an import is separate.
 *
 * Times of streams are unions of intervals, over nodes that have a begin.
 *
 * Units    ps, bytes
 * Owner    the caller owns an Inventory; texts belong to the recording
 */
#ifndef WORKLOADS_RECORDING_INVENTORY_H
#define WORKLOADS_RECORDING_INVENTORY_H

#include "sim/core/json_writer.h"
#include "workloads/recording/recording.h"

typedef enum {
    INVENTORY_ON_DEVICE,
    INVENTORY_ON_HOST,
    INVENTORY_N_PLACES,
} InventoryPlace;

/* Communications with equal .place, .record_kind, .kind, .pass and .group. */
typedef struct {
    InventoryPlace place;
    /* Kind of node: RECORD_COLLECTIVE, _SEND, _RECEIVE or _OTHER. */
    RecordKind record_kind;
    CollKind kind; /* kind of collective; COLL_SEND for messages */
    uint8_t pass;  /* pass of the layer; OP_N_PASSES: unknown */
    /* Index of the group in Recording.groups; RECORD_NONE: unknown. */
    uint32_t group;
    uint64_t n, n_without_bytes, bytes, duration_ps;
} InventoryComm;

/* Communication kernels by the number of SMs that they occupy. */
typedef struct {
    uint32_t n_blocks;
    uint64_t n;
} InventoryBlocks;

typedef struct {
    /* Borrowed: the rank; NULL for the sums over all ranks. */
    const RecordRank *rank;
    uint64_t n_found, n_nodes;
    uint64_t n_by[INVENTORY_N_PLACES][RECORD_N_KINDS];
    uint64_t duration_ps_by[INVENTORY_N_PLACES][RECORD_N_KINDS];
    uint64_t pass_ps[OP_N_PASSES + 1]; /* time by pass, of computation only */
    uint64_t n_data_deps, n_control_deps;
    /* Number of data and control dependencies on absent nodes. */
    uint64_t n_absent_deps;
    uint64_t n_steps;
    /* The elements are InventoryComm, in the order of first occurrence. */
    GArray *comms;
    /* The elements are InventoryBlocks, in the order of first occurrence. */
    GArray *blocks;
    /* Numbers and times of nodes on streams of the device, here and below. */
    uint64_t n_launched, n_without_launch;
    uint64_t span_ps, busy_ps, compute_busy_ps, comm_busy_ps, overlap_ps;
} InventoryRank;

typedef struct {
    const Recording *recording; /* borrowed */
    /* Counts of each rank, in the order of the recording; the elements are
     * InventoryRank. */
    GPtrArray *ranks;
    InventoryRank *sum_of_ranks; /* sums over all ranks, also of stream times */
} Inventory;

/* Counts what @recording holds. */
Inventory *inventory_new(const Recording *recording);
void inventory_free(Inventory *inventory);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Inventory, inventory_free)

static inline InventoryRank *inventory_rank(const Inventory *inventory, guint i)
{
    return g_ptr_array_index(inventory->ranks, i);
}

/* Returns whether @node takes time on a stream of the device. */
static inline gboolean inventory_is_device(const RecordNode *node)
{
    return !(node->flags & RECORD_ON_HOST) &&
           (node->kind == RECORD_KERNEL || node->kind == RECORD_COPY ||
            node->kind == RECORD_COLLECTIVE || node->kind == RECORD_SEND ||
            node->kind == RECORD_RECEIVE);
}

static inline gboolean inventory_is_comm(const RecordNode *node)
{
    return node->kind == RECORD_COLLECTIVE || node->kind == RECORD_SEND ||
           node->kind == RECORD_RECEIVE;
}

/* Returns the name of @comm: of the collective, "send", "receive", or
 * "collective" if the kind is unknown. */
const char *inventory_comm_name(const InventoryComm *comm);

/* Returns tables of text for all ranks, and for each rank if there are few.
 * The caller frees the text. */
char *inventory_text(const Inventory *inventory);
/* Writes the same as JSON, as the value of @key. */
void inventory_json(const Inventory *inventory, Json *json, const char *key);

#endif
