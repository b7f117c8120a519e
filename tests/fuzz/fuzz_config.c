/*
 * fuzz_config.c - fuzzes the reader of configuration files
 *
 * No text may crash or hang the reader, leak memory, or fail without a message.
 * The schema has a field of each type.  The document begins in the second line
 * if the first line has a '=' and is an override; otherwise it is the whole
 * input.
 */
#include <glib.h>
#include <stddef.h>
#include <string.h>

#include "sim/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    uint64_t n, bytes, time_ps, bytes_per_s, hz, flops, share_ppm;
    gboolean flag;
    int choice;
    const char *name;
    ConfigList list;
    ConfigVariant inner;
    const ConfigNode *raw;
} Thing;

typedef struct {
    ConfigVariant thing;
    Thing section;
    ConfigList things;
} Top;

static const char *const choices[] = { "lifo", "fifo", "priority", NULL };

static const ConfigRegistry registry;

static const ConfigField number_item = { .type = CONFIG_COUNT, .max = 9 };

static const ConfigField thing_fields[] = {
    { .key = "n",
      .type = CONFIG_COUNT,
      .offset = offsetof(Thing, n),
      .fallback = "1" },
    { .key = "bytes",
      .type = CONFIG_BYTES,
      .offset = offsetof(Thing, bytes),
      .min = 1,
      .fallback = "64 KiB" },
    { .key = "time",
      .type = CONFIG_TIME,
      .offset = offsetof(Thing, time_ps),
      .fallback = "72 ns" },
    { .key = "bandwidth",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(Thing, bytes_per_s),
      .min = 1000,
      .max = 1000000000000,
      .fallback = "200 GB/s" },
    { .key = "clock",
      .type = CONFIG_FREQUENCY,
      .offset = offsetof(Thing, hz),
      .fallback = "1245 MHz" },
    { .key = "rate",
      .type = CONFIG_FLOPS,
      .offset = offsetof(Thing, flops),
      .fallback = "120 TFLOPS" },
    { .key = "share",
      .type = CONFIG_FRACTION,
      .offset = offsetof(Thing, share_ppm),
      .max = 1000000,
      .fallback = "94 %" },
    { .key = "flag",
      .type = CONFIG_BOOL,
      .offset = offsetof(Thing, flag),
      .fallback = "false" },
    { .key = "choice",
      .type = CONFIG_ENUM,
      .offset = offsetof(Thing, choice),
      .names = choices,
      .fallback = "fifo" },
    { .key = "name",
      .type = CONFIG_NAME,
      .offset = offsetof(Thing, name),
      .fallback = "x" },
    { .key = "list",
      .type = CONFIG_LIST,
      .offset = offsetof(Thing, list),
      .item = &number_item,
      .item_size = sizeof(uint64_t),
      .max = 4,
      .fallback = "[1, 2]" },
    { .key = "inner",
      .type = CONFIG_KIND,
      .offset = offsetof(Thing, inner),
      .registry = &registry,
      .fallback = "{kind: none}" },
    { .key = "raw",
      .type = CONFIG_RAW,
      .offset = offsetof(Thing, raw),
      .fallback = "{}" },
    CONFIG_END,
};

static const ConfigKind none = {
    .name = "none", .summary = "nothing", .fields = NULL, .size = 0
};
static const ConfigKind thing = { .name = "thing",
                                  .summary = "everything",
                                  .fields = thing_fields,
                                  .size = sizeof(Thing) };
static const ConfigKind *const kinds[] = { &none, &thing, NULL };
static const ConfigRegistry registry = { .noun = "thing", .kinds = kinds };

static const ConfigField things_item = { .type = CONFIG_SECTION,
                                         .fields = thing_fields };

static const ConfigField top_fields[] = {
    { .key = "thing",
      .type = CONFIG_KIND,
      .offset = offsetof(Top, thing),
      .registry = &registry },
    { .key = "section",
      .type = CONFIG_SECTION,
      .offset = offsetof(Top, section),
      .fields = thing_fields,
      .fallback = "{}" },
    { .key = "things",
      .type = CONFIG_LIST,
      .offset = offsetof(Top, things),
      .item = &things_item,
      .item_size = sizeof(Thing),
      .fallback = "[]" },
    CONFIG_END,
};

/* Replaces characters that could lead to a file outside.  A text may be read as
 * the name of a file, and the document is in a folder that does not exist.  The
 * '/' of "GB/s" stays. */
static void remove_file_references(char *text)
{
    for (char *p = text; *p != '\0'; p++) {
        if (*p == '/' && p[1] != 's')
            *p = '_';
        if (*p == '\\' && p[1] != '\0' && strchr("xuU/", p[1]))
            *p = '_';
    }
}

/* Splits "path=value" off the first line, if it has a '='.  Returns the begin
 * of the document; *@path is NULL without an override. */
static const char *split_override(char *text, char **path, char **value)
{
    char *end = strchr(text, '\n');
    char *equals = strchr(text, '=');

    *path = NULL;
    if (!end || !equals || equals > end)
        return text;
    *end = '\0';
    *equals = '\0';
    *path = text;
    *value = equals + 1;
    return end + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    gboolean ok;
    char *path, *value;
    const char *yaml;
    Top top;

    remove_file_references(text);
    yaml = split_override(text, &path, &value);
    doc =
        config_doc_parse("/nonexistent/fuzz.yaml", yaml, strlen(yaml), &error);
    ok = doc != NULL;
    if (ok && path)
        ok = config_doc_set(doc, path, "/nonexistent/--set", value, &error);
    if (ok)
        ok = config_doc_read(doc, top_fields, &top, &error);
    g_assert_true(ok == (error == NULL));
    g_assert_true(ok || strstr(error->message, "/nonexistent/"));
    if (doc && path)
        g_assert_nonnull(config_doc_find_nearest(doc, path));
    return 0;
}
