/*
 * spare.h - what a command writes is nothing that its run is read from
 *
 * Neither the run file nor what that names: parts in files of their own, and
 * traces and schedules.
 *
 * Errors   G_FILE_ERROR, what to name otherwise; what cannot be read is no
 *          matter of ours, and TRUE
 */
#ifndef SIM_CLI_OUTPUTS_SPARE_H
#define SIM_CLI_OUTPUTS_SPARE_H

#include "sim/config/files/named.h"
#include "sim/host/apart.h"

/* FALSE: one of @outputs is one of @files. */
G_GNUC_WARN_UNUSED_RESULT
gboolean spare_files(const ApartOutput *outputs, const NamedFiles *files,
                     GError **error);

/* Of what @doc, which has been read, is read from. */
G_GNUC_WARN_UNUSED_RESULT
gboolean spare_doc(const ApartOutput *outputs, const ConfigDoc *doc,
                   GError **error);

/* Of the run at @path with @sets (may be NULL), or the @point of the sweep
 * (from 1 on; 0: all), which is read for it; and FALSE, too, where two of
 * @outputs are one. */
G_GNUC_WARN_UNUSED_RESULT
gboolean spare_run(const ApartOutput *outputs, const char *path,
                   char *const *sets, guint point, GError **error);

#endif
