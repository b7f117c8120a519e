/*
 * config_flow_map.c - see config_flow_map_impl.h
 *
 * A map is parsed in place: the character after each word becomes NUL, so that
 * the node of the word can point into the text.  A map that is parsed again
 * finds NUL in place of a colon, a comma or a closing bracket.  A comma is
 * followed by a blank and a closing bracket is not, which tells them apart.
 */
#include "sim/config/config_flow_map_impl.h"

#include <string.h>

#define MIN_LINES 16 /* a run of fewer lines is left to the YAML parser */
#define MAX_KEYS  32 /* in one map */
/* A map with a longer key is left to the YAML parser, which refuses keys of
 * more than 1,024 characters. */
#define MAX_KEY_BYTES 1000

/* The places in which a character may stand: in a text in quotes, inside a word
 * and in a text in quotes, or anywhere. */
enum {
    IS_QUOTABLE = 1,
    IS_INSIDE = 2 | IS_QUOTABLE,
    IS_FIRST = 4 | IS_INSIDE,
};

/* Returns whether @c may stand in the place @place. */
static gboolean character_is_allowed_at(char c, guint8 place)
{
    static const guint8 places[256] = {
        [' ' ... '!'] = IS_QUOTABLE, ['#' ... '$'] = IS_QUOTABLE,
        ['%'] = IS_INSIDE,           ['&'] = IS_QUOTABLE,
        ['(' ... ')'] = IS_INSIDE,   ['*'] = IS_QUOTABLE,
        ['+'] = IS_INSIDE,           [','] = IS_QUOTABLE,
        ['-'] = IS_INSIDE,           ['.' ... '9'] = IS_FIRST,
        [':' ... '<'] = IS_QUOTABLE, ['='] = IS_INSIDE,
        ['>' ... '?'] = IS_QUOTABLE, ['@'] = IS_INSIDE,
        ['A' ... 'Z'] = IS_FIRST,    ['['] = IS_QUOTABLE,
        [']' ... '^'] = IS_QUOTABLE, ['_'] = IS_FIRST,
        ['`'] = IS_QUOTABLE,         ['a' ... 'z'] = IS_FIRST,
        ['{' ... '~'] = IS_QUOTABLE,
    };

    return (places[(guchar)c] & place) == place;
}

typedef struct {
    char *p;     /* the next character */
    char *start; /* the opening bracket of the map */
    /* The map whose contents are made; NULL: the text is only checked, and not
     * changed. */
    ConfigNode *map;
    char *end_of_word; /* becomes NUL when the next character was read */
    guint n_nodes;
    guint height;
} FlowScanner;

static ConfigNode *new_node(FlowScanner *scanner, ConfigNodeKind kind,
                            const char *at)
{
    scanner->n_nodes++;
    return scanner->map
               ? config_node_new(scanner->map->source->doc, kind,
                                 scanner->map->source, scanner->map->line,
                                 scanner->map->column +
                                     (guint)(at - scanner->start))
               : NULL;
}

/* Reads the character between two items, or after the last one.  Returns
 * whether another item follows; sets *@ok to FALSE if it is neither a comma
 * with a blank nor @closer. */
static gboolean scan_separator(FlowScanner *scanner, char closer, gboolean *ok)
{
    char c = *scanner->p;

    if (c == '\0' && scanner->map)
        c = scanner->p[1] == ' ' ? ',' : closer;
    if (scanner->end_of_word && scanner->map)
        *scanner->end_of_word = '\0';
    scanner->end_of_word = NULL;
    *ok = c == closer || (c == ',' && scanner->p[1] == ' ');
    scanner->p += c == ',' ? 2 : 1;
    return *ok && c == ',';
}

static gboolean scan_text_in_quotes(FlowScanner *scanner, ConfigNode **ret)
{
    char quote = *scanner->p;
    char *first = scanner->p + 1, *end = first;

    while (character_is_allowed_at(*end, IS_QUOTABLE))
        end++;
    if (*end != quote && !(*end == '\0' && scanner->map))
        return FALSE;
    *ret = new_node(scanner, CONFIG_NODE_SCALAR, scanner->p);
    if (scanner->map) {
        (*ret)->text = first;
        (*ret)->quoted = TRUE;
    }
    scanner->end_of_word = end;
    scanner->p = end + 1;
    return TRUE;
}

