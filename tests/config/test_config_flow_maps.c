/* Tests of sim/config/config_flow_map.c: runs of list items that are maps on a
 * line are read as the YAML parser reads them */
#include "tests/config/config_parse.h"
#include "tests/test.h"

/* A comment with the word that stands for a run makes the YAML parser read the
 * whole text.  The other comment is one line, too. */
#define WITHOUT_RUNS "# acesim-run-of-flow-maps\n"
#define WITH_RUNS    "# a comment\n"

static void append_tree(GString *out, const ConfigNode *node)
{
    g_autofree char *position = config_node_position_text(node);

    g_string_append_printf(
        out, "%s %d '%s'\n", position, config_node_kind(node),
        config_node_text(node) ? config_node_text(node) : "");
    for (guint i = 0; i < config_node_count(node); i++) {
        if (config_node_kind(node) == CONFIG_NODE_MAP)
            append_tree(out, config_node_key(node, i));
        append_tree(out, config_node_value(node, i));
    }
}

/* Returns all nodes of @yaml, or the problem of the text. */
static char *describe_yaml(const char *yaml)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = parse_yaml("t.yaml", yaml, &error);
    g_autoptr(GString) out = g_string_new(NULL);

    if (!doc)
        return g_strdup(error->message);
    append_tree(out, config_doc_root(doc));
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static void assert_same_tree(const char *yaml)
{
    g_autofree char *with_word = g_strconcat(yaml, WITHOUT_RUNS, NULL);
    g_autofree char *without_word = g_strconcat(yaml, WITH_RUNS, NULL);
    g_autofree char *fast = describe_yaml(without_word);
    g_autofree char *slow = describe_yaml(with_word);

    assert_string_equal(fast, slow);
}

/* Returns @line, repeated with a number in place of each `#`. */
static char *repeat_line(const char *before, const char *line,
                         const char *after)
{
    GString *out = g_string_new(before);

    for (guint i = 0; i < 20; i++) {
        g_autofree char *number = g_strdup_printf("%u", i);
        g_auto(GStrv) parts = g_strsplit(line, "#", -1);
        g_autofree char *text = g_strjoinv(number, parts);

        g_string_append_printf(out, "%s\n", text);
    }
    g_string_append(out, after);
    return g_string_free(out, FALSE);
}

static void test_runs_of_flow_maps_have_the_nodes_of_yaml(void **state)
{
    static const char *const lines[] = {
        "  - {}",
        "  - {a: #}",
        "- {kind: kernel, name: k#, after: [], b: {}}",
        "  - {a: k#@-1, b: 1 MiB, c: [x, y z, \"u, v\"], d: {e: 5 %, f: '#'}}",
        "  - {a: \"\", b: '', c: \"{}: #\", d: [\"\"]}",
        "    - {a: ..., b: a - b, c: ---, d: _}",
        "  - {a: .5, b: 1e-3, c: x=(y), d: /tmp/a.yaml}",
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autofree char *yaml =
            repeat_line("# a list\nl:\n", lines[i], "m: {n: [o]}\n");

        assert_same_tree(yaml);
    }
}

