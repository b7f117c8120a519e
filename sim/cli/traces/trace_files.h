/*
 * trace_files.h - the files of one recording, as a command line names them
 *
 * Errors   those of read.h; CONFIG_ERROR: they hold no rank; G_FILE_ERROR: a
 *          folder cannot be read
 * Owner    the caller owns what is returned
 */
#ifndef SIM_CLI_TRACES_TRACE_FILES_H
#define SIM_CLI_TRACES_TRACE_FILES_H

#include "sim/cli/cli.h"
#include "sim/host/apart.h"
#include "workloads/readers/read.h"
#include "workloads/recording/align.h"

/* The number that --format asks for by @name, of read_names; READ_AUTO, if it
 * is NULL.  Else than CLI_OK: there is none of that name, which is said. */
int trace_files_format(const CliCommand *command, const char *name, int *ret);

/* All of @names by @format, in the order in which they are named; a folder
 * stands for the files in it, by name, or for those in its folders if no reader
 * knows any of its own.  A file of a folder that no reader knows is left out,
 * which is said on standard error.  NULL on error; that folders of one folder
 * have the same rank is one. */
G_GNUC_WARN_UNUSED_RESULT
Recording *trace_files_read(char *const *names, int format,
                            const ReadOptions *options, GError **error);

/* That @recording has nothing that a program can be made of, and what it has
 * instead. */
void trace_files_fail_empty(const Recording *recording, GError **error);

/* FALSE: one of @outputs is one of @names, or in one of them. */
G_GNUC_WARN_UNUSED_RESULT
gboolean trace_files_are_apart(char *const *names, const ApartOutput *outputs,
                               GError **error);

/* Puts clocks right: "align", "keep", or where it is needed, if @how is NULL.
 */
Align *trace_files_align(Recording *recording, const char *how);

#endif
