/*
 * sweep_axes.h - the axes of a sweep file; private to sweep_*.c
 *
 * Owner    the caller owns the array of axes; the document owns the nodes
 */
#ifndef SIM_SWEEP_SWEEP_AXES_H
#define SIM_SWEEP_SWEEP_AXES_H

#include "sim/config/config_node.h"

typedef struct {
    const char *key;   /* borrowed from the document */
    guint n_parts;     /* the number of parts of .key */
    guint group;       /* axes of one group advance together (zip) */
    GPtrArray *values; /* owned array of borrowed ConfigNode; not empty */
    GPtrArray *labels; /* owned, of owned char *: values as texts for people */
    /* The column of a CSV, and its cells by value; both owned.  If all values
     * but `auto` are quantities of one kind, the cells are numbers and the name
     * of the column ends with their unit; the cell of `auto` is empty.
     * Otherwise the name is the key and the cells are the labels. */
    char *column;
    GPtrArray *cells;
    gboolean is_cases; /* each value is a map of paths to values */
} SweepAxis;

/* Returns an array of SweepAxis in the order of the text.  Returns NULL and
 * sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
GArray *sweep_axes_read(const ConfigNode *list, GError **error);

static inline const SweepAxis *sweep_axis_at(const GArray *axes, guint i)
{
    return &g_array_index(axes, SweepAxis, i);
}

/* Sets *@ret to the number of points before exclusions.  Returns FALSE if there
 * are more than @max. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_axes_count_points(const GArray *axes, guint max, guint *ret);

/* Returns the index of the value of @axis at @point, a number before
 * exclusions.  The last group varies fastest. */
guint sweep_axes_value_index(const GArray *axes, guint point, guint axis);

/* Returns whether @text is the label or the full text of value @i. */
gboolean sweep_axis_value_matches(const SweepAxis *axis, guint i,
                                  const char *text);

/* Returns whether value @i is a file whose `name` is @text. */
gboolean sweep_axis_value_has_name(const SweepAxis *axis, guint i,
                                   ConfigDoc *library, const char *text);

/* Returns "a, b, c", shortened if it is long.  The caller owns the text. */
char *sweep_axis_label_list(const SweepAxis *axis);

/* Loads the file that @node names, relative to the node's file.  The caller
 * owns the document. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *sweep_load_named_file(ConfigDoc *library, const ConfigNode *node,
                                 GError **error);

#endif
