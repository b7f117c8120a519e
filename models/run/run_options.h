/*
 * run_options.h - how a system is simulated
 *
 * The options select which NPUs and periods are simulated, and by how many
 * threads.  The result is the same for all of them, bit for bit.  Limits refuse
 * a run that is too large.  Zero-initialised options are the defaults.
 */
#ifndef MODELS_RUN_RUN_OPTIONS_H
#define MODELS_RUN_RUN_OPTIONS_H

#include <glib.h>
#include <stdint.h>

typedef enum {
    FOLD_AUTO,    /* simulates one NPU of each equivalence class */
    FOLD_OFF,     /* simulates all NPUs */
    FOLD_REQUIRE, /* refuses a run in which no NPUs are equivalent */
} FoldMode;

typedef enum {
    SKIP_AUTO,  /* skips what provably repeats, see steady/steady.c */
    SKIP_OFF,   /* simulates everything */
    SKIP_CHECK, /* skips nothing, and compares the chunks that SKIP_AUTO would
                 * skip with its prediction */
} SkipMode;

#define RUN_THREADS_AUTO G_MAXUINT32 /* two, if that is known to be faster */
#define RUN_MOST_THREADS 64U

/* The estimated size of a run, or its limits.  .memory_bytes is an upper bound;
 * most runs need half of it.  An endpoint that admits fewer chunks than the
 * window needs less.  .n_hops counts each message as if it took one link, or
 * each packet under `fidelity: packet`.  Both saturate. */
typedef struct {
    uint64_t memory_bytes, n_hops;
} SystemSize;

typedef struct {
    FoldMode fold;
    SkipMode skip;
    /* Up to this many threads are used, if possible.  0 and 1 mean one thread.
     * A run by several has no listeners and is asked for its result only; see
     * regions/thread_count.h. */
    uint32_t n_threads;
    /* Zero memory means the memory of the machine, which is the limit in any
     * case.  Zero hops mean no limit. */
    SystemSize limits;
} RunOptions;

#endif
