/*
 * units.h - columns of CSV, and what their cells hold
 *
 * Each file of CSV has one table of its columns: its header, its rows, its JSON
 * and whoever asks for a column by name walk that.
 *
 * Owner    tables are static but where a function says otherwise
 */
#ifndef SIM_STUDY_UNITS_H
#define SIM_STUDY_UNITS_H

#include "sim/config/config_field.h"

typedef enum {
    UNIT_TEXT,
    UNIT_RATIO, /* a plain number */
    UNIT_COUNT, /* a whole one */
    UNIT_US,
    UNIT_PS,
    UNIT_GB_PER_S,
    UNIT_BYTES,
    UNIT_N,
} ColumnUnit;

/* A table of them ends with a name of NULL. */
typedef struct {
    const char *name;
    ColumnUnit unit;
    /* Adds the cell of what the file's rows are of; NULL where the table only
     * tells what is there. */
    void (*add)(GString *out, gconstpointer of);
} Column;

typedef struct {
    const char *suffix;      /* of the column: "_us" */
    const char *base_suffix; /* of the same in base units: "_ps" */
    ConfigType type;
    guint n_shift;  /* base units in one are ten to this power */
    guint n_digits; /* behind the point of a cell */
} Unit;

/* NULL: the column holds no quantity. */
const Unit *unit_of(ColumnUnit unit);

/* Base units in one. */
double unit_scale(const Unit *unit);

/* The column of that name; NULL: there is none. */
const Column *column_find(const Column *columns, const char *name);

/* The names of those that hold a quantity, or with @all of every column; ends
 * with NULL.  Owner: the caller of the array, the names are those of
 * @columns. */
const char **column_names(const Column *columns, gboolean all);

/* The header's cells, or those of the row of @of, and the end of the row. */
void column_add_header(GString *out, const Column *columns);
void column_add_row(GString *out, const Column *columns, gconstpointer of);

#endif
