/*
 * apart.h - files that a command writes, which are no two the same and none
 * that it reads
 *
 * Standard output, devices and pipes take whatever comes.
 *
 * Errors   G_FILE_ERROR, what to name otherwise
 */
#ifndef SIM_HOST_APART_H
#define SIM_HOST_APART_H

#include <glib.h>

/* What the user asked for by @option, "--csv"; @path NULL: nothing.  A list of
 * them ends with .option NULL. */
typedef struct {
    const char *option, *path;
} ApartOutput;

/* FALSE: two of @outputs are one file. */
G_GNUC_WARN_UNUSED_RESULT
gboolean apart_outputs(const ApartOutput *outputs, GError **error);

/* FALSE: one of @outputs is @read. */
G_GNUC_WARN_UNUSED_RESULT
gboolean apart_from(const ApartOutput *outputs, const char *read,
                    GError **error);

#endif