static void
test_text_around_runs_of_flow_maps_decides_their_meaning(void **state)
{
    static const struct {
        const char *before, *line, *after;
    } cases[] = {
        { "l: |\n", "  - {a: #}", "m: 1\n" },    /* a text in a block */
        { "l: \"\n", "  - {a: #}", "  \"\n" },   /* a text in quotes */
        { "l: b\n", "  - {a: #}", "m: 1\n" },    /* more of a plain text */
        { "l: [\n", "  - {a: #}", "]\n" },       /* a list in brackets */
        { "l:\n", "  - {a: #}", "    more\n" },  /* a text follows */
        { "l:\n", "  - {a: #}", "    m: 1\n" },  /* a key follows */
        { "l:\n", "  - {a: #}", " - {a: 1}\n" }, /* another indentation */
        { "l:\n", "  - {a: #}", "  - b\n  - &x\n  - *y\n" },
        { "l: &x\n", "  - {a: #}", "m: [*x, *x]\n" },
        { "l:\n", "  - {a: #, a: 1}", "" }, /* a key given twice */
        { "l:\n", "  - {a: #, <<: 1}", "" },
        { "l:\n", "  - {a: #, b: }", "" },
        { "l:\n", "  - {a: #, b}", "" },
        { "l:\n", "  - {a: b: #}", "" },
        { "l:\n", "  - {a: #} b", "" },
        { "l:\n", "  - {a: #}  # note", "  - {a: 1}\n" },
        { "l:\n", "  - {a: \xc3\xa4#}", "" },
        { "l:\n", "  - {a: #}\r", "m: 1\n" },
        { "l:\n", "  - {a: !t #}", "" },
        { "l:\n", "  - {a: &b #}", "" },
        { "l:\n", "  - {a: \"\\n#\"}", "" },
        { "l:\n", "  - {a: 'it''s #'}", "" },
        { "l:\n", "  - {a: -#}", "" },
        { "l:\n", "  - {a: [[#]]}", "" },
        { "l:\n", "  - {a: {b: {c: #}}}", "" },
        { "l:\n", "  - {a: #,b: 1}", "" },
        { "l:\n", "  - { a: # }", "" },
        { "\xef\xbb\xbfl:\n", "  - {a: #}", "m: [\n" }, /* a mistake below */
        { "l:\n", "  - {a: #}", "m: 1\nm: 2\n" },
        { "l:\n", "  - {a: #}", "---\nb: 1\n" },
        { "? l\n:\n", "  - {a: #}", "" },
        { "", "- {a: #}", "l: 1\n" },
        { "l:\n", "  - &x {a: #}", "  - *x\n" },
        { "l:\n", "  - !t {a: #}", "" },
        { "l:\n", "  - {a: #,\n     b: 1}", "" }, /* a map of two lines */
        { "l:\n", "  - {a: [#,\n     b]}", "" },
        { "l:\n", "  - {a: #}\n", "" }, /* empty lines between */
        { "l:\n", "  - {a: #}\n  # note", "" },
        { "l:\n", "\t- {a: #}", "" },
        { "l:\n", "  -\t{a: #}", "" },
        { "l:\n", "  - {a:\t#}", "" },
        { "l:\n", "  - {a: #}\t", "" },
        { "l:\n", "  - {a: #} ", "" },
        { "l:\n", "  - {a: #,\tb: 1}", "" },
        { "l:\n", "  - {a: #, }", "" },
        { "l:\n", "  - {, a: #}", "" },
        { "l:\n", "  - {a: [#, ]}", "" },
        { "l:\n", "  - {a: {}, b: {c: [], d: #}, e: []}", "" },
        { "l:\n", "  - {\"a\": #, 'b': 1, \"a b\": 2}", "" },
        { "l:\n", "  - {\"a\": #, a: 1}", "" },
        { "l:\n", "  - {a b: #}", "" },
        { "l:\n", "  - {a: #, b: \"two\n    lines\"}", "" },
        { "l:\n", "  - {a: \"\x7f#\"}", "" },
        { "l:\n", "  - {a: \"\xc2\x85#\"}", "" },       /* a line break */
        { "l:\n", "  - {a: #}\xe2\x80\xa8", "m: [\n" }, /* another one */
        { "l:\n", "  - {a: \xff#}", "" },
        { "l: 1\r", "  - {a: #}", "m: [\n" },
        { "l:\r", "  - {a: #}", "m: [\n" },
        { "%YAML 1.1\n---\nl:\n", "  - {a: #}", "...\n" },
        { "l:\n", "  - {a: --- #}", "..." },
        { "l:\n- - b\n", "  - {a: #}", "" },
        { "l:\n- m:\n", "  - {a: #}", "  n: 1\n" },
        { "l:\n  - >\n", "    - {a: #}", "" },
        { "- {a: 1}\n", "- {a: #}", "- {a: 1}" },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *yaml =
            repeat_line(cases[i].before, cases[i].line, cases[i].after);

        assert_same_tree(yaml);
    }
}

