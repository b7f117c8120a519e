/*
 * foreign_files.h - recognises input files of other programs
 *
 * Such files are recognised by their keys.  So a message can say what a file is
 * and what to use instead, rather than list all its keys as unknown.
 *
 * Errors   CONFIG_ERROR
 */
#ifndef SIM_CONFIG_FILES_FOREIGN_FILES_H
#define SIM_CONFIG_FILES_FOREIGN_FILES_H

#include "sim/config/config.h"

/* Replaces *@error, which was set when reading @doc, if one of the files of
 * @doc belongs to another program. */
void foreign_files_explain_config_error(const ConfigDoc *doc, GError **error);

/* Replaces *@error, which must be set, if the file at @path, given in place of
 * a trace, is a configuration of acesim or of another program. */
void foreign_files_explain_trace_error(const char *path, GError **error);

#endif
