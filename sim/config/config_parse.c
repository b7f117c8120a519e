/*
 * config_parse.c - passes the events of libyaml to the builder, and reports
 * syntax errors
 *
 * Cost     linear in the length of the text
 */
#include "sim/config/config_parse_impl.h"

#include <string.h>

#include "sim/config/config_tree_builder_impl.h"
#include "sim/config/files/hugging_face_model.h"

/* The limit of %TAG directives.  libyaml compares each directive with all
 * others, which takes quadratic time.  The configuration does not use tags, so
 * any small limit will do. */
#define MAX_TAG_DIRECTIVES 16

static gboolean limit_tag_directives(ConfigBuilder *builder, const char *text,
                                     gsize n_bytes)
{
    const char *p = text;
    guint n = 0;

    for (; n <= MAX_TAG_DIRECTIVES; n++) {
        p = p ? memmem(p, n_bytes - (gsize)(p - text), "%TAG", 4) : NULL;
        if (!p)
            return TRUE;
        p += 4;
    }
    return config_builder_add_problem(
        builder, config_builder_byte_position(text, (gsize)(p - 4 - text)),
        "more than %d %%TAG directives; leave them out, since tags are not "
        "supported",
        MAX_TAG_DIRECTIVES);
}

/* Returns a hint if there is a tab at @mark, or "".  The mark counts characters
 * without the byte order mark. */