static void test_long_lines_of_flow_maps_have_the_nodes_of_yaml(void **state)
{
    /* YAML limits keys, and what may be one, to 1,024 characters. */
    static const guint lengths[] = { 900, 1000, 1001, 1020, 1024, 1100, 70000 };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
        g_autofree char *word = g_strnfill(lengths[i], 'x');
        g_autofree char *key = g_strdup_printf("  - {%s: #}", word);
        g_autofree char *value = g_strdup_printf("  - {a: %s, b: #}", word);
        g_autofree char *list = g_strdup_printf(
            "  - {a: [%s, \"%s\"], b: {c: '%s'}}", word, word, word);
        const char *const lines[] = { key, value, list };

        for (guint l = 0; l < G_N_ELEMENTS(lines); l++) {
            g_autofree char *yaml = repeat_line("l:\n", lines[l], "m: n\n");

            assert_same_tree(yaml);
        }
    }
}

static void append_random_word(GString *out, GRand *rand)
{
    static const char *const words[] = {
        "a",       "kind",  "k1",   "1 MiB",  "5 %",    "x@-1",
        "\"q\"",   "'r s'", "\"\"", "-1",     "b: c",   "#d",
        "e #f",    "[]",    "{}",   "[g, h]", "{i: j}", "~",
        "*k",      "&l",    "",     "'m\"",   "n,o",    "p\\q",
        "\"\\r\"", "s\t",   "?",    ":",      "- t",    "{u: [v]}",
    };

    g_string_append(out, words[g_rand_int_range(rand, 0, G_N_ELEMENTS(words))]);
}

static void append_random_line(GString *out, GRand *rand)
{
    guint n = (guint)g_rand_int_range(rand, 0, 5);

    g_string_append(out, "  - {");
    for (guint i = 0; i < n; i++) {
        g_string_append_printf(out, "%sk%u: ", i > 0 ? ", " : "",
                               (guint)g_rand_int_range(rand, 0, 20));
        if (g_rand_int_range(rand, 0, 10) == 0)
            append_random_word(out, rand);
        else
            g_string_append_printf(out, "w%u", i);
    }
    g_string_append(out, "}\n");
}

static void test_random_runs_of_flow_maps_have_the_nodes_of_yaml(void **state)
{
    (void)state;
    for (guint32 seed = 0; seed < 300; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        g_autoptr(GString) yaml = g_string_new("l:\n");
        guint n = (guint)g_rand_int_range(rand, 16, 60);

        for (guint i = 0; i < n; i++)
            append_random_line(yaml, rand);
        assert_same_tree(yaml->str);
        g_rand_free(rand);
    }
}

/* Text that differs from runs of flow maps by a few characters has the nodes
 * that the YAML parser gives it, or the same problem. */
static void test_changed_runs_of_flow_maps_have_the_nodes_of_yaml(void **state)
{
    static const char *const parts[] = {
        "\t",  "\r", "\n",   "\r\n",     "#",           " #", "\"", "'",  "{",
        "}",   "[",  "]",    ",",        ", ",          ":",  ": ", "&",  "*",
        "!",   "|",  ">",    "%",        "@",           "`",  "-",  "- ", "? ",
        "\\",  " ",  "  ",   "\xc3\xa4", "\xc2\x85",    "~",  "<<", "a",  "0",
        "---", "..", "\x1f", "\x7f",     "\xe2\x80\xa8"
    };

    (void)state;
    for (guint32 seed = 0; seed < 2000; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        g_autofree char *first = repeat_line(
            "l:\n", "  - {a: k#, b: [c, \"d, e\"], f: {g: 'h'}, i: 1 MiB}", "");
        g_autofree char *second =
            repeat_line("m:\n- n\n", "- {a: #}", "o: p\n");
        g_autoptr(GString) yaml = g_string_new(first);
        guint n = (guint)g_rand_int_range(rand, 1, 4);

        g_string_append(yaml, second);
        for (guint i = 0; i < n; i++) {
            gssize at = g_rand_int_range(rand, 0, (gint32)yaml->len);

            if (g_rand_boolean(rand))
                g_string_erase(yaml, at, 1);
            if (g_rand_boolean(rand))
                g_string_insert(
                    yaml, at,
                    parts[g_rand_int_range(rand, 0, G_N_ELEMENTS(parts))]);
        }
        assert_same_tree(yaml->str);
        g_rand_free(rand);
    }
}

