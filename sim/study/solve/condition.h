/*
 * condition.h - a goal, "net_bw_gb_per_s >= 90 % of ideal"
 *
 *   METRIC OP VALUE           VALUE with the unit of the metric
 *   METRIC OP N % of ideal    of the same run with an endpoint of kind ideal
 *   METRIC OP N % of FILE     of another run, or of the same with that endpoint
 *
 * METRIC is a column of a run's CSV that holds a number, OP one of >= <= > <.
 *
 * Units    those of the column, which its name ends in
 * Errors   CONFIG_ERROR, "--until:1:COLUMN: what is wrong"
 * Owner    the caller owns the Condition
 */
#ifndef SIM_STUDY_SOLVE_CONDITION_H
#define SIM_STUDY_SOLVE_CONDITION_H

#include <glib.h>

#define CONDITION_IDEAL "ideal"

typedef enum {
    CONDITION_AT_LEAST,
    CONDITION_AT_MOST,
    CONDITION_ABOVE,
    CONDITION_BELOW,
} ConditionOp;

typedef struct {
    char *metric; /* owned: the column */
    ConditionOp op;
    char *wanted;   /* owned: what stands behind the operator */
    char *of;       /* owned: "ideal" or a file; NULL: .value is the goal */
    double value;   /* in the column's unit, or the share of what .of has */
    guint n_digits; /* behind the point in the column's cells */
} Condition;

G_GNUC_WARN_UNUSED_RESULT
Condition *condition_parse(const char *text, GError **error);
void condition_free(Condition *condition);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Condition, condition_free)

/* The number that the metric is held against; @other is the metric of what
 * .of names. */
double condition_goal(const Condition *condition, double other);
gboolean condition_holds(const Condition *condition, double value, double goal);

/* "net_bw_gb_per_s >= 90 % of ideal", blanks as they should be.  Owner: the
 * caller. */
char *condition_text(const Condition *condition);

#endif
