/*
 * yaml_writer.h - writes a document as the text of one YAML file
 *
 * The text contains all changed settings.  Names of other files are rewritten
 * so that they are valid from where the text will be stored.  Comments are
 * lost.  Short maps and lists are written in one line.
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_STUDY_OPTIMISE_YAML_WRITER_H
#define SIM_STUDY_OPTIMISE_YAML_WRITER_H

#include "sim/config/config_node.h"

/* Returns @node in one line, such as "{kind: none}", with names of files
 * unchanged. */
char *yaml_flow_text(const ConfigNode *node);

/* Returns the text of @doc for a file in @folder.  @doc was read as @fields by
 * config_doc_read(). */
GString *yaml_document_text(ConfigDoc *doc, const ConfigField *fields,
                            const char *folder);

#endif
