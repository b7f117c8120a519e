/*
 * comm_groups.c - files with the members of process groups, for traces that
 * only name the groups
 *
 *     {"1": [0, 1], "2": [2, 3]}
 *
 * STAGE writes such files, and ASTRA-sim reads them
 * (--comm-group-configuration). This reader adds no rank.  Recording.named has
 * the groups, whichever file comes first.
 */
#include <string.h>

#include "sim/config/config.h"
#include "workloads/readers/communication_kernels.h"
#include "workloads/readers/reader_common_impl.h"
#include "workloads/readers/reader_table.h"

#define MAX_BYTES (UINT64_C(64) << 20)

typedef struct {
    const char *at, *end;
} Text;

static char next_nonblank_character(Text *text)
{
    while (text->at < text->end && g_ascii_isspace(*text->at))
        text->at++;
    return text->at < text->end ? *text->at : '\0';
}

static gboolean accept_character(Text *text, char c)
{
    if (next_nonblank_character(text) != c)
        return FALSE;
    text->at++;
    return TRUE;
}

/* Reads a text without escapes; returns FALSE for anything else. */
static gboolean read_group_name(Text *text, const char **ret, gsize *ret_n)
{
    const char *begin;

    if (!accept_character(text, '"'))
        return FALSE;
    begin = text->at;
    while (text->at < text->end && *text->at != '"' && *text->at != '\\')
        text->at++;
    *ret = begin;
    *ret_n = (gsize)(text->at - begin);
    return accept_character(text, '"');
}

/* Reads a list of ranks into @ranks.  Returns FALSE if the text is not such a
 * list. */
static gboolean read_rank_list(Text *text, GArray *ranks)
{
    if (!accept_character(text, '['))
        return FALSE;
    if (accept_character(text, ']'))
        return TRUE;
    do {
        uint64_t rank = 0;

        if (!g_ascii_isdigit(next_nonblank_character(text)))
            return FALSE;
        while (text->at < text->end && g_ascii_isdigit(*text->at) &&
               rank < RECORD_NO_RANK)
            rank = rank * 10 + (uint64_t)(*text->at++ - '0');
        if (rank >= RECORD_NO_RANK)
            return FALSE;
        g_array_append_val(ranks, rank);
    } while (accept_character(text, ','));
    return accept_character(text, ']');
}

static gboolean read_named_group(Text *text, const char **ret, gsize *ret_n,
                                 GArray *ranks)
{
    g_array_set_size(ranks, 0);
    return read_group_name(text, ret, ret_n) && accept_character(text, ':') &&
           read_rank_list(text, ranks);
}

/* Recognises the first group, followed by another group or the end. */
static gboolean comm_groups_recognises(Source *source)
{
    gsize n = 0, n_name;
    const char *bytes = (const char *)source_peek(source, 65536, &n), *name;
    Text text = { bytes, bytes + n };
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    char c;

    if (!accept_character(&text, '{') ||
        !read_named_group(&text, &name, &n_name, ranks))
        return FALSE;
    c = next_nonblank_character(&text);
    return c == ',' || c == '}';
}

static gboolean has_repeated_rank(const GArray *ranks)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < ranks->len; i++)
        if (!g_hash_table_add(
                seen, GSIZE_TO_POINTER(g_array_index(ranks, uint64_t, i))))
            return TRUE;
    return FALSE;
}

/* Adds the group @name to @recording.  Returns NULL, or what is wrong: @listed
 * are the names before it in this file. */
static const char *add_named_group(const char *name, const GArray *ranks,
                                   GHashTable *listed, Recording *recording)
{
    uint32_t group;

    if (!g_hash_table_add(listed, (gpointer)name))
        return "this group is listed before";
    if (has_repeated_rank(ranks))
        return "this group has a rank twice";
    group = reader_add_group_of_ranks(recording, ranks, name);
    if (group != RECORD_NONE)
        g_hash_table_insert(recording->named, (gpointer)name,
                            GUINT_TO_POINTER(group + 1));
    return NULL;
}

/* Reads all groups.  Returns NULL, or what is wrong at @text. */
static const char *read_all_groups(Text *text, Recording *recording)
{
    static const char form[] =
        "a file of groups is {\"NAME\": [RANK, ...], ...}";
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GHashTable) listed = g_hash_table_new(NULL, NULL);

    if (!accept_character(text, '{'))
        return form;
    if (accept_character(text, '}'))
        return NULL;
    do {
        const char *begin, *name, *wrong;
        gsize n;

        next_nonblank_character(text);
        begin = text->at;
        if (!read_named_group(text, &name, &n, ranks))
            return form;
        name = reader_store_text(recording, name, n);
        wrong = add_named_group(name, ranks, listed, recording);
        if (wrong) {
            text->at = begin;
            return wrong;
        }
    } while (accept_character(text, ','));
    return accept_character(text, '}') && next_nonblank_character(text) == '\0'
               ? NULL
               : form;
}

static gboolean comm_groups_read(Source *source, const ReadOptions *options,
                                 Recording *recording, GError **error)
{
    gsize n = 0;
    const char *bytes = (const char *)source_peek(source, MAX_BYTES, &n);
    Text text = { bytes, bytes + MIN(n, MAX_BYTES) };
    const char *wrong;

    (void)options;
    /* Pointers can be keys, because a recording stores equal texts once. */
    if (!recording->named)
        recording->named = g_hash_table_new(NULL, NULL);
    wrong = read_all_groups(&text, recording);
    if (!wrong) {
        source_skip(source, n);
        return TRUE;
    }
    reader_set_binary_error(error, source, (uint64_t)(text.at - bytes), "%s",
                            wrong);
    return FALSE;
}

const ReadOps reader_comm_groups = {
    .base = { .name = READ_COMM_GROUPS,
              .summary = "members of process groups by name, in a file next "
                         "to the traces",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .recognises = comm_groups_recognises,
    .read = comm_groups_read,
};
