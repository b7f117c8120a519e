/* distinct_names.c - distinct texts in order of appearance; see
 * distinct_names.h */
#include "sim/view/plots/distinct_names.h"

void distinct_names_init(DistinctNames *names)
{
    names->texts = g_ptr_array_new_with_free_func(g_free);
    names->index = g_hash_table_new(g_str_hash, g_str_equal);
}

void distinct_names_clear(DistinctNames *names)
{
    g_clear_pointer(&names->index, g_hash_table_unref);
    g_clear_pointer(&names->texts, g_ptr_array_unref);
}

guint distinct_names_add(DistinctNames *names, const char *text)
{
    gpointer found;
    char *copy;

    if (g_hash_table_lookup_extended(names->index, text, NULL, &found))
        return GPOINTER_TO_UINT(found);
    copy = g_strdup(text);
    g_hash_table_insert(names->index, copy,
                        GUINT_TO_POINTER(names->texts->len));
    g_ptr_array_add(names->texts, copy);
    return names->texts->len - 1;
}
