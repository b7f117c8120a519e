/*
 * config.h - YAML configuration with source positions
 *
 * A ConfigDoc holds a tree of ConfigNodes read from one YAML file, and from
 * the files that it names.  Every node knows where it stands, so that every
 * complaint can say "file:line:column".  Nobody walks the tree to find a
 * parameter: a thing describes its parameters once, in a ConfigField table,
 * and that table gives parsing, defaults, ranges and `acesim list`.
 *
 * A section or kind may be written in place (a map) or as the name of a file
 * that holds the map, relative to the file in which the name stands.
 *
 * Units    values are stored in base units: bytes, ps, Hz, bytes/s, FLOP/s,
 *          parts per million; see quantity.h for how they are written
 * Errors   CONFIG_ERROR; a message has one line per problem found, each
 *          "file:line:column: what is wrong", in the order of the text
 * Owner    the document owns its nodes and every struct, list and string
 *          that config_read() hands out
 * Range    see the CONFIG_MAX_* limits in config_error.h
 */
#ifndef SIM_CONFIG_CONFIG_H
#define SIM_CONFIG_CONFIG_H

#include "sim/config/config_error.h"
#include "sim/config/config_field.h"

/* ---- documents -------------------------------------------------------- */

/* Reads the file at @path.  Files it names are read when something in them is
 * asked for.  All syntax limits are errors, never a crash. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *config_doc_load(const char *path, GError **error);

/* The same from memory; @name is what messages call it and what relative file
 * names are relative to.  @text needs no final NUL; NULs in it are an error. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *config_doc_parse(const char *name, const char *text, gsize n_bytes,
                            GError **error);
/* Many documents that name the same files: what keeps these, each read once
 * whatever happens to it later.  It must outlive the documents. */
ConfigDoc *config_library_new(void);
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *config_doc_load_from(ConfigDoc *library, const char *path,
                                GError **error);
/* For files that @doc has not read yet. */
void config_doc_set_library(ConfigDoc *doc, ConfigDoc *library);

void config_doc_free(ConfigDoc *doc);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ConfigDoc, config_doc_free)

const ConfigNode *config_doc_root(const ConfigDoc *doc);

/* Sets the value at @path ("platform.npu.sms", list items by number:
 * "topology.dims.0.size", all of them by `*`) to the YAML in @text, adding keys
 * that are absent.  A file name on the way is read and descended into.  @origin
 * is what messages call this text ("--set"). */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_doc_set(ConfigDoc *doc, const char *path, const char *origin,
                        const char *text, GError **error);

/* The paths that @path stands for: a part `*` is every item of a list, and of a
 * map everything below it that has what follows.  NULL and an error: there is
 * none.  Owner: the caller frees by g_strfreev(). */
G_GNUC_WARN_UNUSED_RESULT
char **config_doc_expand(ConfigDoc *doc, const char *path, GError **error);

/* The same with a node of another document, which must outlive @doc; messages
 * and relative file names keep the node's own position. */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_doc_set_node(ConfigDoc *doc, const char *path,
                             const ConfigNode *value, GError **error);

/* Fills *@params from the root by @fields and reports every problem in the
 * document at once.  On error the contents of *@params are unspecified. */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_doc_read(ConfigDoc *doc, const ConfigField *fields,
                         gpointer params, GError **error);

/* Reads @node alone, a number, switch or choice, as config_doc_read() would.
 * FALSE: something is wrong with it, and @slot is as it was. */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_node_read(const ConfigNode *node, const ConfigField *field,
                          gpointer slot);

/* Appends all that config_doc_read() put into *@params, defaults too, in base
 * units: equal texts are equal configurations, however they were written and
 * wherever they stood.  No field may be CONFIG_RAW. */
void config_append_values(GString *out, const ConfigField *fields,
                          gconstpointer params);

/* The node at @path, or the nearest ancestor that exists: never NULL. */
const ConfigNode *config_doc_find(ConfigDoc *doc, const char *path);

/* The node at @path; NULL: a default stands there, or nothing. */
const ConfigNode *config_doc_get(ConfigDoc *doc, const char *path);

/* The parameter at @path by the tables that begin with @fields, whether the
 * document gives it or not; kinds are those of the document, which has been
 * read.  NULL: there is none. */
const ConfigField *config_doc_field(ConfigDoc *doc, const ConfigField *fields,
                                    const char *path);

/* What the last config_doc_read() did to values that the user should know of:
 * "file:line:column: note: ...", each once.  Borrowed, of text. */
const GPtrArray *config_doc_notes(const ConfigDoc *doc);

/* ---- complaints ------------------------------------------------------- */

/* Sets @error to "file:line:column: " and the formatted text.  Of a map, a text
 * that begins with one of its keys and a colon is about that key's value, and
 * stands where that does: what --set or an axis put there is named so. */
void config_set_error(GError **error, const ConfigNode *where,
                      ConfigErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