/* ---- reading values ------------------------------------------------------ */

typedef struct {
    const char *name;
    ConfigList after; /* of const char * */
    uint64_t bytes;
    ConfigList sizes; /* of uint64_t */
} Item;

static const ConfigField name_item = { .key = "name", .type = CONFIG_NAME };
static const ConfigField size_item = { .key = "size", .type = CONFIG_BYTES };

static const ConfigField item_fields[] = {
    { .key = "name", .type = CONFIG_NAME, .offset = offsetof(Item, name) },
    { .key = "after",
      .type = CONFIG_LIST,
      .offset = offsetof(Item, after),
      .item = &name_item,
      .item_size = sizeof(const char *),
      .without_node = TRUE,
      .fallback = "[]" },
    { .key = "bytes",
      .type = CONFIG_BYTES,
      .offset = offsetof(Item, bytes),
      .max = 1000,
      .fallback = "7 B" },
    { .key = "sizes",
      .type = CONFIG_LIST,
      .offset = offsetof(Item, sizes),
      .item = &size_item,
      .item_size = sizeof(uint64_t),
      .fallback = "[]" },
    CONFIG_END,
};

static const ConfigField list_item = {
    .key = "item",
    .type = CONFIG_SECTION,
    .fields = item_fields,
};

static const ConfigField list_fields[] = {
    { .key = "l",
      .type = CONFIG_LIST,
      .item = &list_item,
      .item_size = sizeof(Item) },
    CONFIG_END,
};

static void test_values_of_flow_maps_outlive_their_nodes(void **state)
{
    g_autofree char *yaml =
        repeat_line("l:\n", "  - {name: n#, after: [m#, 'o p'], bytes: # B}",
                    "  - {name: q, sizes: [1 B, 2 B]}\n  - {name: r}\n");
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", yaml);
    g_autoptr(GError) error = NULL;
    ConfigList list;
    const Item *items;

    (void)state;
    /* The second time, the maps are parsed again. */
    for (guint i = 0; i < 2; i++)
        if (!config_doc_read(doc, list_fields, &list, &error))
            assert_no_error(error);
    items = list.items;
    assert_int_equal(list.n, 22);
    assert_string_equal(items[19].name, "n19");
    assert_string_equal(((const char *const *)items[3].after.items)[1], "o p");
    assert_int_equal(items[3].bytes, 3);
    assert_int_equal(items[20].bytes, 7);
    assert_int_equal(((const uint64_t *)items[20].sizes.items)[1], 2);
    assert_null(items[3].after.node);
    /* Later errors stand where the value does. */
    assert_int_equal(config_node_line(items[20].sizes.node), 22);
    assert_int_equal(config_node_line(items[21].sizes.node), 23);
}

/* ---- defaults of flow maps ---------------------------------------------- */

typedef struct {
    uint64_t count;
    const char *word;
} Part;

typedef struct {
    const char *name;
    ConfigList after; /* of const char * */
    Part part;
    ConfigList sizes; /* of uint64_t */
    ConfigVariant shape;
    const ConfigNode *raw;
} Whole;

static const ConfigField part_fields[] = {
    { .key = "count",
      .type = CONFIG_COUNT,
      .offset = offsetof(Part, count),
      .fallback = "3" },
    { .key = "word",
      .type = CONFIG_NAME,
      .offset = offsetof(Part, word),
      .fallback = "none" },
    CONFIG_END,
};

/* Maps with an equal extent share it. */
typedef struct {
    uint64_t count;
    ConfigList sizes; /* of uint64_t */
} Extent;

typedef struct {
    const char *word;
    const Extent *extent; /* interned */
} Shape;

#define OF_EXTENT .interned_offset = offsetof(Shape, extent)

