/*
 * units.h - what the end of a column's name says of its cells
 *
 * Owner    static
 */
#ifndef SIM_STUDY_UNITS_H
#define SIM_STUDY_UNITS_H

#include "sim/config/config_field.h"

typedef struct {
    const char *suffix;      /* of the column: "_us" */
    const char *base_suffix; /* of the same in base units: "_ps" */
    ConfigType type;
    guint n_shift;  /* base units in one are ten to this power */
    guint n_digits; /* behind the point of a cell */
} Unit;

/* NULL: the column holds no quantity. */
const Unit *unit_of_column(const char *column);

/* Base units in one. */
double unit_scale(const Unit *unit);

#endif
