/*
 * curve.h - a quantity over another, known at some points, straight between
 *
 * Order    points are added with growing x
 * Owner    the caller owns the array of CurvePoint
 */
#ifndef VALIDATE_CURVE_H
#define VALIDATE_CURVE_H

#include <glib.h>

typedef struct {
    double x, y;
} CurvePoint;

/* Fills *@x with the least x at which the curve has @level.  FALSE when it
 * stays below, or has passed it at the first point already. */
G_GNUC_WARN_UNUSED_RESULT
gboolean curve_reach(const CurvePoint *points, guint n, double level,
                     double *x);

/* FALSE when @x lies outside the points. */
G_GNUC_WARN_UNUSED_RESULT
gboolean curve_at(const CurvePoint *points, guint n, double x, double *y);

#endif
