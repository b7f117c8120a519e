/*
 * nsys_state_impl.h - an export while it is read; private to nsys/
 *
 * A rank is a device of a process that ran kernels on it.  Call numbers
 * (correlationId) are unique only within a process.
 *
 * Units    ns of the tables' clock; nodes have ps since .origin_ns
 */
#ifndef WORKLOADS_READERS_NSYS_IMPL_H
#define WORKLOADS_READERS_NSYS_IMPL_H

#include "workloads/readers/communication_kernels.h"
#include "workloads/readers/nsys/sqlite_tables.h"
#include "workloads/readers/reader_common_impl.h"

#define NSYS_MAX_RANKS 4096

/* Bits of the thread in a globalTid; the other bits are the globalPid. */
#define NSYS_THREAD_MASK INT64_C(0xffffff)

typedef struct {
    int64_t process, device;
    RecordRank *rank; /* borrowed from the recording */
    /* The correlation of each node; the elements are int64_t. */
    GArray *correlations;
    GHashTable *streams; /* maps 2 x id + is_host to 1 + index in .streams */
} NsysRank;

/* A call, identified by its process and number. */
typedef struct {
    int64_t process, number;
    uint32_t rank; /* index of the rank in Nsys.ranks */
    /* Node of the call; RECORD_NONE if the call was not read yet. */
    uint32_t call;
} NsysCall;

typedef struct {
    NsysTables *tables; /* borrowed, like the next field */
    Recording *recording;
    /* Patterns of communication kernels from reader_compile_name_patterns(). */
    GPtrArray *patterns;
    /* Ranks sorted by device and process; the elements are NsysRank. */
    GArray *ranks;
    GHashTable *calls; /* owned: the calls, a set of NsysCall */
    GHashTable
        *names; /* maps ids of names to texts from recording_store_text() */
    int64_t origin_ns;
} Nsys;

static inline NsysRank *nsys_rank(const Nsys *nsys, guint i)
{
    return &g_array_index(nsys->ranks, NsysRank, i);
}

/* ---- export_ranks.c ------------------------------------------------------ */

/* Finds the devices and processes with kernels.  Returns FALSE and fails if
 * there are none. */
gboolean nsys_find_ranks(Nsys *nsys);
void nsys_clear_rank(gpointer rank);
/* Returns the rank of @device in @process, or the first rank of the process if
 * there is none on the device.  Returns RECORD_NONE if the process has none. */
uint32_t nsys_rank_of(const Nsys *nsys, int64_t process, int64_t device);
/* Sets numbers, devices and clocks of the ranks. */
void nsys_set_ranks(Nsys *nsys);

/* ---- row_nodes.c --------------------------------------------------------- */

guint nsys_hash_call(gconstpointer call);
gboolean nsys_calls_are_equal(gconstpointer a, gconstpointer b);
/* Returns the call @number of @process, which is added if it is new. */
NsysCall *nsys_find_or_add_call(Nsys *nsys, int64_t process, int64_t number);
/* Returns the call @number of @process, or NULL if there is none. */
const NsysCall *nsys_find_call(const Nsys *nsys, int64_t process,
                               int64_t number);
/* Returns the text with @id in StringIds, owned by the recording; "" if there
 * is none. */
const char *nsys_text_of_name_id(Nsys *nsys, int64_t id);

/* The content of a row of any table, for a node. */
typedef struct {
    RecordKind kind;
    uint8_t flags;
    const char *name; /* name of the node, owned by the recording */
    int64_t start_ns, end_ns, stream, correlation;
} NsysNode;

/* Adds a node to rank @rank.  Returns its index, or RECORD_NONE if the row is
 * invalid. */
uint32_t nsys_add_node(Nsys *nsys, uint32_t rank, const NsysNode *node);
/* Returns the index of the stream or thread with this id, or RECORD_NONE if the
 * rank does not have it. */
uint32_t nsys_find_or_add_stream(const NsysRank *rank, int64_t id,
                                 gboolean is_host);

/* ---- device_rows.c, host_rows.c, nvtx.c ---------------------------------- */

/* Reads the kernels, copies and graphs of devices. */
void nsys_read_device(Nsys *nsys);
/* Reads the calls of the host, and their launches and waits. */
void nsys_read_host(Nsys *nsys);
/* Reads NVTX ranges: steps, and NCCL kernels that only send or only receive. */
void nsys_read_nvtx(Nsys *nsys);

#endif
