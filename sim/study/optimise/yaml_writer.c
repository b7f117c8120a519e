/* yaml_writer.c - writes a document as the text of one YAML file */
#include "sim/study/optimise/yaml_writer.h"

#include <string.h>

#include "sim/config/config.h"

#define WIDTH  96 /* maximum length of a line, in characters */
#define INDENT 2

typedef struct {
    ConfigDoc *doc;            /* NULL: names of files stay unchanged */
    const ConfigField *fields; /* fields at the root of the document */
    const char *folder;        /* absolute path */
} YamlWriter;

/* ---- writing scalars ----------------------------------------------------- */

/* Returns whether a YAML reader takes @text without quotes as exactly this
 * text. */
static gboolean is_plain_scalar(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_./+-@%*^()<>=;~$ ";
    gsize n = strlen(text);

    return n > 0 && strspn(text, safe) == n && text[n - 1] != ' ' &&
           (g_ascii_isalnum(text[0]) || text[0] == '.' || text[0] == '/' ||
            (text[0] == '-' && g_ascii_isdigit(text[1])));
}

static char *quote_yaml_scalar(const char *text)
{
    g_auto(GStrv) parts = NULL;
    g_autofree char *doubled = NULL;

    if (is_plain_scalar(text))
        return g_strdup(text);
    parts = g_strsplit(text, "'", -1);
    doubled = g_strjoinv("''", parts);
    return g_strdup_printf("'%s'", doubled);
}

/* Returns the path from @folder to @file; both are absolute. */
static char *make_relative_path(const char *folder, const char *file)
{
    g_auto(GStrv) from = g_strsplit(folder, "/", -1);
    g_auto(GStrv) to = g_strsplit(file, "/", -1);
    GString *out = g_string_new(NULL);
    guint same = 0;

    while (from[same] && to[same] && g_str_equal(from[same], to[same]))
        same++;
    for (guint i = same; from[i]; i++)
        if (*from[i] != '\0')
            g_string_append(out, "../");
    for (guint i = same; to[i]; i++)
        g_string_append_printf(out, "%s%s", to[i], to[i + 1] ? "/" : "");
    return g_string_free(out, FALSE);
}

/* Returns the path of the file that @node names relative to its own file, seen
 * from the folder of the text.  Returns NULL if there is no such file: files
 * that are installed with the program are found by name from anywhere. */
static char *find_referenced_file(const YamlWriter *writer,
                                  const ConfigNode *node)
{
    const char *text = config_node_text(node);
    g_autofree char *folder = g_path_get_dirname(config_node_file(node));
    g_autofree char *path = g_path_is_absolute(text)
                                ? g_strdup(text)
                                : g_build_filename(folder, text, NULL);
    g_autofree char *whole = g_canonicalize_filename(path, NULL);

    if (!g_file_test(whole, G_FILE_TEST_IS_REGULAR))
        return NULL;
    return g_path_is_absolute(text) ? g_strdup(whole)
                                    : make_relative_path(writer->folder, whole);
}

/* Returns whether the text at @path may be the name of a file. */
static gboolean may_be_file_name(const YamlWriter *writer, const char *path,
                                 const char *text)
{
    const ConfigField *field =
        writer->doc && *path != '\0'
            ? config_doc_field(writer->doc, writer->fields, path)
            : NULL;

    if (!field)
        return FALSE;
    return field->type == CONFIG_SECTION || field->type == CONFIG_KIND ||
           (field->type == CONFIG_NAME && strpbrk(text, "./"));
}

static char *scalar_text(const YamlWriter *writer, const ConfigNode *node,
                         const char *path)
{
    const char *text = config_node_text(node);
    g_autofree char *file = may_be_file_name(writer, path, text)
                                ? find_referenced_file(writer, node)
                                : NULL;

    return quote_yaml_scalar(file ? file : text);
}

/* ---- writing a node in one line ------------------------------------------ */

static char *child_key_path(const char *path, const ConfigNode *node, guint i)
{
    const char *dot = *path == '\0' ? "" : ".";

    if (config_node_kind(node) == CONFIG_NODE_LIST)
        return g_strdup_printf("%s%s%u", path, dot, i);
    return g_strdup_printf("%s%s%s", path, dot,
                           config_node_text(config_node_key(node, i)));
}

