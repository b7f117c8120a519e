/*
 * how.h - in which manner a case is launched: its loads, its shared memory,
 * and where and when its partner runs
 */
#ifndef VALIDATE_GPU_HOST_HOW_H
#define VALIDATE_GPU_HOST_HOW_H

#ifdef __cplusplus
extern "C" {
#endif

/* How a reduction or copy loads its operands. */
typedef enum {
    LOADS_NONE,
    LOADS_NO_ALLOCATE, /* past the L1 cache, as far as the GPU does that */
    LOADS_ORDINARY,    /* a line of the L1 cache for each */
    LOADS_ASYNC,       /* copied to shared memory by cp.async */
    N_LOADS,
} Loads;

/* What a block asks for of its SM's shared memory; L1 has the rest. */
typedef enum {
    SHARED_UNSAID,
    SHARED_NONE,
    SHARED_HALF,  /* a little more, so that two blocks do not fit */
    SHARED_WHOLE, /* so that no block fits beside it */
    SHARED_LEFT,  /* none; and not L1 has it, but blocks beside it */
    N_SHARED,
} Shared;

/* Where a partner runs that needs SMs. */
typedef enum {
    PLACE_NONE,
    PLACE_APART, /* on SMs of its own */
    PLACE_SAME,  /* on SMs that the compute kernel uses, too */
    N_PLACES,
} Place;

/* Which of two kernels is released first. */
typedef enum { FIRST_NONE, FIRST_PARTNER, FIRST_COMPUTE, N_FIRST } First;

/* Whose stream goes before the other's. */
typedef enum { PRIORITY_NONE, PRIORITY_PARTNER, N_PRIORITIES } Priority;

/* Names as the table has them; "" where there is none. */
const char *loads_name(Loads loads);
const char *shared_name(Shared shared);
const char *place_name(Place place);
const char *first_name(First first);
const char *priority_name(Priority priority);

#ifdef __cplusplus
}
#endif

#endif
