/*
 * distinct_names.h - distinct texts in order of appearance
 *
 * Owner    the caller owns the Names, which own copies of the texts
 */
#ifndef SIM_VIEW_PLOTS_DISTINCT_NAMES_H
#define SIM_VIEW_PLOTS_DISTINCT_NAMES_H

#include <glib.h>

typedef struct {
    GPtrArray *texts;  /* owned: of owned text */
    GHashTable *index; /* owned: borrowed text to its index */
} DistinctNames;

void distinct_names_init(DistinctNames *names);
void distinct_names_clear(DistinctNames *names);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DistinctNames, distinct_names_clear)

/* Returns the index of @text, and adds it if it is new. */
guint distinct_names_add(DistinctNames *names, const char *text);

static inline const char *distinct_names_text_at(const DistinctNames *names,
                                                 guint i)
{
    return g_ptr_array_index(names->texts, i);
}

static inline guint distinct_names_count(const DistinctNames *names)
{
    return names->texts->len;
}

#endif
