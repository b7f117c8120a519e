/*
 * column_fields.h - what the columns of a table mean, as JSON
 *
 * An array has an object for each column, with its name, its type, its unit,
 * its title, what is better and one sentence: the fields of a Frictionless
 * Table Schema.
 *
 * Types    "string", "number", "integer" or "boolean"; "any" for a swept key of
 *          a file that is too large to be looked through
 */
#ifndef SIM_VIEW_COLUMN_FIELDS_H
#define SIM_VIEW_COLUMN_FIELDS_H

#include "sim/core/csv.h"
#include "sim/core/json_writer.h"

/* Adds the columns of @table, the contents of the file @file without its
 * ending: "runs".  If @is_whole is FALSE, some rows are missing. */
void json_add_column_fields(Json *json, const char *key, const char *file,
                            const CsvTable *table, gboolean is_whole);

#endif
