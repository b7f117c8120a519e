/*
 * measured_table.h - reads columns of the CSV files of validate/gpu into
 * structs
 *
 * Each reader lists the columns that it needs and the fields for their values.
 *
 * Errors   CSV_ERROR, with file and line: a column is missing, or a value is
 *          not a number in range
 * Owner    the table owns the texts of the rows, and must outlive them
 */
#ifndef VALIDATE_KERNELS_MEASURED_TABLE_H
#define VALIDATE_KERNELS_MEASURED_TABLE_H

#include "sim/core/csv.h"

typedef enum {
    MEASURED_TEXT,   /* const char * */
    MEASURED_COUNT,  /* uint64_t; an empty cell is 0 */
    MEASURED_NUMBER, /* double of at least 0; an empty cell is 0 */
    MEASURED_TIME,   /* double above 0 */
} MeasuredType;

typedef struct {
    const char *name;
    gsize offset; /* of the field in the struct of a row */
    MeasuredType type;
} MeasuredColumn;

/* The column that is called as @field of the struct @Row. */
#define MEASURED_COLUMN(Row, field, type)                                      \
    {                                                                          \
#field, offsetof(Row, field), type                                     \
    }

/* Returns an array of structs of @row_size bytes, one for each row of @table,
 * which was read from @path. */
G_GNUC_WARN_UNUSED_RESULT
GArray *measured_table_rows(const CsvTable *table, const char *path,
                            const MeasuredColumn *columns, guint n_columns,
                            gsize row_size, GError **error);

#endif
