/* file_name_ranks.c - numbers ranks by the names of their files; see
 * file_name_ranks.h */
#include "workloads/recording/file_name_ranks.h"

#include <string.h>

/* Reads the number at @text; returns RECORD_NO_RANK if there is no number that
 * a rank can have. */
static uint32_t rank_number_from_digits(const char *text)
{
    guint64 number;

    if (!g_ascii_isdigit(*text))
        return RECORD_NO_RANK;
    number = g_ascii_strtoull(text, NULL, 10);
    return number < RECORD_NO_RANK ? (uint32_t)number : RECORD_NO_RANK;
}

/* Returns the number after the last @word in @name, as in "rank3", "rank_3" or
 * "rank-3", or RECORD_NO_RANK. */
static uint32_t number_after_word(const char *name, const char *word)
{
    g_autofree char *small = g_ascii_strdown(name, -1);
    const char *found = g_strrstr(small, word);

    if (!found)
        return RECORD_NO_RANK;
    found += strlen(word);
    return rank_number_from_digits(found + (strchr("-_.=", *found) ? 1 : 0));
}

static uint32_t number_of_rank_word(const char *name)
{
    uint32_t number = number_after_word(name, "rank");

    return number == RECORD_NO_RANK ? number_after_word(name, "worker")
                                    : number;
}

/* Returns where two names first differ, or at the first digit of the number
 * that has this place. */
static gsize first_differing_character(const char *a, const char *b)
{
    gsize i = 0;

    while (a[i] && a[i] == b[i])
        i++;
    while (i > 0 && g_ascii_isdigit(a[i - 1]))
        i--;
    return i;
}

/* Returns the number at @at of @name if the rest of @name is that of @first, or
 * RECORD_NO_RANK. */
static uint32_t number_at_difference(const char *first, const char *name,
                                     gsize at)
{
    const char *rest = first + at, *other = name + at;

    if (strlen(name) < at || strncmp(first, name, at) != 0 ||
        !g_ascii_isdigit(*rest))
        return RECORD_NO_RANK;
    rest += strspn(rest, "0123456789");
    return strcmp(rest, other + strspn(other, "0123456789")) == 0
               ? rank_number_from_digits(other)
               : RECORD_NO_RANK;
}

/* Sets the numbers of @ranks, by word or by the only difference of the names.
 * Returns FALSE if one has none. */
static gboolean find_numbers_of_names(char *const *names, guint n,
                                      gboolean by_word, uint32_t *numbers)
{
    gsize at = n > 1 ? first_differing_character(names[0], names[1]) : 0;

    for (guint i = 0; i < n; i++) {
        numbers[i] = by_word ? number_of_rank_word(names[i])
                             : number_at_difference(names[0], names[i], at);
        if (numbers[i] == RECORD_NO_RANK || (!by_word && numbers[i] >= n))
            return FALSE;
    }
    return TRUE;
}

/* Gives the ranks without a number those in @numbers, unless two would be
 * equal. */
static void set_rank_numbers(Recording *recording, const uint32_t *numbers)
{
    g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
    guint n = 0;

    for (guint r = 0; r < recording->ranks->len; r++) {
        uint32_t rank = record_rank(recording, r)->rank;

        if (rank == RECORD_NO_RANK)
            rank = numbers[n++];
        if (!g_hash_table_add(taken, GUINT_TO_POINTER(rank)))
            return;
    }
    n = 0;
    for (guint r = 0; r < recording->ranks->len; r++)
        if (record_rank(recording, r)->rank == RECORD_NO_RANK)
            record_rank(recording, r)->rank = numbers[n++];
    recording->n_named_ranks = n;
}

void record_number_ranks_by_file_names(Recording *recording)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autofree uint32_t *numbers = g_new(uint32_t, recording->ranks->len + 1);

    for (guint r = 0; r < recording->ranks->len; r++)
        if (record_rank(recording, r)->rank == RECORD_NO_RANK)
            g_ptr_array_add(
                names, g_path_get_basename(record_rank(recording, r)->file));
    if (names->len == 0 || recording->ranks->len < 2)
        return;
    for (int by_word = 1; by_word >= 0; by_word--)
        if (find_numbers_of_names((char *const *)names->pdata, names->len,
                                  by_word, numbers)) {
            set_rank_numbers(recording, numbers);
            return;
        }
}
