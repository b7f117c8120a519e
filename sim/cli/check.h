/*
 * check.h - is a file right, whatever kind of file it is
 *
 * A run file's system is built, a sweep's points are all tried, a workload's
 * graph is made: so what fits alone but not together is found as well.
 *
 * Errors   CONFIG_ERROR, all problems at once
 */
#ifndef SIM_CLI_CHECK_H
#define SIM_CLI_CHECK_H

#include <glib.h>

G_GNUC_WARN_UNUSED_RESULT
gboolean check_file(const char *path, GError **error);

#endif
