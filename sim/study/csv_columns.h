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
    UNIT_GB_PER_S,
    UNIT_BYTES,
    UNIT_HZ,
    UNIT_TFLOP_PER_S,
    UNIT_N,
} ColumnUnit;

/* Tables end with a name of NULL. */
typedef struct {
    const char *name;
    ColumnUnit unit;
    /* Appends the cell of @of, the data of a row; NULL if the table is only a
     * list of columns. */
    void (*add)(GString *out, gconstpointer row);
} Column;

typedef struct {
    const char *suffix; /* the end of the column's name: "_us" */
    ConfigType type;
    guint n_shift;    /* one unit is 10^n_shift base units */
    guint n_digits;   /* digits after the point in a cell of a result */
    const char *name; /* the unit in texts for people: "GB/s" */
} ColumnUnitScale;

/* Returns NULL if the column holds no quantity. */
const ColumnUnitScale *column_scale_of_unit(ColumnUnit unit);

/* Returns the unit of quantities of @type.  A count and a fraction have no
 * unit; NULL if @type is no quantity. */
const ColumnUnitScale *column_unit_of_type(ConfigType type);

/* Returns the unit with which the name of a column ends, or NULL if it ends
 * with none. */
const ColumnUnitScale *column_unit_of_name(const char *name);

/* Appends @value, a number of base units, as a number of units with all of its
 * digits and no others: 1800000000000 B/s are 1800 GB/s.  No comma follows. */
void column_unit_append_exact(GString *out, const ColumnUnitScale *unit,
                              uint64_t value);

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
void columns_append_row(GString *out, const Column *columns, gconstpointer row);

#endif