static gboolean scan_word(FlowScanner *scanner, ConfigNode **ret)
{
    char *first = scanner->p, *end = first;

    if (*first == '"' || *first == '\'')
        return scan_text_in_quotes(scanner, ret);
    if (!character_is_allowed_at(*first, IS_FIRST))
        return FALSE;
    while (character_is_allowed_at(*end, IS_INSIDE) || *end == ' ')
        end++;
    if (end[-1] == ' ')
        return FALSE;
    *ret = new_node(scanner, CONFIG_NODE_SCALAR, first);
    if (scanner->map)
        (*ret)->text = first;
    scanner->end_of_word = scanner->p = end;
    return TRUE;
}

static gboolean scan_list(FlowScanner *scanner, ConfigNode **ret)
{
    gboolean ok = TRUE, more = scanner->p[1] != ']';

    *ret = new_node(scanner, CONFIG_NODE_LIST, scanner->p);
    scanner->p += more ? 1 : 2;
    while (more) {
        ConfigNode *item = NULL;

        if (!scan_word(scanner, &item))
            return FALSE;
        more = scan_separator(scanner, ']', &ok);
        if (!ok)
            return FALSE;
        if (scanner->map)
            config_node_add(*ret, item);
    }
    if (scanner->map)
        config_node_shrink_children(*ret);
    return TRUE;
}

/* Reads a key and the colon and the blank after it. */
static gboolean scan_key(FlowScanner *scanner, ConfigNode **ret, gsize *n_bytes)
{
    char *first = scanner->p, *end = first;

    if (!character_is_allowed_at(*first, IS_FIRST))
        return FALSE;
    while (character_is_allowed_at(*end, IS_INSIDE))
        end++;
    if ((*end != ':' && !(*end == '\0' && scanner->map)) || end[1] != ' ' ||
        end - first > MAX_KEY_BYTES)
        return FALSE;
    *ret = new_node(scanner, CONFIG_NODE_SCALAR, first);
    if (scanner->map) {
        (*ret)->text = first;
        *end = '\0';
    }
    *n_bytes = (gsize)(end - first);
    scanner->p = end + 2;
    return TRUE;
}

/* The keys of a map that is checked. */
typedef struct {
    const char *first[MAX_KEYS];
    gsize n_bytes[MAX_KEYS];
    guint n;
} FlowKeys;

/* Returns FALSE if there are too many keys, or if one is given twice. */
static gboolean add_key(FlowKeys *keys, const char *first, gsize n_bytes)
{
    if (keys->n == MAX_KEYS)
        return FALSE;
    for (guint i = 0; i < keys->n; i++)
        if (keys->n_bytes[i] == n_bytes &&
            memcmp(keys->first[i], first, n_bytes) == 0)
            return FALSE;
    keys->first[keys->n] = first;
    keys->n_bytes[keys->n++] = n_bytes;
    return TRUE;
}

/* Reads the keys and values of a map; @depth is 1 for the outermost one.
 * @children has room for those of MAX_KEYS keys. */
static gboolean scan_pairs(FlowScanner *scanner, guint depth,
                           const ConfigNode **children, guint *n_children);

static gboolean scan_map(FlowScanner *scanner, guint depth, ConfigNode *map)
{
    const ConfigNode *children[2 * MAX_KEYS];
    guint n = 0;

    if (!scan_pairs(scanner, depth, children, &n))
        return FALSE;
    if (map) {
        map->children = g_memdup2(children, n * sizeof *children);
        map->n_children = n;
    }
    return TRUE;
}

static gboolean scan_value(FlowScanner *scanner, guint depth, ConfigNode **ret)
{
    if (*scanner->p != '[' && *scanner->p != '{')
        return scan_word(scanner, ret);
    scanner->height = MAX(scanner->height, depth + 1);
    if (*scanner->p == '[')
        return scan_list(scanner, ret);
    if (depth > 1)
        return FALSE;
    *ret = new_node(scanner, CONFIG_NODE_MAP, scanner->p);
    return scan_map(scanner, depth + 1, *ret);
}

static gboolean scan_pairs(FlowScanner *scanner, guint depth,
                           const ConfigNode **children, guint *n_children)
{
    gboolean ok = TRUE, more = scanner->p[1] != '}';
    FlowKeys keys = { .n = 0 };

    scanner->height = MAX(scanner->height, depth);
    scanner->p += more ? 1 : 2;
    while (more) {
        const char *first = scanner->p;
        ConfigNode *key = NULL, *value = NULL;
        gsize n_bytes = 0;

        if (!scan_key(scanner, &key, &n_bytes) ||
            (!scanner->map && !add_key(&keys, first, n_bytes)) ||
            !scan_value(scanner, depth, &value))
            return FALSE;
        children[(*n_children)++] = key;
        children[(*n_children)++] = value;
        more = scan_separator(scanner, '}', &ok);
        if (!ok)
            return FALSE;
    }
    return TRUE;
}

