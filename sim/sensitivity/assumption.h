/*
 * assumption.h - what of a configuration is assumed, and what else it might be
 *
 * Every value of which the source says "assumed", "fitted" or "recalled" is
 * an assumption; so is what a file of assumptions has a range for.  A value
 * under `endpoint` is one of its endpoint alone.  Items of a list are one
 * assumption together.
 *
 * Without a range a number is halved and doubled, within what it may be, and
 * of words every other is tried.  What is 0 or left to the program has no
 * range of its own.
 *
 * Errors   CONFIG_ERROR
 * Order    as the configuration has them, then cases
 * Owner    the caller owns the array; it borrows contenders and the file
 */
#ifndef SIM_SENSITIVITY_ASSUMPTION_H
#define SIM_SENSITIVITY_ASSUMPTION_H

#include "sim/sensitivity/change.h"

typedef struct {
    gboolean ok;
    double value; /* of the metric: mean over groups */
    char *reason; /* owned: why there is none; else NULL */
    char *best;   /* owned: of a single group, the best baseline; else NULL */
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

typedef struct {
    char *const *ranges; /* "KEY=LOW..HIGH"; may be NULL */
    char *const *only;   /* names, keys or what they begin with; may be NULL */
    char *const *skip;   /* likewise */
} AssumptionFilter;

/* An array of owned Assumption.  @config may be NULL.  Values that stand in no
 * file are put into @holder, which is a map and must outlive the array. */
G_GNUC_WARN_UNUSED_RESULT
GPtrArray *assumptions_of(const Contenders *contenders,
                          const AssumptionsConfig *config,
                          const AssumptionFilter *filter, ConfigDoc *holder,
                          GError **error);

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

/* Adds the cases of @config that concern these contenders to @all. */
G_GNUC_WARN_UNUSED_RESULT
gboolean cases_add(GPtrArray *all, const Contenders *contenders,
                   const AssumptionsConfig *config, GError **error);

#endif
