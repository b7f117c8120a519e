/*
 * known.h - what a search knows of the run that it is to make faster
 *
 * Of the default: its configuration, and where the time of its first NPU's main
 * stream goes.  And of the exchange of gradients, as it is under what else was
 * changed so far: tensors, as they get ready, and what messages take.
 *
 * Units    bytes, ps
 * Owner    the caller owns the Known, which owns its arrays and document
 */
#ifndef SIM_STUDY_OPTIMISE_KNOWN_H
#define SIM_STUDY_OPTIMISE_KNOWN_H

#include "sim/study/optimise/trials.h"

typedef struct {
    const TrialMaker *maker; /* borrowed */
    ConfigDoc *doc;          /* owned: of the default */
    SystemConfig config;
    uint64_t n_hops;  /* of a run */
    TrialWork work;   /* likewise */
    guint n_tensors;  /* that have a message of their own; 0: none has */
    GArray *tensors;  /* owned, of GroupingTensor; empty: not known yet */
    GArray *messages; /* owned, of GroupingMessage; likewise */
    /* Of the default's time: waits for communication and what it costs
     * kernels; launches, gaps and measured times. */
    double communication, fixed;
    gboolean is_recorded; /* communication takes what was recorded, whatever */
    double slowed;        /* of it, what communication costs kernels */
    const Trial *at;      /* borrowed: what is to be varied; NULL: none is */
} Known;

/* NULL: the default cannot be run. */
G_GNUC_WARN_UNUSED_RESULT
Known *known_new(const TrialMaker *maker, GError **error);
void known_free(Known *known);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Known, known_free)

/* How many tensors may go together where @candidate is in force. */
void known_count_tensors(Known *known, const Candidate *candidate);

/* Tensors from @whole, in which each has a message, and what messages take from
 * all of @trials (of borrowed Trial). */
void known_take_messages(Known *known, const Trial *whole,
                         const GPtrArray *trials);

/* The kind of the exchange of the default; "" where gradients are none. */
const char *known_exchange(const Known *known);

/* "training.exchange={kind: KIND, MORE, ...}" with what the default's exchange
 * says that KIND can say, too, but for what stands in @more, which begins with
 * a comma or is empty.  Owner: the caller. */
char *known_exchange_sets(const Known *known, const char *kind,
                          const char *more);

#endif
