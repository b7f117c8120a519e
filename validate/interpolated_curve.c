/* interpolated_curve.c - a function that is known at some points, with linear
 * interpolation */
#include "validate/interpolated_curve.h"

static double interpolate_linearly(double a, double b, double part)
{
    return a + (b - a) * part;
}

gboolean curve_first_x_at_level(const CurvePoint *points, guint n, double level,
                                double *x)
{
    for (guint i = 0; i < n; i++) {
        const CurvePoint *point = &points[MAX(i, 1) - 1], *b = &points[i];

        if (b->y < level)
            continue;
        if (i == 0 && b->y > level)
            return FALSE;
        *x = i == 0
                 ? b->x
                 : interpolate_linearly(point->x, b->x,
                                        (level - point->y) / (b->y - point->y));
        return TRUE;
    }
    return FALSE;
}

gboolean curve_value_at(const CurvePoint *points, guint n, double x, double *y)
{
    for (guint i = 0; i + 1 < n; i++) {
        const CurvePoint *point = &points[i], *b = &points[i + 1];

        if (x < point->x || x > b->x)
            continue;
        *y = interpolate_linearly(point->y, b->y,
                                  (x - point->x) / (b->x - point->x));
        return TRUE;
    }
    return FALSE;
}
