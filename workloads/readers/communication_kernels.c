/* communication_kernels.c - communication kernels, groups and uneven splits;
 * see communication_kernels.h */
#include "workloads/readers/communication_kernels.h"

#include <string.h>

#include "workloads/readers/reader_common_impl.h"

/* ---- kernels ----------------------------------------------------------- */

GPtrArray *reader_compile_name_patterns(const char *const *patterns)
{
    GPtrArray *specs =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_pattern_spec_free);

    for (; patterns && *patterns; patterns++)
        g_ptr_array_add(specs, g_pattern_spec_new(*patterns));
    return specs;
}

static gboolean name_contains_word(const char *name, const char *word)
{
    gsize n = strlen(word);

    for (; *name; name++)
        if (g_ascii_strncasecmp(name, word, n) == 0)
            return TRUE;
    return FALSE;
}

gboolean reader_is_communication_kernel(const GPtrArray *patterns,
                                        const char *name)
{
    if (name_contains_word(name, "nccl") || name_contains_word(name, "rccl"))
        return TRUE;
    for (guint i = 0; i < patterns->len; i++)
        if (g_pattern_match_string(g_ptr_array_index(patterns, i), name))
            return TRUE;
    return FALSE;
}

/* Returns the kind of collective that a name contains.  NCCL has no kernel for
 * an all-to-all: it uses sends and receives instead. */
CollKind reader_communication_kind_of_name(const char *name, RecordKind *as)
{
    *as = RECORD_COLLECTIVE;
    if (strcmp(name, "send") == 0) {
        *as = RECORD_SEND;
        return COLL_SEND;
    }
    if (g_str_has_prefix(name, "recv")) {
        *as = RECORD_RECEIVE;
        return COLL_SEND;
    }
    if (strstr(name, "SendRecv"))
        return COLL_ALL_TO_ALL;
    return reader_collective_kind_of_name(name, strcspn(name, "("));
}

/* ---- groups and splits ------------------------------------------------- */

GArray *reader_parse_number_list(const char *text)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    const char *at = text;

    if (*at++ != '[')
        return NULL;
    while (*at != ']') {
        char *end;
        uint64_t value;

        while (*at == ' ' || *at == ',')
            at++;
        if (!g_ascii_isdigit(*at))
            return NULL; /* "..." marks a list that is truncated */
        value = g_ascii_strtoull(at, &end, 10);
        g_array_append_val(list, value);
        at = end;
    }
    return g_steal_pointer(&list);
}

uint32_t reader_add_group_of_ranks(Recording *recording, const GArray *ranks,
                                   const char *name)
{
    OpGroup group = { .name = name, .grouped_by = GROUP_LISTS, .n_lists = 1 };

    if (ranks->len == 0)
        return RECORD_NONE;
    for (guint i = 0; i < ranks->len; i++)
        if (g_array_index(ranks, uint64_t, i) >= RECORD_NO_RANK)
            return RECORD_NONE;
    group.size = ranks->len;
    group.ids = g_new(uint32_t, ranks->len);
    for (guint i = 0; i < ranks->len; i++)
        group.ids[i] = (uint32_t)g_array_index(ranks, uint64_t, i);
    return record_add_group(recording, &group);
}

uint32_t reader_add_group_by_stride(Recording *recording, int64_t first,
                                    int64_t stride, int64_t n, const char *name)
{
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    if (first < 0 || first >= RECORD_NO_RANK || stride < 1 ||
        stride > UINT32_MAX || n < 1 || n > READ_COMM_MAX_GROUP)
        return RECORD_NONE;
    for (int64_t i = 0; i < n; i++) {
        uint64_t rank = (uint64_t)(first + i * stride);

        g_array_append_val(ranks, rank);
    }
    return reader_add_group_of_ranks(recording, ranks, name);
}

GArray *reader_bytes_of_splits(const GArray *rows, uint64_t bytes)
{
    GArray *split;
    unsigned __int128 sum = 0;

    for (guint i = 0; rows && i < rows->len; i++)
        sum += g_array_index(rows, uint64_t, i);
    if (sum == 0 || sum > UINT64_MAX)
        return NULL;
    split = g_array_sized_new(FALSE, FALSE, sizeof(uint64_t), rows->len);
    for (guint i = 0; i < rows->len; i++) {
        uint64_t part = (uint64_t)((unsigned __int128)bytes *
                                   g_array_index(rows, uint64_t, i) / sum);

        g_array_append_val(split, part);
    }
    return split;
}
