/*
 * foreign.h - files of other programs that are given in place of ours
 *
 * They are recognised by their keys, so that a message can say what a file is
 * and what to give instead of it, rather than list all its keys as unknown.
 *
 * Errors   CONFIG_ERROR
 */
#ifndef SIM_CONFIG_FILES_FOREIGN_H
#define SIM_CONFIG_FILES_FOREIGN_H

#include "sim/config/config.h"

/* Returns what the map @root is, and what to do: "a config.json of ...; ...".
 * NULL: it has not enough keys of any other program.  Static. */
const char *foreign_name(const ConfigNode *root);

/* Replaces *@error, which reading @doc has set, where one of its files is
 * foreign. */
void foreign_explain(const ConfigDoc *doc, GError **error);

/* Says in *@error, which has been set, what the file at @path is where it is a
 * configuration of ours, or foreign, given in place of a trace. */
void foreign_explain_trace(const char *path, GError **error);

#endif
