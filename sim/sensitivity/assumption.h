/*
 * assumption.h - something that is assumed, and what else it might be
 *
 * Owner    the caller owns the array; it borrows contenders and the file
 */
#ifndef SIM_SENSITIVITY_ASSUMPTION_H
#define SIM_SENSITIVITY_ASSUMPTION_H

#include "sim/sensitivity/change.h"

typedef struct {
    gboolean ok;
    double value;     /* of the metric: mean over groups */
    char *reason;     /* owned: why there is none; else NULL */
    gboolean is_lost; /* the reason is that a run never ended (losses.h) */
    char *best; /* owned: of a single group, the best baseline; else NULL */
} Outcome;

/* One of the other values. */
typedef struct {
    char *label;        /* owned */
    GArray *changes;    /* owned, of Change */
    GPtrArray *added;   /* owned, of owned Contender: further baselines */
    GPtrArray *without; /* owned, of borrowed names: baselines that do not
                         * count */
    Outcome outcome;
} Try;

typedef struct {
    char *name;         /* owned: "endpoint.sms of comm-opt", "release" */
    char *now;          /* owned: what it is */
    char *source;       /* owned: where that is from; "" */
    const char *why;    /* borrowed: of the range; "" by the general rule */
    GPtrArray *tries;   /* owned, of owned Try; none: it has no range */
    double least, most; /* of the metric, what it is included */
} Assumption;

static inline Assumption *assumption_at(const GPtrArray *all, guint i)
{
    return g_ptr_array_index(all, i);
}

static inline Try *assumption_try(const Assumption *assumption, guint i)
{
    return g_ptr_array_index(assumption->tries, i);
}

void outcome_clear(Outcome *outcome);

/* TRUE when @attempt leaves the baseline @c out. */
gboolean try_leaves_out(const Try *attempt, const Contender *c);

/* ---- for the files of this folder that make them ---------------------- */

Assumption *assumption_new(const char *name, const char *now,
                           const char *source, const char *why);
void assumption_free(Assumption *assumption);
Try *try_new(const char *label);
void try_free(Try *attempt);

#endif
