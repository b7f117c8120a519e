/*
 * nsys_impl.h - for nsys/ only: an export while it is read
 *
 * A rank is a device of a process that had kernels there.  Numbers of calls
 * (correlationId) are of a process: two processes have the same.
 *
 * Units    ns of the tables' clock; nodes have ps since .origin_ns
 */
#ifndef WORKLOADS_READERS_NSYS_IMPL_H
#define WORKLOADS_READERS_NSYS_IMPL_H

#include "workloads/readers/nsys/tables.h"
#include "workloads/readers/read_comm.h"
#include "workloads/readers/read_impl.h"

#define NSYS_MAX_RANKS 4096

/* Of globalTid and globalPid: process, then thread of it. */
#define NSYS_THREAD_MASK INT64_C(0xffffff)

typedef struct {
    int64_t process, device;
    RecordRank *rank;     /* borrowed from the recording */
    GArray *correlations; /* of int64_t, one a node */
    GHashTable *streams;  /* of 2 x id + is_host, to 1 + index of .streams */
} NsysRank;

/* What is known by a number of a process. */
typedef struct {
    int64_t process, number;
    uint32_t rank; /* of Nsys.ranks */
    uint32_t call; /* node; RECORD_NONE: not met yet */
} NsysCall;

typedef struct {
    NsysTables *tables; /* borrowed, as the next */
    Recording *recording;
    GPtrArray *patterns; /* read_patterns() */
    GArray *ranks;       /* of NsysRank, by device and process */
    GHashTable *calls;   /* of NsysCall, owned: what it launched, or was */
    GHashTable *names;   /* of ids, to record_text() */
    int64_t origin_ns;
} Nsys;

static inline NsysRank *nsys_rank(const Nsys *nsys, guint i)
{
    return &g_array_index(nsys->ranks, NsysRank, i);
}

/* ---- ranks.c ----------------------------------------------------------- */

/* Who had kernels; FALSE: nobody, which is an error. */
gboolean nsys_find_ranks(Nsys *nsys);
void nsys_clear_rank(gpointer rank);
/* The rank of @device in @process, or the first of that process; RECORD_NONE.
 */
uint32_t nsys_rank_of(const Nsys *nsys, int64_t process, int64_t device);
/* Numbers of ranks, devices and clocks. */
void nsys_set_ranks(Nsys *nsys);

/* ---- nodes.c ----------------------------------------------------------- */

guint nsys_hash_call(gconstpointer call);
gboolean nsys_same_call(gconstpointer a, gconstpointer b);
/* That of @number in @process, which is added if it is not there. */
NsysCall *nsys_call(Nsys *nsys, int64_t process, int64_t number);
/* NULL: there is none. */
const NsysCall *nsys_find_call(const Nsys *nsys, int64_t process,
                               int64_t number);
/* Of an id of StringIds; "" of none.  The recording's. */
const char *nsys_name(Nsys *nsys, int64_t id);

/* What a row says of a node, whatever the table. */
typedef struct {
    RecordKind kind;
    uint8_t flags;
    const char *name; /* of the recording */
    int64_t start_ns, end_ns, stream, correlation;
} NsysNode;

/* Its number; RECORD_NONE: the row is wrong. */
uint32_t nsys_add(Nsys *nsys, uint32_t rank, const NsysNode *node);
/* Of a stream or thread by its number; RECORD_NONE: the rank has none. */
uint32_t nsys_stream(const NsysRank *rank, int64_t id, gboolean is_host);

/* ---- device.c, host.c, nvtx.c ------------------------------------------ */

/* Kernels, copies and graphs. */
void nsys_read_device(Nsys *nsys);
/* Calls of the host, launches, and what is waited for. */
void nsys_read_host(Nsys *nsys);
/* Steps, and which kernels of NCCL only send or only receive. */
void nsys_read_nvtx(Nsys *nsys);

#endif
