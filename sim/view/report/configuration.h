/*
 * configuration.h - config.csv of a sweep as a section of a report
 *
 * What varied, what was fixed, and what of it is assumed.
 *
 * Errors   CSV_ERROR
 */
#ifndef SIM_VIEW_REPORT_CONFIGURATION_H
#define SIM_VIEW_REPORT_CONFIGURATION_H

#include <glib.h>

/* @folder holds config.csv; where it does not, the section says so. */
G_GNUC_WARN_UNUSED_RESULT
gboolean configuration_write(GString *out, const char *folder, GError **error);

#endif
