/*
 * verify_impl.h - what is known of data that is carried along: for verify*.c
 */
#ifndef MODELS_OBSERVE_VERIFY_IMPL_H
#define MODELS_OBSERVE_VERIFY_IMPL_H

#include "models/observe/verify.h"
#include "models/observe/verify_chunk.h"
#include "models/observe/verify_loads.h"
#include "models/observe/verify_ops.h"

/* Where a message belongs.  Steps that wait for none are all alike to whoever
 * takes them in: of those .step is 0. */
typedef struct {
    uint64_t seq; /* of the chunk */
    uint32_t npu, phase, lane, step;
} VerifyPlace;

struct Verify {
    const OpGraph *graph; /* borrowed */
    uint32_t n_npus;
    const CollCast *cast;  /* borrowed; NULL: all run all, */
    CollMembers all;       /* in this group */
    VerifyOps *ops;        /* owned */
    VerifyLoads *loads;    /* owned: buffers of lanes */
    GHashTable *chunks;    /* owned: Chunk.seq -> owned VerifyChunk */
    GHashTable *under_way; /* owned: message -> owned VerifyLoad */
    GHashTable *arrived; /* owned: owned VerifyPlace -> owned GQueue of loads */
    GHashTable
        *meetings; /* owned: owned VerifyPlace, of rank 0 -> VerifyMeeting */
    char *error;   /* owned */
    uint64_t n_chunks;
};

/* An order of places, so that every run says the same. */
int verify_compare_places(const VerifyPlace *a, const VerifyPlace *b);

/* Takes @error, which may be NULL.  The first one stays. */
void verify_keep(Verify *verify, char *error);
/* Takes @what, which may be NULL: wrong at @at. */
void verify_blame(Verify *verify, const TraceStep *at, char *what);
void verify_complain(Verify *verify, const TraceStep *at, const char *what);

/* Of the groups of @op. */
const CollMembers *verify_members(const Verify *verify, uint32_t op);

/* NULL, and an error, where there can be no such step; also after an error. */
VerifyChunk *verify_find(Verify *verify, const TraceStep *at);

#endif
