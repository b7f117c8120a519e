/*
 * trace_files.h - reads the trace files of one recording that a command line
 * names
 *
 * Errors   those of reader_table.h; CONFIG_ERROR: no file has a rank;
 *          G_FILE_ERROR: a folder cannot be read
 * Owner    the caller owns what is returned
 */
#ifndef SIM_CLI_TRACES_TRACE_FILES_H
#define SIM_CLI_TRACES_TRACE_FILES_H

#include "sim/cli/cli.h"
#include "sim/host/distinct_output_files.h"
#include "workloads/readers/reader_table.h"
#include "workloads/recording/clock_alignment.h"

/* Sets *@ret to the index in read_names of the --format @name; READ_AUTO if
 * @name is NULL. Returns CLI_OK, or another status after a message if there is
 * no such format. */
int trace_files_parse_format(const CliCommand *command, const char *name,
                             int *ret);

/* Reads all files @names in @format, in this order.  A folder means the files
 * in it, sorted by name, or the files in its subfolders if no reader recognises
 * any of its own.  A file of a folder that no reader recognises is skipped with
 * a note on standard error.  Returns NULL and sets @error on failure, also if
 * two subfolders of one folder have the same rank. */
G_GNUC_WARN_UNUSED_RESULT
Recording *trace_files_read(char *const *names, int format,
                            const ReadOptions *options, GError **error);

/* Sets @error to say that no program can be made from @recording, and lists its
 * contents. */
void trace_files_set_empty_error(const Recording *recording, GError **error);

/* Returns FALSE and sets @error if one of @outputs is one of the files @names
 * or in one of these folders. */
G_GNUC_WARN_UNUSED_RESULT
gboolean trace_files_check_outputs(char *const *names,
                                   const NamedOutput *outputs, GError **error);

/* Aligns the clocks of the hosts: always ("align"), never ("keep"), or if
 * needed (@how is NULL).  Returns the alignment. */
Align *trace_files_align_clocks(Recording *recording, const char *how);

#endif
