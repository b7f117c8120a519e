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

#define LIST_IS_WHOLE G_MAXUINT

/* Parses a list such as "[0, 1]" or "[0, 1, ..., 7]", and sets @n_before to the
 * number of values before the "...", which marks values that are left out, or
 * to LIST_IS_WHOLE.  Text behind the list is not read.  Returns NULL if @text
 * does not begin with a list. */
static GArray *parse_truncated_list(const char *text, guint *n_before)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    const char *at = text;

    *n_before = LIST_IS_WHOLE;
    if (*at++ != '[')
        return NULL;
    while (*at != ']') {
        char *end;
        uint64_t value;

        while (*at == ' ' || *at == ',')
            at++;
        if (*n_before == LIST_IS_WHOLE && g_str_has_prefix(at, "...")) {
            *n_before = list->len;
            at += strlen("...");
            continue;
        }
        if (!g_ascii_isdigit(*at))
            return NULL;
        value = g_ascii_strtoull(at, &end, 10);
        g_array_append_val(list, value);
        at = end;
    }
    return g_steal_pointer(&list);
}

GArray *reader_parse_number_list(const char *text)
{
    guint n_before;
    g_autoptr(GArray) list = parse_truncated_list(text, &n_before);

    return n_before == LIST_IS_WHOLE ? g_steal_pointer(&list) : NULL;
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

/* ---- truncated lists --------------------------------------------------- */

/* Returns how many differences of the first @n values of @list repeat: the
 * smallest number that they show at least twice.  Returns 0 if there is none or
 * the values do not ascend. */
static guint period_of_differences(const GArray *list, guint n)
{
    const uint64_t *value = (const uint64_t *)(gconstpointer)list->data;
    guint period = 1, i = 1;

    for (guint k = 1; k < n; k++)
        if (value[k] <= value[k - 1] || value[k] >= RECORD_NO_RANK)
            return 0;
    while (n > 2 && period <= (n - 1) / 2) {
        while (i + period < n && value[i] - value[i - 1] ==
                                     value[i + period] - value[i + period - 1])
            i++;
        if (i + period >= n)
            return period;
        period++;
        i = 1;
    }
    return 0;
}

/* Appends to the first @n_before values of @list until there are @n, or until
 * the last of @list is reached if @n is less than 1.  Returns NULL if the last
 * of @list is not the last. */
static GArray *continue_number_list(const GArray *list, guint n_before,
                                    int64_t n)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    guint period = period_of_differences(list, n_before);
    gboolean has_last = list->len > n_before;
    uint64_t last = g_array_index(list, uint64_t, list->len - 1);

    if (period == 0 || n > READ_COMM_MAX_GROUP || (n < 1 && !has_last) ||
        (n > 0 && n < list->len))
        return NULL;
    g_array_append_vals(all, list->data, n_before);
    while (n > 0 ? all->len < n
                 : all->len < READ_COMM_MAX_GROUP &&
                       g_array_index(all, uint64_t, all->len - 1) < last) {
        const uint64_t *value = (const uint64_t *)(gconstpointer)all->data;
        guint at = all->len - period;
        uint64_t next = value[all->len - 1] + value[at] - value[at - 1];

        g_array_append_val(all, next);
    }
    if (has_last && g_array_index(all, uint64_t, all->len - 1) != last)
        return NULL;
    return g_steal_pointer(&all);
}

uint32_t reader_add_group_of_first_ranks(Recording *recording, const char *text,
                                         int64_t n, const char *name)
{
    guint n_before, n_groups = recording->groups->len;
    g_autoptr(GArray) list = parse_truncated_list(text, &n_before);
    g_autoptr(GArray) all = NULL;
    uint32_t group;

    if (list && n_before != LIST_IS_WHOLE && n_before > 0)
        all = continue_number_list(list, n_before, n);
    if (!all)
        return RECORD_NONE;
    group = reader_add_group_of_ranks(recording, all, name);
    recording->n_continued_groups += recording->groups->len - n_groups;
    return group;
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
