/* assumption_filter.c - selects assumptions by the options of the
 * command line */
#include "sim/sensitivity/assumption_filter.h"

#include <string.h>

#include "sim/config/config.h"
#include "sim/core/word_suggestions.h"
#include "sim/sensitivity/config_key_pattern.h"

/* Returns whether @word selects the assumption: "a.b" is selected by "a.b" and
 * "a", and "a.b of c" by "a.b". */
static gboolean filter_word_selects_assumption(const Assumption *assumption,
                                               const char *word)
{
    gsize n = strlen(word);

    return config_key_is_below(assumption->name, word) ||
           (strncmp(assumption->name, word, n) == 0 &&
            g_str_has_prefix(assumption->name + n, " of "));
}

static gboolean is_assumption_selected(const Assumption *assumption,
                                       char *const *names)
{
    for (guint i = 0; names && names[i]; i++)
        if (filter_word_selects_assumption(assumption, names[i]))
            return TRUE;
    return FALSE;
}

static gboolean check_filter_names(const GPtrArray *all, const char *option,
                                   char *const *names, GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();

    for (guint k = 0; k < all->len; k++)
        g_ptr_array_add(known, assumption_at(all, k)->name);
    g_ptr_array_add(known, NULL);
    for (guint i = 0; names && names[i]; i++) {
        const char *nearest;
        guint k = 0;

        while (k < all->len &&
               !filter_word_selects_assumption(assumption_at(all, k), names[i]))
            k++;
        if (k < all->len)
            continue;
        nearest =
            words_find_nearest(names[i], (const char *const *)known->pdata);
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_UNKNOWN_KEY,
                    "%s: nothing assumed is called '%s'%s%s%s", option,
                    names[i], nearest ? "; did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : "");
        return FALSE;
    }
    return TRUE;
}

gboolean filter_assumptions(GPtrArray *all, const AssumptionFilter *filter,
                            GError **error)
{
    if (!check_filter_names(all, "--only", filter->only, error) ||
        !check_filter_names(all, "--skip", filter->skip, error))
        return FALSE;
    for (guint i = all->len; i-- > 0;) {
        const Assumption *assumption = assumption_at(all, i);

        if (is_assumption_selected(assumption, filter->skip) ||
            (filter->only && !is_assumption_selected(assumption, filter->only)))
            g_ptr_array_remove_index(all, i);
    }
    return TRUE;
}
