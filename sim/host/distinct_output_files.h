/*
 * distinct_output_files.h - checks that the output files of a command are
 * distinct, and are not files that it reads
 *
 * Standard output, devices and pipes are exempt: several outputs may go to
 * them.
 *
 * Errors   G_FILE_ERROR, which of the options conflict
 */
#ifndef SIM_HOST_DISTINCT_OUTPUT_FILES_H
#define SIM_HOST_DISTINCT_OUTPUT_FILES_H

#include <glib.h>

/* An output that the user requested by @option, such as "--csv".  @path is NULL
 * if the option is absent.  A list ends with an .option of NULL. */
typedef struct {
    const char *option, *path;
} NamedOutput;

/* Returns FALSE and sets @error if two options of @outputs name the same
 * file. */
G_GNUC_WARN_UNUSED_RESULT
gboolean distinct_files_check_outputs(const NamedOutput *outputs,
                                      GError **error);

/* Returns FALSE and sets @error if one of @outputs is the input file @read. */
G_GNUC_WARN_UNUSED_RESULT
gboolean distinct_files_check_input(const NamedOutput *outputs,
                                    const char *read, GError **error);

#endif
