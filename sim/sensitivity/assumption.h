/*
 * assumption.h - an assumption and its alternative values
 *
 * Owner    the caller owns the array, which borrows endpoints and the file
 */
#ifndef SIM_SENSITIVITY_ASSUMPTION_H
#define SIM_SENSITIVITY_ASSUMPTION_H

#include "sim/sensitivity/value_change.h"

typedef struct {
    gboolean ok;
    double value;         /* value of the metric: the mean over the groups */
    char *reason;         /* owned: why there is no value; otherwise NULL */
    gboolean has_crashed; /* a run was killed or crashed (failed_runs.h);
                           * .reason says how */
    char *best; /* owned: the best baseline if there is one group; otherwise
                 * NULL */
} AlternativeOutcome;

/* An alternative to the present value of an assumption. */
typedef struct {
    char *label;        /* owned */
    GArray *changes;    /* owned: of ValueChange */
    GPtrArray *added;   /* owned, of owned ComparedEndpoint: additional
                         * baselines */
    GPtrArray *without; /* owned, of borrowed names: baselines that are left
                         * out */
    AlternativeOutcome outcome;
} Alternative;

typedef struct {
    char *name;          /* owned: "endpoint.sms of comm-opt", "release" */
    char *current_value; /* owned: the present value */
    char *source;        /* owned: source of the present value; or "" */
    const char *why; /* borrowed: reason for the alternatives; "" if they follow
                      * the general rule */
    GPtrArray *alternatives; /* owned, of owned Alternative; empty: it has no
                              * range */
    double least, most; /* range of the metric, the present value included */
} Assumption;

static inline Assumption *assumption_at(const GPtrArray *all, guint i)
{
    return g_ptr_array_index(all, i);
}

static inline Alternative *assumption_alternative(const Assumption *assumption,
                                                  guint i)
{
    return g_ptr_array_index(assumption->alternatives, i);
}

void clear_assumption_outcome(AlternativeOutcome *outcome);

/* Returns TRUE if @alternative leaves out the baseline @endpoint. */
gboolean
assumption_alternative_excludes_endpoint(const Alternative *alternative,
                                         const ComparedEndpoint *endpoint);

/* ---- private to the sources of this folder ------------------------------- */

Assumption *assumption_new(const char *name, const char *now,
                           const char *source, const char *why);
void assumption_free(Assumption *assumption);
Alternative *assumption_alternative_new(const char *label);
void assumption_alternative_free(Alternative *alternative);

#endif
