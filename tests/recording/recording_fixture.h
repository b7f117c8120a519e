/* recording_fixture.h - builds small recordings; times are in microseconds */
#ifndef TESTS_RECORDING_RECORDING_FIXTURE_H
#define TESTS_RECORDING_RECORDING_FIXTURE_H

#include "tests/test.h"

#include <string.h>

#include "workloads/recording/recording.h"

#define US    1000000 /* The number of picoseconds in a microsecond. */
#define NEVER INT64_MIN

static inline RecordRank *add_rank_by_hand(Recording *recording, uint32_t id)
{
    RecordRank *rank = record_add_rank(recording, "by hand");

    rank->rank = id;
    return rank;
}

/* Adds a node on host thread @stream if @flags has RECORD_ON_HOST, else on
 * device stream @stream.  A node with @begin_us = NEVER has no begin time.
 * Returns its index. */
static inline uint32_t add_node_by_hand(Recording *recording, RecordRank *rank,
                                        RecordKind kind, unsigned flags,
                                        uint64_t stream, const char *name,
                                        int64_t begin_us, uint64_t us)
{
    gboolean is_host = (flags & RECORD_ON_HOST) != 0;
    RecordNode node = {
        .id = rank->nodes->len + 100,
        .name = recording_store_text(recording, name, strlen(name)),
        .begin_ps = begin_us == NEVER ? RECORD_NO_TIME : begin_us * US,
        .duration_ps = us * US,
        .stream = record_add_stream(recording, rank, stream, is_host,
                                    is_host ? "thread" : "stream"),
        .comm = RECORD_NONE,
        .launch = RECORD_NONE,
        .kind = (uint8_t)kind,
        .flags = (uint8_t)flags,
        .pass = OP_N_PASSES,
    };

    return record_add_node(rank, &node);
}

static inline uint32_t add_step_by_hand(Recording *recording, RecordRank *rank,
                                        int64_t begin_us, uint64_t us)
{
    return add_node_by_hand(recording, rank, RECORD_OTHER,
                            RECORD_ON_HOST | RECORD_STEP, 1, "step", begin_us,
                            us);
}

static inline uint32_t add_call_by_hand(Recording *recording, RecordRank *rank,
                                        const char *name, int64_t begin_us,
                                        uint64_t us)
{
    return add_node_by_hand(recording, rank, RECORD_HOST, RECORD_ON_HOST, 1,
                            name, begin_us, us);
}

static inline uint32_t add_kernel_by_hand(Recording *recording,
                                          RecordRank *rank, uint64_t stream,
                                          const char *name, int64_t begin_us,
                                          uint64_t us, uint32_t launch)
{
    uint32_t node = add_node_by_hand(recording, rank, RECORD_KERNEL, 0, stream,
                                     name, begin_us, us);

    record_node(rank, node)->launch = launch;
    return node;
}

static inline uint32_t add_collective_by_hand(Recording *recording,
                                              RecordRank *rank, CollKind kind,
                                              uint64_t bytes, int64_t begin_us,
                                              uint64_t us, uint32_t launch)
{
    uint32_t node = add_node_by_hand(recording, rank, RECORD_COLLECTIVE, 0, 20,
                                     "nccl", begin_us, us);
    RecordComm *comm = record_add_comm(rank, node, kind);

    record_node(rank, node)->launch = launch;
    comm->has_bytes = bytes > 0;
    comm->bytes = bytes;
    return node;
}

static inline uint32_t add_message_by_hand(Recording *recording,
                                           RecordRank *rank, gboolean sends,
                                           uint32_t peer, uint64_t bytes,
                                           int64_t begin_us, uint64_t us)
{
    uint32_t node =
        add_node_by_hand(recording, rank, sends ? RECORD_SEND : RECORD_RECEIVE,
                         0, 20, sends ? "send" : "recv", begin_us, us);
    RecordComm *comm = record_add_comm(rank, node, COLL_SEND);

    comm->has_bytes = TRUE;
    comm->bytes = bytes;
    comm->peer = peer;
    return node;
}

static inline void add_dependency_by_hand(RecordRank *rank, uint32_t on)
{
    record_add_dep(rank, record_node(rank, on)->id, FALSE);
}

#endif
