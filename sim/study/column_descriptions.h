/*
 * column_descriptions.h - what the columns of a results folder mean
 *
 * A name has one meaning in all CSV files.  Columns of axes are named after
 * keys of the configuration and have no entry.
 */
#ifndef SIM_STUDY_COLUMN_DESCRIPTIONS_H
#define SIM_STUDY_COLUMN_DESCRIPTIONS_H

#include "sim/study/csv_columns.h"

typedef struct {
    const char *name;
    const char *label; /* a few words for the head of a table, without a unit */
    const char *better; /* "less" or "more"; NULL: neither is better */
    const char *text;   /* one sentence */
    gboolean is_text;   /* the cells are names or texts, else numbers */
} ColumnDescription;

/* Returns the description of a column, or NULL if there is none. */
const ColumnDescription *column_description(const char *name);

#endif