static const ConfigField shape_fields[] = {
    { .key = "count",
      .type = CONFIG_COUNT,
      OF_EXTENT,
      .offset = offsetof(Extent, count),
      .fallback = "3" },
    { .key = "word",
      .type = CONFIG_NAME,
      .offset = offsetof(Shape, word),
      .fallback = "none" },
    { .key = "sizes",
      .type = CONFIG_LIST,
      OF_EXTENT,
      .offset = offsetof(Extent, sizes),
      .item = &size_item,
      .item_size = sizeof(uint64_t),
      .without_node = TRUE,
      .fallback = "[]" },
    CONFIG_END,
};

static const ConfigKind shape_kind = {
    .name = "part",
    .fields = shape_fields,
    .size = sizeof(Shape),
    .interned_size = sizeof(Extent),
    .interned_offset = offsetof(Shape, extent),
};

static const ConfigKind *const shape_kinds[] = { &shape_kind, NULL };
static const ConfigRegistry shape_registry = { .noun = "shape",
                                               .kinds = shape_kinds };

static const ConfigField whole_fields[] = {
    { .key = "name", .type = CONFIG_NAME, .offset = offsetof(Whole, name) },
    { .key = "after",
      .type = CONFIG_LIST,
      .offset = offsetof(Whole, after),
      .item = &name_item,
      .item_size = sizeof(const char *),
      .fallback = "[x, y]" },
    { .key = "part",
      .type = CONFIG_SECTION,
      .offset = offsetof(Whole, part),
      .fields = part_fields,
      .fallback = "{}" },
    { .key = "sizes",
      .type = CONFIG_LIST,
      .offset = offsetof(Whole, sizes),
      .item = &size_item,
      .item_size = sizeof(uint64_t),
      .fallback = "[]" },
    { .key = "shape",
      .type = CONFIG_KIND,
      .offset = offsetof(Whole, shape),
      .registry = &shape_registry,
      .fallback = "{kind: part, count: 9}" },
    { .key = "raw",
      .type = CONFIG_RAW,
      .offset = offsetof(Whole, raw),
      .fallback = "{}" },
    CONFIG_END,
};

static const ConfigField whole_item = {
    .key = "item",
    .type = CONFIG_SECTION,
    .fields = whole_fields,
};

/* An item without a pointer to a node: its nodes are freed once it is read. */
typedef struct {
    const char *name;
    Part part;
} Plain;

static const ConfigField plain_fields[] = {
    { .key = "name", .type = CONFIG_NAME, .offset = offsetof(Plain, name) },
    { .key = "part",
      .type = CONFIG_SECTION,
      .offset = offsetof(Plain, part),
      .fields = part_fields,
      .fallback = "{}" },
    CONFIG_END,
};

static const ConfigField plain_item = {
    .key = "item",
    .type = CONFIG_SECTION,
    .fields = plain_fields,
};

/* The default {} is read first for an item of .k, and again for .l. */
typedef struct {
    ConfigList k; /* of Plain */
    ConfigList l; /* of Whole */
} Lists;

static const ConfigField lists_fields[] = {
    { .key = "k",
      .type = CONFIG_LIST,
      .offset = offsetof(Lists, k),
      .item = &plain_item,
      .item_size = sizeof(Plain) },
    { .key = "l",
      .type = CONFIG_LIST,
      .offset = offsetof(Lists, l),
      .item = &whole_item,
      .item_size = sizeof(Whole) },
    CONFIG_END,
};

static void append_part(GString *out, const Part *part)
{
    g_string_append_printf(out, " part %" G_GUINT64_FORMAT " %s", part->count,
                           part->word);
}

static void append_list(GString *out, const char *key, const ConfigList *list)
{
    g_string_append_printf(out, " %s %u at %u:%s", key, list->n,
                           config_node_line(list->node),
                           list->n == 0 ? "none" : "");
}

