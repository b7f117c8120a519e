/*
 * found.h - how much of everything a recording holds
 *
 * Of each rank its nodes by kind and place, what they wait for, what they
 * communicate, and how long its device was busy.  Nothing is matched, mended or
 * left out: what an import makes of it stands beside these numbers.
 *
 * Times of streams are unions of intervals, of nodes that have a begin.
 *
 * Units    ps, bytes
 * Owner    the caller owns a Found; texts are the recording's
 */
#ifndef WORKLOADS_RECORDING_FOUND_H
#define WORKLOADS_RECORDING_FOUND_H

#include "sim/core/json.h"
#include "workloads/recording/recording.h"

typedef enum {
    FOUND_ON_DEVICE,
    FOUND_ON_HOST,
    FOUND_N_PLACES,
} FoundPlace;

/* Communication that is alike in all of these but its bytes. */
typedef struct {
    FoundPlace place;
    RecordKind as;  /* RECORD_COLLECTIVE, _SEND, _RECEIVE or _OTHER */
    CollKind kind;  /* COLL_SEND of messages */
    uint8_t pass;   /* OpPass; OP_N_PASSES: not known */
    uint32_t group; /* of Recording.groups; RECORD_NONE */
    uint64_t n, n_without_bytes, bytes, duration_ps;
} FoundComm;

/* Kernels that communicate and hold so many SMs. */
typedef struct {
    uint32_t n_blocks;
    uint64_t n;
} FoundBlocks;

typedef struct {
    const RecordRank *rank; /* borrowed; NULL: of all ranks */
    uint64_t n_found, n_nodes;
    uint64_t n_by[FOUND_N_PLACES][RECORD_N_KINDS];
    uint64_t duration_ps_by[FOUND_N_PLACES][RECORD_N_KINDS];
    uint64_t pass_ps[OP_N_PASSES + 1]; /* of what does not communicate */
    uint64_t n_data_deps, n_control_deps;
    uint64_t n_absent_deps; /* of both, on nodes that are not there */
    uint64_t n_steps;
    GArray *comms;  /* of FoundComm, in the order of their first */
    GArray *blocks; /* of FoundBlocks, likewise */
    /* Of streams of the device: */
    uint64_t n_launched, n_without_launch;
    uint64_t span_ps, busy_ps, compute_busy_ps, comm_busy_ps, overlap_ps;
} FoundRank;

typedef struct {
    const Recording *recording; /* borrowed */
    GPtrArray *ranks;           /* of FoundRank, as those of the recording */
    FoundRank *all;             /* sums; of times of streams, too */
} Found;

Found *found_of(const Recording *recording);
void found_free(Found *found);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Found, found_free)

static inline FoundRank *found_rank(const Found *found, guint i)
{
    return g_ptr_array_index(found->ranks, i);
}

/* On a stream of the device, as something that takes its time there. */
static inline gboolean found_is_device(const RecordNode *node)
{
    return !(node->flags & RECORD_ON_HOST) &&
           (node->kind == RECORD_KERNEL || node->kind == RECORD_COPY ||
            node->kind == RECORD_COLLECTIVE || node->kind == RECORD_SEND ||
            node->kind == RECORD_RECEIVE);
}

static inline gboolean found_is_comm(const RecordNode *node)
{
    return node->kind == RECORD_COLLECTIVE || node->kind == RECORD_SEND ||
           node->kind == RECORD_RECEIVE;
}

/* "collective", or "all-reduce", "send", "receive": what @comm is. */
const char *found_comm_name(const FoundComm *comm);

/* Lines of text for people: of each rank if they are few, and of all.  Owner:
 * the caller. */
char *found_text(const Found *found);
/* The same for programs, as the value of @key. */
void found_json(const Found *found, Json *json, const char *key);

#endif
