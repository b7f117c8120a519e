/*
 * config.h - YAML configuration with source positions
 *
 * A ConfigDoc holds a tree of nodes (ConfigNode), which is read from one YAML
 * file and the files that it names.  Every node has a position, so every error
 * says "file:line:column".  Modules do not search the tree for parameters. Each
 * module describes its parameters once, in a ConfigField table.  The table
 * drives parsing, defaults, ranges and `acesim list`.
 *
 * A section or kind is written in place (as a map), or as the name of a file
 * that contains the map.  The name is relative to the file that contains it.
 *
 * Units    values are stored in base units: bytes, ps, Hz, bytes/s, FLOP/s,
 *          parts per million; quantity.h has the syntax
 * Errors   CONFIG_ERROR; a message has one line per problem, each
 *          "file:line:column: what is wrong", in the order of the text
 * Owner    the document owns its nodes and every struct, list and string that
 *          config_doc_read() returns
 * Range    see the CONFIG_MAX_* limits in config_error.h
 */
#ifndef SIM_CONFIG_CONFIG_H
#define SIM_CONFIG_CONFIG_H

#include "sim/config/config_error.h"
#include "sim/config/config_field.h"

/* ---- documents that hold a configuration --------------------------------- */

/* Loads the file at @path.  Files that it names are loaded when a value in them
 * is needed.  Exceeding a limit is an error, never a crash. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *config_doc_load(const char *path, GError **error);

/* Same as config_doc_load(), from memory.  @name is used in messages and as the
 * base of relative file names.  @text need not end with a NUL; a NUL inside is
 * an error. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *config_doc_parse(const char *name, const char *text, gsize n_bytes,
                            GError **error);
/* A library caches the files of many documents: each file is read once, even if
 * it changes later.  It must outlive the documents. */
ConfigDoc *config_library_new(void);
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *config_doc_load_from(ConfigDoc *library, const char *path,
                                GError **error);
/* Sets the library for files that @doc has not read yet. */
void config_doc_set_library(ConfigDoc *doc, ConfigDoc *library);

void config_doc_free(ConfigDoc *doc);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ConfigDoc, config_doc_free)

const ConfigNode *config_doc_root(const ConfigDoc *doc);

/* Sets the value at @path to the YAML in @text and adds missing keys.  A path
 * is like "platform.npu.sms"; list items are given by number
 * ("topology.dims.0.size") or as `*` for all.  File names along the path are
 * loaded.  @origin is the name of @text in messages ("--set"). */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_doc_set(ConfigDoc *doc, const char *path, const char *origin,
                        const char *text, GError **error);

/* Returns the paths that match @path.  A part `*` matches every item of a list,
 * or everything below a map that has the rest of the path.  Returns NULL and
 * sets @error if nothing matches.  The caller frees the list with
 * g_strfreev(). */
G_GNUC_WARN_UNUSED_RESULT
char **config_doc_expand_path(ConfigDoc *doc, const char *path, GError **error);

/* Same as config_doc_set(), with a node of another document, which must outlive
 * @doc.  Messages and relative file names use the node's own position. */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_doc_set_node(ConfigDoc *doc, const char *path,
                             const ConfigNode *value, GError **error);

/* Fills *@params from the root by the table @fields.  Reports all problems of
 * the document at once.  On error the contents of *@params are unspecified. */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_doc_read(ConfigDoc *doc, const ConfigField *fields,
                         gpointer params, GError **error);

/* Reads a single @node (a number, switch or choice) like config_doc_read().
 * Returns FALSE and leaves @slot unchanged if the value is wrong. */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_node_read(const ConfigNode *node, const ConfigField *field,
                          gpointer slot);

/* Appends all values that config_doc_read() has stored in *@params, including
 * defaults, in base units.  Equal texts mean equal configurations, regardless
 * of how and in which files they were written.  No field may be CONFIG_RAW. */
void config_append_values(GString *out, const ConfigField *fields,
                          gconstpointer params);

/* Returns the node at @path, or its nearest existing ancestor.  Never NULL. */
const ConfigNode *config_doc_find_nearest(ConfigDoc *doc, const char *path);

/* Returns the node at @path, or NULL if the document does not have it (its
 * value may be a default). */
const ConfigNode *config_doc_find_exact(ConfigDoc *doc, const char *path);

/* Returns the parameter at @path according to the table @fields, also if the
 * document does not set it, or NULL if there is none.  Kinds are those of the
 * document, which must have been read. */
const ConfigField *config_doc_field(ConfigDoc *doc, const ConfigField *fields,
                                    const char *path);

/* Returns notes of the last config_doc_read() for the user, such as rounded
 * values: "file:line:column: note: ...", and values that are probably slips of
 * the unit: "file:line:column: warning: ...", each once.  Borrowed, of text. */
const GPtrArray *config_doc_notes(const ConfigDoc *doc);

/* ---- errors at the position of a node ------------------------------------ */

/* Sets @error to "file:line:column: " and the formatted text.  If @where is a
 * map and the text begins with one of its keys and a colon, the position is
 * that of the key's value, which may come from --set or an axis. */
void config_set_error(GError **error, const ConfigNode *where,
                      ConfigErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
