/*
 * csv_columns.h - the columns of CSV files and their units
 *
 * Each CSV file has one table of columns, which serves for its header, its
 * rows, its JSON form and look-up by name.
 *
 * Owner    tables are static unless a function says otherwise
 */
#ifndef SIM_STUDY_CSV_COLUMNS_H
#define SIM_STUDY_CSV_COLUMNS_H

#include "sim/config/config_field.h"

typedef enum {
    UNIT_TEXT,
    UNIT_RATIO, /* a number without a unit */
    UNIT_COUNT, /* an integer */
    UNIT_US,
    UNIT_PS,
    UNIT_GB_PER_S,
    UNIT_BYTES,
    UNIT_N,
} ColumnUnit;

/* Tables end with a name of NULL. */
typedef struct {
    const char *name;
    ColumnUnit unit;
    /* Appends the cell of @of, the data of a row; NULL if the table is only a
     * list of columns. */
    void (*add)(GString *out, gconstpointer of);
} Column;

typedef struct {
    const char *suffix;      /* of the column: "_us" */
    const char *base_suffix; /* of the same quantity in base units: "_ps" */
    ConfigType type;
    guint n_shift;  /* one unit is 10^n_shift base units */
    guint n_digits; /* digits after the point in a cell */
} ColumnUnitScale;

/* Returns NULL if the column holds no quantity. */
const ColumnUnitScale *column_unit_of(ColumnUnit unit);

/* Returns how many base units one unit has. */
double column_unit_base_scale(const ColumnUnitScale *unit);

/* Returns the column @name, or NULL if there is none. */
const Column *columns_find(const Column *columns, const char *name);

/* Returns the names of the columns that hold a quantity, or with @all of all
 * columns; ends with NULL.  The caller owns the array, @columns own the
 * names. */
const char **columns_list_names(const Column *columns, gboolean all);

/* Append the cells of the header, or those of the row with data @of, and end
 * the row. */
void columns_append_header(GString *out, const Column *columns);
void columns_append_row(GString *out, const Column *columns, gconstpointer of);

#endif
