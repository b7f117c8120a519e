/*
 * yaml.h - a document as the text of one file
 *
 * What was set is in it, what names other files names them still, from where
 * the text will lie.  Comments are lost.  Short maps and lists stand in one
 * line.
 *
 * Owner    texts are the caller's
 */
#ifndef SIM_STUDY_OPTIMISE_YAML_H
#define SIM_STUDY_OPTIMISE_YAML_H

#include "sim/config/config_node.h"

/* @node in one line, "{kind: none}"; names of files are as they are. */
char *yaml_flow(const ConfigNode *node);

/* @doc, read as @fields by config_doc_read(), as it would stand in a file in
 * @folder. */
GString *yaml_text(ConfigDoc *doc, const ConfigField *fields,
                   const char *folder);

#endif
