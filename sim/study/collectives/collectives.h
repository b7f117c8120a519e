/*
 * collectives.h - one collective on a platform, by size: what nccl-tests asks
 *
 * Each size is a run of its own: the collective alone, on all NPUs of the
 * platform, whose SMs and memory have nothing else to do.  The endpoint is the
 * baseline with all of both, unless another is set.
 *
 * Bandwidths are those of nccl-tests: `algbw` is bytes over time, `busbw` is
 * that times what an ideal algorithm moves over each link for a byte, so that
 * it may stand beside the link's own, whatever the number of ranks
 * (collectives_bus_factor()).
 *
 * Units    bytes, ps
 * Errors   CONFIG_ERROR: a wrong platform, kind or size; no size that can run
 * Owner    the caller owns the Collectives
 * Sources  [NCCLPERF] in validate/SOURCES.md
 */
#ifndef SIM_STUDY_COLLECTIVES_COLLECTIVES_H
#define SIM_STUDY_COLLECTIVES_COLLECTIVES_H

#include "models/run/system.h"
#include "sim/study/run_many.h"

typedef struct {
    const char *platform; /* a file, or whatever else `platform` may say */
    const char *stack;    /* likewise; NULL: none */
    const char *kind;     /* of the collective: "all-reduce" */
    const GArray *sizes;  /* of uint64_t, bytes; see collectives_sizes() */
    char *const *sets;    /* "KEY=VALUE"; may be NULL */
    FoldMode fold;
} CollectivesTask;

typedef struct {
    uint64_t bytes;
    SimTime time_ps;
    uint64_t n_channels;        /* 0: nobody chose any */
    char *algorithm, *protocol; /* owned; "": nobody chose one */
    char *notes;                /* owned: see report/notes.h; "": none */
    char *reason;               /* owned: why it could not be run, or NULL */
    gboolean is_lost;           /* its run never ended (losses.h) */
} CollectivesRow;

typedef struct {
    char *name; /* owned: of the platform */
    char *kind; /* owned: of the collective */
    uint64_t n_npus;
    GArray *rows; /* owned, of CollectivesRow, in the order of the sizes */
} Collectives;

/* "8 B..16 GiB" by doubling, or sizes, or both, with commas between: an array
 * of uint64_t.  NULL on error.  Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
GArray *collectives_sizes(const char *text, GError **error);

/* Sizes that cannot be run have a reason, as have those that are lost; where
 * none is left, that is the error. */
G_GNUC_WARN_UNUSED_RESULT
Collectives *collectives_run(const CollectivesTask *task, RunManyFn run_many,
                             GError **error);
void collectives_free(Collectives *collectives);

/* FALSE: some sizes are lost. */
G_GNUC_WARN_UNUSED_RESULT
gboolean collectives_are_whole(const Collectives *collectives, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Collectives, collectives_free)

static inline const CollectivesRow *collectives_row(const Collectives *c,
                                                    guint i)
{
    return &g_array_index(c->rows, CollectivesRow, i);
}

/* busbw over algbw as a fraction: 2(n-1)/n of an all-reduce. */
void collectives_bus_factor(const Collectives *collectives, uint64_t *ret_num,
                            uint64_t *ret_den);

/* A line a size, with a header; what could not be run has a reason and no
 * time. */
GString *collectives_csv(const Collectives *collectives);

#endif
