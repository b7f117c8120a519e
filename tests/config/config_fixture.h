/*
 * config_fixture.h - a schema of nested kinds, and assertions about reading and
 * setting it
 */
#ifndef TESTS_CONFIG_CONFIG_FIXTURE_H
#define TESTS_CONFIG_CONFIG_FIXTURE_H

#include "tests/config/config_parse.h"

typedef struct {
    uint64_t n;
} Leaf;

typedef struct {
    ConfigVariant left, right;
} Box;

typedef struct {
    ConfigVariant thing;
    Leaf leaf;
    ConfigList leaves;
} Top;

static const ConfigRegistry things;

static const ConfigField leaf_fields[] = {
    { .key = "size",
      .type = CONFIG_COUNT,
      .offset = offsetof(Leaf, n),
      .min = 1,
      .max = 100,
      .fallback = "7" },
    CONFIG_END,
};

static const ConfigField box_fields[] = {
    { .key = "left",
      .type = CONFIG_KIND,
      .offset = offsetof(Box, left),
      .registry = &things,
      .fallback = "{kind: leaf}" },
    { .key = "right",
      .type = CONFIG_KIND,
      .offset = offsetof(Box, right),
      .registry = &things,
      .fallback = "{kind: leaf}" },
    CONFIG_END,
};

static const ConfigField leaf_item = { .type = CONFIG_SECTION,
                                       .fields = leaf_fields };

static const ConfigField top_fields[] = {
    { .key = "thing",
      .type = CONFIG_KIND,
      .offset = offsetof(Top, thing),
      .registry = &things,
      .fallback = "{kind: leaf}" },
    { .key = "leaf",
      .type = CONFIG_SECTION,
      .offset = offsetof(Top, leaf),
      .fields = leaf_fields,
      .fallback = "{}" },
    { .key = "leaves",
      .type = CONFIG_LIST,
      .offset = offsetof(Top, leaves),
      .item = &leaf_item,
      .item_size = sizeof(Leaf),
      .fallback = "[]" },
    CONFIG_END,
};

static const ConfigKind leaf_kind = { .name = "leaf",
                                      .summary = "holds a number",
                                      .fields = leaf_fields,
                                      .size = sizeof(Leaf) };
static const ConfigKind box_kind = { .name = "box",
                                     .summary = "holds two",
                                     .fields = box_fields,
                                     .size = sizeof(Box) };
static const ConfigKind *const thing_kinds[] = { &leaf_kind, &box_kind, NULL };
static const ConfigRegistry things = { .noun = "thing", .kinds = thing_kinds };

static inline uint64_t sizeof_leaf_variant(const ConfigVariant *variant)
{
    assert_ptr_equal(variant->kind, &leaf_kind);
    return ((const Leaf *)variant->params)->n;
}

static inline const ConfigVariant *
left_child_of_variant(const ConfigVariant *variant)
{
    assert_ptr_equal(variant->kind, &box_kind);
    return &((const Box *)variant->params)->left;
}

static inline const ConfigVariant *
right_child_of_variant(const ConfigVariant *variant)
{
    assert_ptr_equal(variant->kind, &box_kind);
    return &((const Box *)variant->params)->right;
}

static inline void assert_config_reads(ConfigDoc *doc, Top *top)
{
    g_autoptr(GError) error = NULL;

    memset(top, 0, sizeof *top);
    if (!config_doc_read(doc, top_fields, top, &error))
        assert_no_error(error);
}

static inline void assert_config_read_fails(ConfigDoc *doc,
                                            ConfigErrorCode code,
                                            const char *message)
{
    Top top;
    GError *error = NULL;

    assert_false(config_doc_read(doc, top_fields, &top, &error));
    assert_config_error(error, code, message);
}

static inline void assert_config_set_succeeds(ConfigDoc *doc, const char *path,
                                              const char *text)
{
    g_autoptr(GError) error = NULL;

    if (!config_doc_set(doc, path, "--set", text, &error))
        assert_no_error(error);
}

static inline void assert_config_set_fails(ConfigDoc *doc, const char *path,
                                           const char *text,
                                           ConfigErrorCode code,
                                           const char *message)
{
    GError *error = NULL;

    assert_false(config_doc_set(doc, path, "--set", text, &error));
    assert_config_error(error, code, message);
}

#endif