static void append_whole(GString *out, const Whole *w)
{
    const Shape *shape = w->shape.params;

    g_string_append_printf(out, "%s", w->name);
    append_list(out, "after", &w->after);
    for (guint i = 0; i < w->after.n; i++)
        g_string_append_printf(out, " %s",
                               ((const char *const *)w->after.items)[i]);
    append_part(out, &w->part);
    append_list(out, "sizes", &w->sizes);
    for (guint i = 0; i < w->sizes.n; i++)
        g_string_append_printf(out, " %" G_GUINT64_FORMAT,
                               ((const uint64_t *)w->sizes.items)[i]);
    g_string_append_printf(out, " shape %" G_GUINT64_FORMAT " %s %u raw ",
                           shape->extent->count, shape->word,
                           shape->extent->sizes.n);
    append_tree(out, w->raw);
}

/* Returns all values of @yaml, or the problem. */
static char *describe_values(const char *yaml)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = parse_yaml("t.yaml", yaml, &error);
    g_autoptr(GString) out = g_string_new(NULL);
    Lists lists;

    if (!doc || !config_doc_read(doc, lists_fields, &lists, &error))
        return g_strdup(error->message);
    for (guint i = 0; i < lists.k.n; i++) {
        const Plain *plain = (const Plain *)lists.k.items + i;

        g_string_append_printf(out, "%s", plain->name);
        append_part(out, &plain->part);
    }
    for (guint i = 0; i < lists.l.n; i++)
        append_whole(out, (const Whole *)lists.l.items + i);
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static void append_random_keys(GString *out, GRand *rand, gboolean is_valid)
{
    static const char *const valid[] = {
        ", after: []",
        ", after: [a]",
        ", after: ['b c', d]",
        ", part: {}",
        ", part: {count: 5}",
        ", part: {word: \"e f\"}",
        ", sizes: [1 B, 2 KiB]",
        ", sizes: []",
        ", shape: {kind: part}",
        ", shape: {kind: part, word: g}",
        ", shape: {kind: part, count: 9, sizes: [3 B]}",
        ", shape: {kind: part, count: 8}",
        ", raw: {h: [i]}",
        ", raw: [j, k]",
        ", raw: {}",
    };
    static const char *const invalid[] = {
        ", sizes: [x]",       ", part: []",  ", part: {cont: 1}",
        ", shape: {kind: q}", ", nam: r",    ", after: {}",
        ", after: s",         ", sizes: {}", ", shape: {}",
        ", part: {count: -1}"
    };
    g_autoptr(GHashTable) used = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < G_N_ELEMENTS(valid); i++) {
        /* A key is given once: texts of one key have the same first letters. */
        gpointer key = GINT_TO_POINTER(valid[i][2] * 256 + valid[i][3]);

        if (g_rand_int_range(rand, 0, 5) == 0 && g_hash_table_add(used, key))
            g_string_append(out, valid[i]);
    }
    if (!is_valid && g_hash_table_size(used) == 0)
        g_string_append(
            out, invalid[g_rand_int_range(rand, 0, G_N_ELEMENTS(invalid))]);
}

/* Values, defaults and problems are those of a text that the YAML parser
 * reads.  Defaults are parsed while a map is open, and must outlive it. */
static void test_random_values_of_flow_maps_equal_those_of_yaml(void **state)
{
    (void)state;
    for (guint32 seed = 0; seed < 300; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        g_autoptr(GString) yaml = g_string_new("k:\n");
        gboolean is_valid = seed % 3 > 0;
        g_autofree char *with_word = NULL;
        g_autofree char *fast = NULL;
        g_autofree char *slow = NULL;

        for (guint i = 0; i < 20; i++)
            g_string_append_printf(yaml, "  - {name: n%u}\n", i);
        g_string_append(yaml, "l:\n");
        for (guint i = 0; i < 30; i++) {
            g_string_append_printf(yaml, "  - {name: n%u", i);
            append_random_keys(yaml, rand, is_valid);
            g_string_append(yaml, "}\n");
        }
        with_word = g_strconcat(yaml->str, WITHOUT_RUNS, NULL);
        fast = describe_values(yaml->str);
        slow = describe_values(with_word);
        assert_string_equal(fast, slow);
        g_rand_free(rand);
    }
}

