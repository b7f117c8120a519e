/*
 * check.h - is a file right, whatever kind of file it is
 *
 * A run file's system is built, a sweep's points are all tried, a workload's
 * graph is made: so what fits alone but not together is found as well.  A
 * workload is right when some setting of `training` can run it.
 *
 * Errors   CONFIG_ERROR, all problems at once
 */
#ifndef SIM_CLI_CHECK_H
#define SIM_CLI_CHECK_H

#include <glib.h>

/* With @sets ("KEY=VALUE"; may be NULL) in it.  *@ret_needs is static: the
 * setting that a run of the file needs, as text for the user; NULL: none but
 * the defaults. */
G_GNUC_WARN_UNUSED_RESULT
gboolean check_file(const char *path, char *const *sets, const char **ret_needs,
                    GError **error);

#endif
