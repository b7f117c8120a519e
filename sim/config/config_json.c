/*
 * config_json.c - passes the tokens of a JSON text to the builder of the tree,
 * as events of YAML
 *
 * Cost     linear in the length of the text
 */
#include <string.h>

#include "sim/config/config_parse_impl.h"
#include "sim/config/config_tree_builder_impl.h"
#include "sim/config/files/hugging_face_model.h"
#include "sim/config/json/pull_parser.h"

/* The most keys and values of a config.json, which are copied into the tree;
 * assumed.  Those of published models have some 50, and some 10,000 if they
 * list the layers that are not quantised. */
#define MOST_MODEL_TOKENS 100000

typedef struct {
    ConfigBuilder *b;
    JsonPull *pull;
    GString *scalar;  /* the text of the last scalar, with NUL at its end */
    const char *text; /* borrowed, UTF-8 */
    gsize n_bytes;
    /* The last position that was converted: its offset, that of its line, and
     * the line and column in characters, counted from 0. */
    gsize offset, line_offset;
    yaml_mark_t mark;
} JsonText;

/* Converts @line and @column, in bytes from 1, to a mark in characters.  The
 * position must not precede that of the call before. */
static yaml_mark_t mark_of_position(JsonText *json_text, uint64_t line,
                                    uint64_t column)
{
    const char *end = json_text->text + json_text->n_bytes;
    const char *p = json_text->text + json_text->offset;

    for (; json_text->mark.line + 1 < line; json_text->mark.line++) {
        const char *newline = memchr(p, '\n', (gsize)(end - p));

        p = newline ? newline + 1 : end;
        json_text->line_offset = (gsize)(p - json_text->text);
        json_text->mark.column = 0;
    }
    for (; p < end &&
           (gsize)(p - json_text->text) - json_text->line_offset + 1 < column;
         p = g_utf8_next_char(p))
        json_text->mark.column++;
    json_text->offset = (gsize)(p - json_text->text);
    return json_text->mark;
}

static gboolean add_json_scalar(JsonText *json_text, yaml_event_t *event,
                                gboolean is_quoted)
{
    gsize n;
    const char *text = json_pull_text(json_text->pull, &n);

    g_string_truncate(json_text->scalar, 0);
    g_string_append_len(json_text->scalar, text, (gssize)n);
    event->type = YAML_SCALAR_EVENT;
    event->data.scalar.value = (yaml_char_t *)json_text->scalar->str;
    event->data.scalar.length = n;
    event->data.scalar.style =
        is_quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE;
    return config_builder_add(json_text->b, event);
}

static gboolean add_json_container(JsonText *json_text, yaml_event_t *event,
                                   yaml_event_type_t type)
{
    event->type = type;
    return config_builder_add(json_text->b, event);
}

static gboolean report_json_error(JsonText *json_text)
{
    uint64_t line, column;
    const char *text = json_pull_syntax_error(json_text->pull, &line, &column);
    const char *whose = g_str_has_suffix(json_text->b->source->name, ".json")
                            ? ""
                            : " of this config.json of Hugging Face";

    return config_builder_add_problem(
        json_text->b, mark_of_position(json_text, line, column),
        "the JSON%s cannot be read: %s", whose, text);
}

/* Adds the last token to the tree.  Returns FALSE and adds a problem if it is
 * not allowed. */
static gboolean add_json_token(JsonText *json_text)
{
    yaml_event_t event = {
        .start_mark =
            mark_of_position(json_text, json_pull_token_line(json_text->pull),
                             json_pull_token_column(json_text->pull)),
    };

    switch (json_pull_token(json_text->pull)) {
    case PULL_OBJECT:
        return add_json_container(json_text, &event, YAML_MAPPING_START_EVENT);
    case PULL_OBJECT_END:
        return add_json_container(json_text, &event, YAML_MAPPING_END_EVENT);
    case PULL_ARRAY:
        return add_json_container(json_text, &event, YAML_SEQUENCE_START_EVENT);
    case PULL_ARRAY_END:
        return add_json_container(json_text, &event, YAML_SEQUENCE_END_EVENT);
    case PULL_KEY:
    case PULL_STRING:
        return add_json_scalar(json_text, &event, TRUE);
    case PULL_NUMBER:
    case PULL_TRUE:
    case PULL_FALSE:
    case PULL_NULL:
        return add_json_scalar(json_text, &event, FALSE);
    default:
        g_return_val_if_reached(FALSE);
    }
}

static gboolean build_tree_from_tokens(JsonText *json_text)
{
    PullToken token;

    while ((token = json_pull_next_token(json_text->pull)) != PULL_END)
        if (token == PULL_ERROR ? !report_json_error(json_text)
                                : !add_json_token(json_text))
            return FALSE;
    return TRUE;
}

/* Returns FALSE and adds a problem if the text is a config.json of Hugging Face
 * that has too many keys.  This makes no tree, so that it takes little time. */
static gboolean check_model_size(ConfigBuilder *builder, const char *text,
                                 gsize n_bytes)
{
    g_autoptr(Source) source =
        source_from_memory(builder->source->name, text, n_bytes);
    g_autoptr(JsonPull) pull = json_pull_new(source);
    JsonText t = {
        .b = builder, .pull = pull, .text = text, .n_bytes = n_bytes
    };
    gboolean is_model = FALSE;
    guint depth = 0, n_tokens = 0;
    PullToken token;

    while ((token = json_pull_next_token(pull)) > PULL_ERROR) {
        depth += token == PULL_OBJECT || token == PULL_ARRAY;
        depth -= token == PULL_OBJECT_END || token == PULL_ARRAY_END;
        is_model |= depth == 1 && token == PULL_KEY &&
                    json_pull_text_is(pull, HUGGING_FACE_TYPE_KEY);
        if (++n_tokens > MOST_MODEL_TOKENS && is_model)
            return config_builder_add_problem(
                builder,
                mark_of_position(&t, json_pull_token_line(pull),
                                 json_pull_token_column(pull)),
                "more than %d keys and values; a config.json describes the "
                "shape of a model with a few dozen",
                MOST_MODEL_TOKENS);
    }
    return TRUE;
}

static gboolean build_tree_from_json(ConfigBuilder *builder, const char *text,
                                     gsize n_bytes)
{
    g_autoptr(Source) source =
        source_from_memory(builder->source->name, text, n_bytes);
    g_autoptr(JsonPull) pull = json_pull_new(source);
    JsonText t = {
        .b = builder, .pull = pull, .text = text, .n_bytes = n_bytes
    };
    gboolean ok;

    json_pull_set_strict(pull);
    t.scalar = g_string_new(NULL);
    ok = build_tree_from_tokens(&t);
    g_string_free(t.scalar, TRUE);
    return ok;
}

static gboolean text_is_blank(const char *text, gsize n_bytes)
{
    for (gsize i = 0; i < n_bytes; i++)
        if (!strchr(" \t\r\n", text[i]))
            return FALSE;
    return TRUE;
}

void config_source_parse_json(ConfigDoc *doc, ConfigSource *source,
                              const char *text, gsize n_bytes)
{
    ConfigBuilder b;

    config_builder_init(&b, doc, source);
    if (config_builder_check_utf8(&b, text, n_bytes)) {
        if (n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
            text += 3; /* a byte order mark takes no column */
            n_bytes -= 3;
        }
        if ((!text_is_blank(text, n_bytes) &&
             (!check_model_size(&b, text, n_bytes) ||
              !build_tree_from_json(&b, text, n_bytes))) ||
            !config_builder_finish(&b, FALSE))
            source->root = NULL;
    }
    config_builder_clear(&b);
}