static void test_equal_values_of_kinds_are_interned(void **state)
{
    static const ConfigField shape_item = { .key = "item",
                                            .type = CONFIG_KIND,
                                            .registry = &shape_registry };
    static const ConfigField fields[] = {
        { .key = "l",
          .type = CONFIG_LIST,
          .item = &shape_item,
          .item_size = sizeof(ConfigVariant) },
        CONFIG_END,
    };
    g_autofree char *yaml =
        repeat_line("l:\n", "  - {kind: part, count: 7, word: w#}",
                    "  - {kind: part, count: 8}\n  - {kind: part}\n");
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", yaml);
    g_autoptr(GError) error = NULL;
    ConfigList list;
    const Shape *shapes[22];

    (void)state;
    if (!config_doc_read(doc, fields, &list, &error))
        assert_no_error(error);
    assert_int_equal(list.n, G_N_ELEMENTS(shapes));
    for (guint i = 0; i < list.n; i++)
        shapes[i] = ((const ConfigVariant *)list.items)[i].params;
    for (guint i = 0; i < 20; i++)
        assert_ptr_equal(shapes[i]->extent, shapes[0]->extent);
    assert_int_equal(shapes[19]->extent->count, 7);
    assert_string_equal(shapes[19]->word, "w19");
    assert_int_equal(shapes[20]->extent->count, 8);
    assert_int_equal(shapes[21]->extent->count, 3);
}

static void test_errors_in_flow_maps_have_their_position(void **state)
{
    g_autofree char *yaml = repeat_line(
        "l:\n", "  - {name: n#, bytes: # B}",
        "  - {name: q, bytes: 2000 B}\n  - {nam: r}\n  - {name: s, sizes: 1}\n");
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", yaml);
    g_autoptr(GError) later = NULL;
    GError *error = NULL;
    ConfigList list;

    (void)state;
    assert_false(config_doc_read(doc, list_fields, &list, &error));
    assert_config_error(error, CONFIG_ERROR_RANGE,
                        "t.yaml:22:22: bytes: must be at most 1 kB, got 2 kB\n"
                        "t.yaml:23:6: unknown key 'nam'; did you mean 'name'?\n"
                        "t.yaml:24:22: sizes: expected a list, got '1'");
    config_set_error(&later, config_doc_find_exact(doc, "l.4"),
                     CONFIG_ERROR_CONFLICT, "bytes: too many");
    assert_string_equal(later->message, "t.yaml:6:23: bytes: too many");
}

static void test_values_in_flow_maps_can_be_set(void **state)
{
    g_autofree char *yaml =
        repeat_line("l:\n", "  - {name: n#, bytes: # B}", "");
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", yaml);
    g_autoptr(GError) error = NULL;
    ConfigList list;

    (void)state;
    if (!config_doc_set(doc, "l.5.bytes", "--set", "77 B", &error) ||
        !config_doc_set(doc, "l.*.after", "--set", "[x]", &error) ||
        !config_doc_read(doc, list_fields, &list, &error))
        assert_no_error(error);
    assert_int_equal(((const Item *)list.items)[5].bytes, 77);
    assert_int_equal(((const Item *)list.items)[6].bytes, 6);
    assert_int_equal(((const Item *)list.items)[19].after.n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_of_flow_maps_have_the_nodes_of_yaml),
        cmocka_unit_test(
            test_text_around_runs_of_flow_maps_decides_their_meaning),
        cmocka_unit_test(test_long_lines_of_flow_maps_have_the_nodes_of_yaml),
        cmocka_unit_test(test_changed_runs_of_flow_maps_have_the_nodes_of_yaml),
        cmocka_unit_test(test_random_runs_of_flow_maps_have_the_nodes_of_yaml),
        cmocka_unit_test(test_values_of_flow_maps_outlive_their_nodes),
        cmocka_unit_test(test_random_values_of_flow_maps_equal_those_of_yaml),
        cmocka_unit_test(test_equal_values_of_kinds_are_interned),
        cmocka_unit_test(test_errors_in_flow_maps_have_their_position),
        cmocka_unit_test(test_values_in_flow_maps_can_be_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