void config_node_parse_flow_map(ConfigNode *map)
{
    FlowScanner s = { .p = map->flow_text,
                      .start = map->flow_text,
                      .map = map };
    gboolean ok;

    g_assert(map->is_unread);
    map->is_unread = FALSE;
    map->children = NULL;
    ok = scan_map(&s, 1, map);
    g_assert(ok);
}

/* ---- runs of lines ------------------------------------------------------- */

/* Returns the number of bytes of the line at @line if it is a list item with a
 * map, or 0.  @n_bytes are left in the text. */
static gsize find_flow_map_in_line(const char *line, gsize n_bytes,
                                   ConfigFlowRun *ret)
{
    const char *end = memchr(line, '\n', n_bytes);
    FlowScanner s = { 0 };
    gsize indent = 0;

    if (!end)
        return 0;
    while (line[indent] == ' ')
        indent++;
    if ((gsize)(end - line) < indent + strlen("- {}") ||
        memcmp(line + indent, "- {", strlen("- {")) != 0)
        return 0;
    s.start = s.p = (char *)line + indent + 2;
    if (!scan_map(&s, 1, NULL) || s.p != end)
        return 0;
    ret->indent = indent;
    ret->n_nodes = s.n_nodes + 1;
    ret->height = s.height;
    return (gsize)(end - line) + 1;
}

GArray *config_flow_runs_find(const char *text, gsize n_bytes)
{
    GArray *runs = g_array_new(FALSE, FALSE, sizeof(ConfigFlowRun));
    ConfigFlowRun run = { .n_lines = 0 };
    gsize at = 0;

    while (at < n_bytes) {
        ConfigFlowRun line = { .n_lines = 1 };
        gsize n = find_flow_map_in_line(text + at, n_bytes - at, &line);
        const char *end;

        if (run.n_lines > 0 && (n == 0 || line.indent != run.indent)) {
            if (run.n_lines >= MIN_LINES)
                g_array_append_val(runs, run);
            run.n_lines = 0;
        }
        if (n > 0 && run.n_lines == 0)
            run = (ConfigFlowRun){ .start = at, .indent = line.indent };
        if (n > 0) {
            run.n_bytes += n;
            run.n_lines++;
            run.n_nodes += line.n_nodes;
            run.height = MAX(run.height, line.height);
        } else {
            end = memchr(text + at, '\n', n_bytes - at);
            n = end ? (gsize)(end - (text + at)) + 1 : n_bytes - at;
        }
        at += n;
    }
    if (run.n_lines >= MIN_LINES)
        g_array_append_val(runs, run);
    if (runs->len == 0)
        g_clear_pointer(&runs, g_array_unref);
    return runs;
}

static guint count_flow_map_nodes(const GString *text)
{
    const char *p = text->str;
    guint n = 0;

    while ((p = strstr(p, CONFIG_FLOW_RUN_WORD)) != NULL) {
        p += strlen(CONFIG_FLOW_RUN_WORD);
        n++;
    }
    return n;
}

GString *config_flow_runs_replace(const char *text, gsize n_bytes,
                                  const GArray *runs)
{
    GString *out = g_string_new(NULL);
    gsize at = 0;

    for (guint i = 0; i < runs->len; i++) {
        const ConfigFlowRun *run = &g_array_index(runs, ConfigFlowRun, i);

        g_string_append_len(out, text + at,
                            (gssize)(run->start - at + run->indent));
        g_string_append(out, "- " CONFIG_FLOW_RUN_WORD "\n");
        at = run->start + run->n_bytes;
    }
    g_string_append_len(out, text + at, (gssize)(n_bytes - at));
    if (count_flow_map_nodes(out) == runs->len)
        return out;
    g_string_free(out, TRUE);
    return NULL;
}

void config_flow_run_add(ConfigDoc *doc, ConfigNode *list,
                         const ConfigFlowRun *run, char *text, guint line,
                         guint column)
{
    char *p = text + run->start;

    for (guint i = 0; i < run->n_lines; i++) {
        ConfigNode *map = config_node_new(doc, CONFIG_NODE_MAP, list->source,
                                          line + i, column);

        map->height = (guint8)run->height;
        map->is_unread = TRUE;
        map->flow_text = p + run->indent + strlen("- ");
        config_node_add(list, map);
        p = (char *)memchr(p, '\n',
                           run->n_bytes -
                               (gsize)(p - text - (gssize)run->start)) +
            1;
    }
}
