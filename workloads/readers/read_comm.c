/* read_comm.c - groups and uneven splits as PyTorch's files say them */
#include "workloads/readers/read_comm.h"

GArray *read_list_of(const char *text)
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
            return NULL; /* "..." for what was left out */
        value = g_ascii_strtoull(at, &end, 10);
        g_array_append_val(list, value);
        at = end;
    }
    return g_steal_pointer(&list);
}

uint32_t read_add_group(Recording *recording, const GArray *ranks,
                        const char *name)
{
    OpGroup group = { .name = name, .by = GROUP_LISTS, .n_lists = 1 };

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

uint32_t read_add_stride(Recording *recording, int64_t first, int64_t stride,
                         int64_t n, const char *name)
{
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    if (first < 0 || first >= RECORD_NO_RANK || stride < 1 ||
        stride > UINT32_MAX || n < 1 || n > READ_COMM_MAX_GROUP)
        return RECORD_NONE;
    for (int64_t i = 0; i < n; i++) {
        uint64_t rank = (uint64_t)(first + i * stride);

        g_array_append_val(ranks, rank);
    }
    return read_add_group(recording, ranks, name);
}

GArray *read_split_of(const GArray *rows, uint64_t bytes)
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
