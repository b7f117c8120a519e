/*
 * launch_mode.h - the ways to launch a case: its loads, its shared memory, and
 * the placement, order and priority of its
 * partner */
#ifndef VALIDATE_GPU_HOST_LAUNCH_MODE_H
#define VALIDATE_GPU_HOST_LAUNCH_MODE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The way in which a reduction or a copy loads its operands. */
typedef enum {
    LOADS_NONE,
    /* The load bypasses the L1 cache if the GPU supports that. */
    LOADS_NO_ALLOCATE,
    LOADS_ORDINARY, /* The load allocates a line of the L1 cache. */
    /* The instruction cp.async copies the data to shared memory. */
    LOADS_ASYNC,
    N_LOADS,
} LoadKind;

/* The part of the shared memory of its SM that a block requests. The L1 cache
 * gets the remainder. */
typedef enum {
    SHARED_UNSPECIFIED,
    SHARED_NONE,
    SHARED_HALF,  /* slightly more than half, so that two blocks do not fit */
    SHARED_WHOLE, /* all, so that no other block fits on the SM */
    SHARED_FOR_OTHERS, /* none, but reserved for other blocks, not for L1 */
    N_SHARED,
} SharedMemoryUse;

/* The SMs on which a partner runs, if it needs SMs. */
typedef enum {
    PLACE_NONE,
    PLACE_SEPARATE_SMS, /* The partner runs on separate SMs. */
    /* The partner runs on SMs that the compute kernel also uses. */
    PLACE_SAME_SMS,
    N_PLACES,
} PartnerPlacement;

/* The kernel of a pair that is released first. */
typedef enum {
    FIRST_NONE,
    FIRST_PARTNER,
    FIRST_COMPUTE,
    N_RELEASE_ORDERS
} ReleaseOrder;

/* The kernel of a pair with the higher stream priority. */
typedef enum { PRIORITY_NONE, PRIORITY_PARTNER, N_PRIORITIES } StreamPriority;

/* Return the names in the CSV table, or "" for the first value of each enum. */
const char *load_kind_name(LoadKind loads);
const char *shared_memory_use_name(SharedMemoryUse shared);
const char *partner_placement_name(PartnerPlacement place);
const char *release_order_name(ReleaseOrder first);
const char *stream_priority_name(StreamPriority priority);

#ifdef __cplusplus
}
#endif

#endif
