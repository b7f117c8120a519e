/*
 * error_statistics.h - errors of measured rows, by row and by system, beside
 * simple rules
 *
 * A family is a set of measured rows of one kind.  A system is what its rows
 * have in common: a model, a machine, a GPU, a number of them, a release.
 * Errors are absolute deviations from the measured value.  The error by system
 * is the mean over systems of the mean over the rows of each, so that a system
 * with many rows weighs as much as one with few.
 *
 * The error left out shows what to expect of a system that no constant knows.
 * It is taken over the rows with .left_out_value, which was simulated with
 * constants that were fitted without the system of the row.  If a family has no
 * such row, it is taken over the systems in which no row is fitted to.
 *
 * A simple rule predicts a row without a simulator, and from other systems
 * only:
 *
 *     basis     the basis of the row, such as a nominal time
 *     median    basis x median over other systems of the median over their rows
 *               of (measured / basis)
 *     nearest   basis x median over other systems of (measured / basis) of
 * their row that is nearest in .x, among those of the same .kind; without any,
 * of the same .wide_kind; without any, among all. Systems whose nearest row is
 * more than half a unit of .x farther than that of the nearest system do not
 * count.
 *
 * The quotient is 1 if there is no other system.  Of the rules that a family
 * admits, the one with the smallest error counts, so the comparison favours the
 * rules.
 *
 * Units    all values of a row have the same unit
 * Errors   none; a measured value or a basis of 0 is a programming error
 * Owner    texts of rows are interned (g_intern_string)
 */
#ifndef VALIDATE_ERROR_STATISTICS_H
#define VALIDATE_ERROR_STATISTICS_H

#include <glib.h>

typedef enum {
    JUDGE_RULE_BASIS,
    JUDGE_RULE_MEDIAN,
    JUDGE_RULE_NEAREST,
    JUDGE_N_RULES,
} JudgeRule;

/* Sets of rules: bits of 1 << JudgeRule. */
#define JUDGE_ALL_RULES ((1U << JUDGE_N_RULES) - 1)

typedef struct {
    const char *system, *kind, *wide_kind;
    double x; /* such as the logarithm of a size to base 2 */
    double measured, simulated;
    /* The simulated value with constants that were fitted without .system; 0 if
     * there is none. */
    double left_out_value;
    double basis; /* the prediction of the rule without a quotient */
    gboolean is_fitted_to;
} JudgeRow;

typedef struct {
    guint n_rows, n_systems;
    double by_row_percent, by_system_percent;
    /* The system with the largest mean error; NULL without rows. */
    const char *worst_system;
    double worst_system_percent;
    /* The rows and systems of the error left out; 0 if it does not exist. */
    guint n_left_out_rows, n_left_out_systems;
    gboolean is_refitted;
    double left_out_percent;
    JudgeRule rule; /* the best rule */
    /* The mean over systems of the error of this rule, for the rows whose
     * errors left out are known, or for all rows if there are none. */
    double rule_percent;
    /* The error of rows held out of the fit divided by that of the rule; if no
     * row was held out, the error by system is used. */
    double ratio;
} Judgement;

/* Returns the value that @rule predicts for row @i of @rows, an array of
 * JudgeRow. */
double judge_value_predicted_by_rule(const GArray *rows, guint i,
                                     JudgeRule rule);

/* Judges @rows beside the best of @rules, a set of at least one. */
Judgement judge_rows(const GArray *rows, guint rules);

/* Returns whether the simulator has a smaller error than the best rule. */
gboolean judge_beats_rule(const Judgement *judgement);

#endif
