/*
 * report_configuration.h - section of a report about config.csv
 *
 * The section has the keys that varied, the fixed keys, and the assumed values.
 *
 * Errors   CSV_ERROR
 */
#ifndef SIM_VIEW_REPORT_REPORT_CONFIGURATION_H
#define SIM_VIEW_REPORT_REPORT_CONFIGURATION_H

#include <glib.h>

/* Appends the section for the config.csv in @folder, or a note if it is
 * missing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean report_write_configuration(GString *out, const char *folder,
                                    GError **error);

#endif
