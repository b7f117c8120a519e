/*
 * collectives.h - the time of one collective on a platform, by size, as
 * nccl-tests measures it
 *
 * Each size is a separate run of the collective alone, on all NPUs of the
 * platform, whose SMs and memory have no other work.  Unless another endpoint
 * is set, it is the baseline with all SMs and the whole memory bandwidth.
 *
 * Bandwidths are defined as in nccl-tests: `algbw` is bytes over time.  `busbw`
 * is algbw times the bytes that an ideal algorithm moves over each link per
 * byte of payload (collectives_bus_factor()).  So busbw can be compared with
 * the bandwidth of a link, whatever the number of ranks.
 *
 * Units    bytes, ps
 * Errors   CONFIG_ERROR: the platform, kind or a size is wrong, or no size can
 *          run
 * Owner    the caller owns the Collectives
 * Sources  [NCCLPERF] in validate/SOURCES.md
 */
#ifndef SIM_STUDY_COLLECTIVES_COLLECTIVES_H
#define SIM_STUDY_COLLECTIVES_COLLECTIVES_H

#include "models/run/system.h"
#include "sim/study/run_many.h"

typedef struct {
    const char *platform; /* a file, or any other value of `platform` */
    const char *stack;    /* a file, or any other value of `stack`; NULL:
                           * none */
    const char *kind;     /* of the collective: "all-reduce" */
    const GArray
        *sizes; /* of uint64_t, in bytes; see collectives_parse_sizes() */
    char *const *sets; /* "KEY=VALUE"; may be NULL */
    RunOptions run_options;
} CollectivesTask;

typedef struct {
    uint64_t bytes;
    SimTime time_ps;
    uint64_t n_channels;        /* chosen by the stack; 0: none */
    char *algorithm, *protocol; /* owned: chosen by the stack; "": none */
    char *notes;                /* owned: see report/run_notes.h; "": none */
    char *reason;               /* owned: why it could not be run, or NULL */
    gboolean has_crashed; /* its run was killed or crashed (failed_runs.h) */
} CollectivesRow;

typedef struct {
    char *name; /* owned: of the platform */
    char *kind; /* owned: of the collective */
    uint64_t n_npus;
    GArray *rows; /* owned: of CollectivesRow, in the order of the sizes */
} Collectives;

/* Returns the sizes of a text such as "8 B..16 GiB" (by doubling), single
 * sizes, or several of both with commas between, as an array of uint64_t that
 * the caller owns.  Returns NULL and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
GArray *collectives_parse_sizes(const char *text, GError **error);

/* Runs all sizes.  Sizes without a result have a .reason; if none has a result,
 * returns NULL and sets @error. */
G_GNUC_WARN_UNUSED_RESULT
Collectives *collectives_run(const CollectivesTask *task, RunManyFn run_many,
                             GError **error);
void collectives_free(Collectives *collectives);

/* Returns FALSE and sets @error if runs of some sizes were killed or
 * crashed. */
G_GNUC_WARN_UNUSED_RESULT
gboolean collectives_check_none_failed(const Collectives *collectives,
                                       GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Collectives, collectives_free)

static inline const CollectivesRow *
collectives_row(const Collectives *collectives, guint i)
{
    return &g_array_index(collectives->rows, CollectivesRow, i);
}

/* Returns busbw over algbw as a fraction, such as 2(n-1)/n for an
 * all-reduce. */
void collectives_bus_factor(const Collectives *collectives, uint64_t *ret_num,
                            uint64_t *ret_den);

/* Returns CSV with a header and one line per size.  A size that could not be
 * run has a reason and no time. */
GString *collectives_csv(const Collectives *collectives);

#endif
