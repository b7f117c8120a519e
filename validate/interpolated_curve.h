/*
 * interpolated_curve.h - a function that is known at some points, with linear
 * interpolation
 *
 * Order    points are added with growing x
 * Owner    the caller owns the array of CurvePoint
 */
#ifndef VALIDATE_INTERPOLATED_CURVE_H
#define VALIDATE_INTERPOLATED_CURVE_H

#include <glib.h>

typedef struct {
    double x, y;
} CurvePoint;

/* Sets *@x to the smallest x at which the curve reaches @level.  Returns FALSE
 * if the curve stays below it, or is above it at the first point already. */
G_GNUC_WARN_UNUSED_RESULT
gboolean curve_first_x_at_level(const CurvePoint *points, guint n, double level,
                                double *x);

/* Sets *@y to the value at @x.  Returns FALSE if @x is outside the points. */
G_GNUC_WARN_UNUSED_RESULT
gboolean curve_value_at(const CurvePoint *points, guint n, double x, double *y);

#endif
