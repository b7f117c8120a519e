/* chakra_groups.c - process groups in PyTorch's host nodes */
#include "workloads/readers/chakra_groups.h"

#include <string.h>

#include "workloads/readers/read_comm.h"
#include "workloads/readers/read_impl.h"

/* Returns the text without backslashes and with double quotes only.  The caller
 * owns it. */
static char *plain_text(const ChakraText *text)
{
    GString *plain = g_string_sized_new(text->n_bytes + 1);

    for (gsize i = 0; i < text->n_bytes && text->text[i]; i++)
        if (text->text[i] != '\\')
            g_string_append_c(plain,
                              text->text[i] == '\'' ? '"' : text->text[i]);
    return g_string_free(plain, FALSE);
}

/* Returns the value after @key, or NULL if @key does not occur before @end. */
static const char *value_of(const char *text, const char *end, const char *key)
{
    const char *at = g_strstr_len(text, end - text, key);

    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, ": ");
}

/* Reads a quoted name or a number. */
static const char *read_group_name(Recording *recording, const char *at)
{
    gboolean is_quoted = *at == '"';

    at += is_quoted ? 1 : 0;
    return read_text(recording, at, strcspn(at, is_quoted ? "\"" : ",} "));
}

static uint32_t add_ranks(Recording *recording, const char *list,
                          const char *name)
{
    const OpGroup all = { .name = "all", .by = GROUP_ALL };
    g_autoptr(GArray) ranks = read_list_of(list);

    if (!ranks)
        return RECORD_NONE;
    return ranks->len == 0 ? record_add_group(recording, &all)
                           : read_add_group(recording, ranks, name);
}

void chakra_add_groups(const ChakraText *text, Recording *recording,
                       GHashTable *groups)
{
    g_autofree char *plain = plain_text(text);
    const char *end = plain + strlen(plain);
    const char *at = value_of(plain, end, "\"pg_name\"");

    while (at) {
        const char *next = value_of(at, end, "\"pg_name\"");
        const char *list = value_of(at, next ? next : end, "\"ranks\"");
        const char *name = read_group_name(recording, at);
        uint32_t group = list ? add_ranks(recording, list, name) : RECORD_NONE;

        if (group != RECORD_NONE)
            g_hash_table_insert(groups, (gpointer)name,
                                GUINT_TO_POINTER(group + 1));
        at = next;
    }
}

uint32_t chakra_find_group(const ChakraText *name, Recording *recording,
                           GHashTable *groups)
{
    const char *text;

    if (!name->text || g_hash_table_size(groups) == 0)
        return RECORD_NONE;
    text = read_text(recording, name->text, name->n_bytes);
    return GPOINTER_TO_UINT(g_hash_table_lookup(groups, text)) - 1;
}
