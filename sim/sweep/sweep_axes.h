/*
 * sweep_axes.h - for sweep_*.c only: the axes of a sweep file
 *
 * Owner    the caller owns the array of axes; nodes are the document's
 */
#ifndef SIM_SWEEP_SWEEP_AXES_H
#define SIM_SWEEP_SWEEP_AXES_H

#include "sim/config/config_node.h"

typedef struct {
    const char *key;   /* borrowed from the document */
    guint n_parts;     /* of the key */
    guint group;       /* axes of a group go on together */
    GPtrArray *values; /* owned array of borrowed ConfigNode, one at least */
    GPtrArray *labels; /* owned, of owned char * */
    gboolean is_cases; /* values are maps of paths and their values */
} SweepAxis;

/* An array of SweepAxis in the order of the text, or NULL. */
G_GNUC_WARN_UNUSED_RESULT
GArray *sweep_axes_read(const ConfigNode *list, GError **error);

static inline const SweepAxis *sweep_axis(const GArray *axes, guint i)
{
    return &g_array_index(axes, SweepAxis, i);
}

/* The number of points before exclusions.  FALSE: more than @max. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_axes_n_points(const GArray *axes, guint max, guint *ret);

/* Index of the value that @axis has at @point, a number before exclusions.
 * The last group is the fastest digit. */
guint sweep_axes_value(const GArray *axes, guint point, guint axis);

/* Whether @text names value @i: by its label or in full. */
gboolean sweep_axis_matches(const SweepAxis *axis, guint i, const char *text);

/* Whether value @i is a file in which `name` is @text. */
gboolean sweep_axis_has_name(const SweepAxis *axis, guint i, ConfigDoc *library,
                             const char *text);

/* "a, b, c", cut when long.  Owner: the caller. */
char *sweep_axis_labels(const SweepAxis *axis);

/* The file that @node names, relative to its own.  Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *sweep_load_file(ConfigDoc *library, const ConfigNode *node,
                           GError **error);

#endif
