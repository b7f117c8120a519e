/*
 * judge.h - errors of measured rows, by row and by system, beside a simple rule
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
 * The simple rule predicts a row from other systems only:
 *
 *     rule = basis of the row x median over other systems of (measured / basis)
 *
 * Of each other system the row that is nearest in .x counts, among those of the
 * same .kind; without any, among those of the same .wide_kind; without any,
 * among all.  Systems whose nearest row is more than half a unit of .x farther
 * than that of the nearest system do not count.  The quotient is 1 if there is
 * no other system, and for fixed rules.
 *
 * Units    all values of a row have the same unit
 * Errors   none; a measured value or a basis of 0 is a programming error
 * Owner    texts of rows are interned (g_intern_string)
 */
#ifndef VALIDATE_JUDGE_H
#define VALIDATE_JUDGE_H

#include <glib.h>

typedef struct {
    const char *system, *kind, *wide_kind;
    double x; /* such as the logarithm of a size to base 2 */
    double measured, simulated;
    /* The simulated value with constants that were fitted without .system; 0 if
     * there is none. */
    double left_out_value;
    double basis; /* the value of the rule before the quotient */
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
    /* The error of the rule by system: over the rows of the error left out, or
     * over all rows if there are none. */
    double rule_percent;
    /* The error left out, or else that by system, over that of the rule. */
    double ratio;
} Judgement;

/* Returns the value that the simple rule predicts for row @i of @rows, an array
 * of JudgeRow. */
double judge_rule_value(const GArray *rows, guint i, gboolean is_fixed);

/* Judges @rows; @is_fixed says that the rule is the basis itself. */
Judgement judge_rows(const GArray *rows, gboolean is_fixed);

/* Returns whether the simulator has a smaller error than the simple rule. */
gboolean judge_beats_rule(const Judgement *judgement);

#endif
