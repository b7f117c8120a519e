/*
 * data_package.h - datapackage.json: the dictionary of a results folder
 *
 * It describes each column of each CSV file in the folder (column_fields.h), in
 * the form of a Frictionless Tabular Data Package, which programs for R, Python
 * and DuckDB read.  A file that is no CSV is left out.
 *
 * Errors   those of output_replace_file()
 */
#ifndef SIM_VIEW_DATA_PACKAGE_H
#define SIM_VIEW_DATA_PACKAGE_H

#include <glib.h>

#define DATA_PACKAGE "datapackage.json"

/* Writes the dictionary into the folder. */
G_GNUC_WARN_UNUSED_RESULT
gboolean data_package_write(const char *folder, GError **error);

#endif