static const char *hint_about_tab_in_yaml(const char *text, gsize n_bytes,
                                          yaml_mark_t mark)
{
    const char *p = text;

    if (n_bytes >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    for (gsize i = 0; i < mark.index && p < text + n_bytes; i++)
        p = g_utf8_next_char(p);
    return p < text + n_bytes && *p == '\t' ? "; indent with blanks, not tabs"
                                            : "";
}

/* Returns a hint if @problem is one that libyaml reports for a line that is
 * indented more or less than the lines above it, or "". */
static const char *hint_about_yaml_indentation(const char *problem,
                                               yaml_mark_t mark)
{
    static const char *const problems[] = {
        "did not find expected key",
        "did not find expected '-' indicator",
        "did not find expected <document start>",
        "mapping values are not allowed in this context",
        "block sequence entries are not allowed in this context",
        NULL,
    };

    return mark.line > 0 && g_strv_contains(problems, problem)
               ? "; is the indentation right?"
               : "";
}

static gboolean report_libyaml_error(ConfigBuilder *builder,
                                     const yaml_parser_t *parser,
                                     const char *text, gsize n_bytes)
{
    const char *hint;

    if (parser->error == YAML_MEMORY_ERROR)
        g_error("failed to allocate what the parser wants");
    if (parser->error == YAML_READER_ERROR)
        return config_builder_add_problem(
            builder, config_builder_byte_position(text, parser->problem_offset),
            "%s", parser->problem);
    hint = hint_about_tab_in_yaml(text, n_bytes, parser->problem_mark);
    if (*hint == '\0')
        hint =
            hint_about_yaml_indentation(parser->problem, parser->problem_mark);
    if (!parser->context)
        return config_builder_add_problem(builder, parser->problem_mark, "%s%s",
                                          parser->problem, hint);
    return config_builder_add_problem(
        builder, parser->problem_mark, "%s %s that began at line %u%s",
        parser->problem, parser->context,
        config_builder_number_from_one(parser->context_mark.line), hint);
}

/* Builds the tree of a text in which runs of flow maps may have been
 * replaced. */
typedef struct {
    ConfigBuilder *b;   /* borrowed */
    const GArray *runs; /* borrowed, of ConfigFlowRun; NULL: none */
    guint n_runs;       /* how many of them were added */
    size_t n_lines_left_out;
} TreeMaker;

static gboolean is_flow_run(const TreeMaker *maker, const yaml_event_t *event)
{
    return maker->runs && event->type == YAML_SCALAR_EVENT &&
           event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           !event->data.scalar.anchor && !event->data.scalar.tag &&
           strcmp((const char *)event->data.scalar.value,
                  CONFIG_FLOW_RUN_WORD) == 0;
}

static gboolean add_event(TreeMaker *maker, yaml_event_t *event)
{
    const ConfigFlowRun *run;

    event->start_mark.line += maker->n_lines_left_out;
    if (!is_flow_run(maker, event))
        return config_builder_add(maker->b, event);
    g_assert(maker->n_runs < maker->runs->len);
    run = &g_array_index(maker->runs, ConfigFlowRun, maker->n_runs++);
    maker->n_lines_left_out += run->n_lines - 1;
    return config_builder_add_flow_run(maker->b, run, event->start_mark);
}

static gboolean build_tree_from_events(TreeMaker *maker, yaml_parser_t *parser,
                                       const char *text, gsize n_bytes)
{
    gboolean more = TRUE;

    while (more) {
        yaml_event_t event;
        gboolean ok;

        if (!yaml_parser_parse(parser, &event))
            return report_libyaml_error(maker->b, parser, text, n_bytes);
        ok = add_event(maker, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (!ok)
            return FALSE;
    }
    return !maker->runs || maker->n_runs == maker->runs->len;
}

/* Parses @text, in which @runs (NULL: none) were replaced. */
static gboolean parse_text(ConfigBuilder *builder, const char *text,
                           gsize n_bytes, const GArray *runs, gboolean empty_ok)
{
    TreeMaker maker = { .b = builder, .runs = runs };
    yaml_parser_t parser;
    gboolean ok;

    if (!yaml_parser_initialize(&parser))
        g_error("failed to allocate a parser");
    yaml_parser_set_input_string(
        &parser, (const unsigned char *)(text ? text : ""), n_bytes);
    ok = build_tree_from_events(&maker, &parser, text, n_bytes) &&
         config_builder_finish(builder, empty_ok);
    yaml_parser_delete(&parser);
    return ok;
}

/* Parses @text without its runs of flow maps.  Returns FALSE, and leaves no
 * trace, if there are no runs, or if the parser has to read them: they have
 * another meaning, or the text has a mistake. */
static gboolean parse_without_flow_runs(ConfigDoc *doc, ConfigSource *source,
                                        const char *text, gsize n_bytes)
{
    guint n_nodes = doc->n_nodes, n_problems = source->problems->len;
    g_autoptr(GArray) runs = config_flow_runs_find(text, n_bytes);
    GString *rest = runs ? config_flow_runs_replace(text, n_bytes, runs) : NULL;
    gboolean is_shared = source->text != NULL;
    ConfigBuilder b;
    gboolean ok;

    if (!rest)
        return FALSE;
    if (!is_shared)
        source->text = g_memdup2(text, n_bytes);
    config_builder_init(&b, doc, source);
    ok = parse_text(&b, rest->str, rest->len, runs, FALSE);
    config_builder_clear(&b);
    g_string_free(rest, TRUE);
    if (ok)
        return TRUE;
    config_doc_keep_nodes(doc, n_nodes);
    g_ptr_array_set_size(source->problems, (gint)n_problems);
    source->root = NULL;
    if (!is_shared)
        g_clear_pointer(&source->text, g_free);
    return FALSE;
}

/* Parses @text.  Returns whether nodes point into ConfigSource.text. */
static gboolean parse_checked_text(ConfigBuilder *builder, const char *text,
                                   gsize n_bytes, gboolean empty_ok)
{
    if (!config_builder_check_utf8(builder, text, n_bytes) ||
        !limit_tag_directives(builder, text, n_bytes))
        return FALSE;
    if (parse_without_flow_runs(builder->doc, builder->source, text, n_bytes))
        return TRUE;
    if (!parse_text(builder, text, n_bytes, NULL, empty_ok))
        builder->source->root = NULL;
    return FALSE;
}

static gboolean is_config_json(const ConfigNode *root)
{
    guint i;

    return root && root->kind == CONFIG_NODE_MAP &&
           config_node_find_key(root, HUGGING_FACE_TYPE_KEY, &i);
}

/* Returns whether the text looks like a config.json, whatever its name, so that
 * it need not be read as YAML first, which takes longer. */
static gboolean looks_like_config_json(const char *text, gsize n_bytes)
{
    static const char key[] = "\"" HUGGING_FACE_TYPE_KEY "\"";

    return n_bytes > 0 && *text == '{' &&
           memmem(text, n_bytes, key, sizeof key - 1);
}

/* Parses @text as YAML.  Returns whether nodes point into ConfigSource.text. */
static gboolean parse_yaml(ConfigDoc *doc, ConfigSource *source,
                           const char *text, gsize n_bytes, gboolean empty_ok)
{
    ConfigBuilder b;
    gboolean ret;

    source->n_bytes = n_bytes;
    config_builder_init(&b, doc, source);
    ret = parse_checked_text(&b, text, n_bytes, empty_ok);
    config_builder_clear(&b);
    return ret;
}

void config_source_parse_file(ConfigDoc *doc, ConfigSource *source, char *text,
                              gsize n_bytes)
{
    gboolean is_json = g_str_has_suffix(source->name, ".json") ||
                       looks_like_config_json(text, n_bytes);
    gboolean is_kept = FALSE;

    source->n_bytes = n_bytes;
    source->text = text;
    if (!is_json) {
        is_kept = parse_yaml(doc, source, text, n_bytes, FALSE);
        is_json = is_config_json(source->root);
        if (is_json) /* under another name */
            g_ptr_array_set_size(source->problems, 0);
    }
    if (is_json)
        config_source_parse_json(doc, source, text, n_bytes);
    hugging_face_translate(doc, source);
    if (!is_kept)
        g_clear_pointer(&source->text, g_free);
}

void config_source_parse(ConfigDoc *doc, ConfigSource *source, const char *text,
                         gsize n_bytes, gboolean empty_ok)
{
    (void)parse_yaml(doc, source, text, n_bytes, empty_ok);
}
