/*
 * run_file.h - a run file that replays an imported program
 *
 * The run uses the recorded times of kernels and communication, and the gaps,
 * for one iteration.  The platform has the recorded device type and number of
 * NPUs, on a switch, as recordings do not describe links.
 *
 * Owner    the caller owns the text
 */
#ifndef WORKLOADS_RECORDING_TRACE_TO_PROGRAM_RUN_FILE_H
#define WORKLOADS_RECORDING_TRACE_TO_PROGRAM_RUN_FILE_H

#include "workloads/recording/trace_to_program/imported_program.h"

/* Returns the path of the file @program as the run file @run names it: relative
 * if both are in one folder.  The caller owns the text. */
char *program_path_for_run_file(const char *program, const char *run);

/* Returns how many dimensions of a platform the groups of the program name, or
 * 0 if no group is given by dimensions.  A run needs a topology with
 * as many. */
guint run_file_count_dims(const ImportedProgram *imported);

/* Returns the text of the run file.  @program is the path of the program, and
 * @run that of the run file. */
GString *run_file_of_program(const ImportedProgram *imported,
                             const char *program, const char *run);

#endif