static void append_flow_value(const YamlWriter *writer, const ConfigNode *node,
                              const char *path, GString *out)
{
    gboolean is_map = config_node_kind(node) == CONFIG_NODE_MAP;

    if (config_node_kind(node) == CONFIG_NODE_SCALAR) {
        g_autofree char *text = scalar_text(writer, node, path);

        g_string_append(out, text);
        return;
    }
    g_string_append_c(out, is_map ? '{' : '[');
    for (guint i = 0; i < config_node_count(node); i++) {
        g_autofree char *inner = child_key_path(path, node, i);

        g_string_append(out, i > 0 ? ", " : "");
        if (is_map) {
            g_autofree char *key =
                quote_yaml_scalar(config_node_text(config_node_key(node, i)));

            g_string_append_printf(out, "%s: ", key);
        }
        append_flow_value(writer, config_node_value(node, i), inner, out);
    }
    g_string_append_c(out, is_map ? '}' : ']');
}

char *yaml_flow_text(const ConfigNode *node)
{
    const YamlWriter w = { 0 };
    GString *out = g_string_new(NULL);

    append_flow_value(&w, node, "", out);
    return g_string_free(out, FALSE);
}

/* ---- writing a node in several lines ------------------------------------- */

static gboolean is_list_of_scalars(const ConfigNode *node)
{
    for (guint i = 0; i < config_node_count(node); i++)
        if (config_node_kind(config_node_value(node, i)) != CONFIG_NODE_SCALAR)
            return FALSE;
    return TRUE;
}

/* Appends a long list of scalars, which continues in further lines. */
static void append_wrapped_list(const char *flow, guint indent, GString *out)
{
    g_auto(GStrv) words = g_strsplit(flow, ", ", -1);
    gsize column = indent;

    for (guint i = 0; words[i]; i++) {
        gsize n = strlen(words[i]);

        if (i > 0 && column + n + 3 > WIDTH) {
            g_string_append_printf(out, ",\n%*s", (int)indent, "");
            column = indent;
        } else if (i > 0) {
            g_string_append(out, ", ");
            column += 2;
        }
        g_string_append(out, words[i]);
        column += n;
    }
}

static void append_block_entries(const YamlWriter *writer,
                                 const ConfigNode *node, const char *path,
                                 guint indent, gboolean is_inline,
                                 GString *out);

/* Appends the value after "KEY:" or "-" in a line that is indented by
 * @indent. */
static void append_block_value(const YamlWriter *writer, const ConfigNode *node,
                               const char *path, guint indent, gboolean is_item,
                               GString *out)
{
    g_autoptr(GString) flow = g_string_new(NULL);
    ConfigNodeKind kind = config_node_kind(node);

    append_flow_value(writer, node, path, flow);
    if (kind == CONFIG_NODE_SCALAR || config_node_count(node) == 0 ||
        flow->len + indent + (is_item ? 0 : INDENT * 8) <=
            (is_item ? WIDTH + WIDTH / 4 : WIDTH)) {
        g_string_append_printf(out, " %s\n", flow->str);
    } else if (kind == CONFIG_NODE_LIST && is_list_of_scalars(node)) {
        g_string_append_printf(out, "\n%*s", (int)indent + INDENT, "");
        append_wrapped_list(flow->str, indent + INDENT, out);
        g_string_append_c(out, '\n');
    } else {
        g_string_append(out, is_item ? " " : "\n");
        append_block_entries(writer, node, path, indent + INDENT, is_item, out);
    }
}

/* Appends the entries of a map or list.  @is_inline: the first entry continues
 * a line. */
static void append_block_entries(const YamlWriter *writer,
                                 const ConfigNode *node, const char *path,
                                 guint indent, gboolean is_inline, GString *out)
{
    gboolean is_map = config_node_kind(node) == CONFIG_NODE_MAP;

    for (guint i = 0; i < config_node_count(node); i++) {
        g_autofree char *inner = child_key_path(path, node, i);

        if (i > 0 || !is_inline)
            g_string_append_printf(out, "%*s", (int)indent, "");
        if (is_map) {
            g_autofree char *key =
                quote_yaml_scalar(config_node_text(config_node_key(node, i)));

            g_string_append_printf(out, "%s:", key);
        } else {
            g_string_append_c(out, '-');
        }
        append_block_value(writer, config_node_value(node, i), inner, indent,
                           !is_map, out);
    }
}

GString *yaml_document_text(ConfigDoc *doc, const ConfigField *fields,
                            const char *folder)
{
    g_autofree char *whole = g_canonicalize_filename(folder, NULL);
    const YamlWriter w = { doc, fields, whole };
    GString *out = g_string_new(NULL);

    append_block_entries(&w, config_doc_root(doc), "", 0, FALSE, out);
    return out;
}
