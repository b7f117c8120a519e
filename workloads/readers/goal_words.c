/*
 * goal_words.c - tokens of GOAL
 *
 * A comment is // to the end of the line, or /-star to star-/.
 */
#include "workloads/readers/goal_words.h"

#include <string.h>

/* Returns the length of the first token in @word: it ends before a brace or a
 * comment, or after a colon. */
static gsize length_of(const ReadWord *word)
{
    const char *text = word->text;

    for (gsize i = 0; i < word->n_bytes; i++) {
        gboolean is_two = i + 1 < word->n_bytes && text[i] == '/';

        if (text[i] == '{' || text[i] == '}')
            return MAX(i, 1);
        if (text[i] == ':')
            return i + 1;
        if (is_two && (text[i + 1] == '/' || text[i + 1] == '*'))
            return i;
    }
    return word->n_bytes;
}

static ReadWord remainder_of(const ReadWord *word, gsize n)
{
    return (ReadWord){ word->text + n, word->n_bytes - n, word->line,
                       word->column + (guint)n };
}

/* Returns the part of @word after the comment that it begins with; it may be
 * empty. */
static ReadWord after_comment(GoalWords *goal, ReadWord word)
{
    const char *end = NULL;

    if (word.text[1] == '/') {
        while (read_word_in_line(&goal->words, &word))
            ;
        return (ReadWord){ .n_bytes = 0 };
    }
    word = remainder_of(&word, 2);
    for (;;) {
        end = word.n_bytes > 0
                  ? g_strstr_len(word.text, (gssize)word.n_bytes, "*/")
                  : NULL;
        if (end)
            return remainder_of(&word, (gsize)(end + 2 - word.text));
        if (!read_word(&goal->words, &word))
            return word;
    }
}

gboolean goal_word(GoalWords *goal, ReadWord *ret)
{
    ReadWord word = goal->back.n_bytes > 0 ? goal->back : goal->remainder;
    gsize n;

    if (goal->back.n_bytes > 0) {
        *ret = word;
        goal->back.n_bytes = 0;
        return TRUE;
    }
    for (;;) {
        if (word.n_bytes == 0 && !read_word(&goal->words, &word)) {
            *ret = word;
            goal->remainder.n_bytes = 0;
            return FALSE;
        }
        n = length_of(&word);
        if (n > 0)
            break;
        word = after_comment(goal, word);
    }
    goal->remainder = remainder_of(&word, n);
    *ret = word;
    ret->n_bytes = n;
    return TRUE;
}

void goal_put_back(GoalWords *goal, const ReadWord *word)
{
    g_assert(goal->back.n_bytes == 0 && word->n_bytes > 0);
    goal->back = *word;
}
