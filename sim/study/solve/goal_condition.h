/*
 * goal_condition.h - parses a goal such as "net_bw_gb_per_s >= 90 % of ideal"
 *
 *     METRIC OP VALUE          VALUE has the unit of the metric
 *     METRIC OP N % of ideal   the same run with an endpoint of kind ideal
 *     METRIC OP N % of FILE    another run file, or the same run with the
 *     endpoint of the file
 *
 * METRIC is a numeric column of runs.csv, and OP one of >= <= > <.
 *
 * Units    those of the column; its name ends with the unit
 * Errors   CONFIG_ERROR, "--until:1:COLUMN: what is wrong"
 * Owner    the caller owns the Condition
 */
#ifndef SIM_STUDY_SOLVE_GOAL_CONDITION_H
#define SIM_STUDY_SOLVE_GOAL_CONDITION_H

#include <glib.h>

#define CONDITION_IDEAL "ideal"

typedef enum {
    CONDITION_AT_LEAST,
    CONDITION_AT_MOST,
    CONDITION_ABOVE,
    CONDITION_BELOW,
} ConditionOp;

typedef struct {
    char *metric; /* owned: name of the column */
    ConditionOp op;
    char *wanted;    /* owned: the text after the operator */
    char *reference; /* owned: "ideal" or a file; NULL: .value is the goal */
    double value;    /* in the unit of the column, or the share of the metric of
                      * .reference */
    guint n_digits;  /* digits after the point in the column's cells */
} Condition;

G_GNUC_WARN_UNUSED_RESULT
/* Returns the condition, or NULL and sets @error. */
Condition *condition_parse(const char *text, GError **error);
void condition_free(Condition *condition);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Condition, condition_free)

/* Returns the number with which the metric is compared.  @other is the metric
 * of the run that .reference names. */
double condition_goal_value(const Condition *condition, double other);
/* Returns whether the metric @value satisfies the condition for @goal. */
gboolean condition_is_met(const Condition *condition, double value,
                          double goal);

/* Returns the condition with normalised blanks, "net_bw_gb_per_s >= 90 % of
 * ideal", which the caller owns. */
char *condition_text(const Condition *condition);

#endif
