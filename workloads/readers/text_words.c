/* text_words.c - words of a text file; see text_words.h */
#include "workloads/readers/text_words.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/config.h"
#include "sim/core/word_suggestions.h"

static gboolean is_blank_character(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Skips blanks and line ends.  Returns FALSE at the end of the text. */
static gboolean skip_blanks_of_line(ReadWords *words)
{
    for (;;) {
        gsize n = 0, blanks = 0;
        const uint8_t *bytes = source_peek(words->source, 1, &n);

        while (blanks < n && is_blank_character(bytes[blanks]))
            blanks++;
        words->column += (guint)blanks;
        source_skip(words->source, blanks);
        if (n == 0 || blanks < n)
            return n > 0;
    }
}

gboolean reader_next_word_in_line(ReadWords *words, ReadWord *ret)
{
    gboolean is_more = skip_blanks_of_line(words);
    gsize n = 0, end = 0;
    const uint8_t *bytes =
        is_more ? source_peek(words->source, READ_MAX_WORD, &n) : NULL;

    n = MIN(n, READ_MAX_WORD);
    while (end < n && !is_blank_character(bytes[end]) && bytes[end] != '\n')
        end++;
    *ret = (ReadWord){ .text = (const char *)bytes,
                       .n_bytes = end,
                       .line = words->line,
                       .column = words->column };
    words->column += (guint)end;
    source_skip(words->source, end);
    return end > 0;
}

/* Ends the current line.  Returns FALSE if there is no further line. */
static gboolean end_current_line(ReadWords *words)
{
    gsize n = 0;

    source_peek(words->source, 1, &n);
    if (n == 0)
        return FALSE;
    source_skip(words->source, 1);
    words->line++;
    words->column = 1;
    return TRUE;
}

gboolean reader_next_word(ReadWords *words, ReadWord *ret)
{
    while (!reader_next_word_in_line(words, ret))
        if (!end_current_line(words))
            return FALSE;
    return TRUE;
}

gboolean reader_word_equals(const ReadWord *word, const char *text)
{
    return word->n_bytes == strlen(text) &&
           memcmp(word->text, text, word->n_bytes) == 0;
}

#define MAX_QUOTED 200

char *reader_word_in_quotes(const ReadWord *word)
{
    g_autofree char *text =
        word->text ? g_strndup(word->text, MIN(word->n_bytes, MAX_QUOTED))
                   : g_strdup("");

    return words_quote_text(text);
}

int reader_word_index(const ReadWord *word, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (reader_word_equals(word, names[i]))
            return i;
    return -1;
}

void reader_set_word_error(GError **error, const ReadWords *words,
                           const ReadWord *where, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE, "%s:%u:%u: %s",
                source_name(words->source), where->line, where->column, text);
}

gboolean reader_word_as_number(const ReadWord *word, uint64_t most,
                               uint64_t *ret)
{
    *ret = 0;
    for (gsize i = 0; i < word->n_bytes; i++) {
        uint64_t digit = (uint64_t)(word->text[i] - '0');

        if (word->text[i] < '0' || word->text[i] > '9' ||
            *ret > (most - MIN(most, digit)) / 10)
            return FALSE;
        *ret = *ret * 10 + digit;
    }
    return word->n_bytes > 0 && *ret <= most;
}

gboolean reader_next_number(ReadWords *words, const char *what, uint64_t most,
                            uint64_t *ret, GError **error)
{
    g_autofree char *quoted = NULL;
    ReadWord word;

    if (!reader_next_word(words, &word)) {
        reader_set_word_error(error, words, &word,
                              "the text ends where %s is due", what);
        return FALSE;
    }
    if (reader_word_as_number(&word, most, ret))
        return TRUE;
    quoted = reader_word_in_quotes(&word);
    reader_set_word_error(
        error, words, &word,
        "%s has to be a whole number of at most %" G_GUINT64_FORMAT ", not %s",
        what, most, quoted);
    return FALSE;
}
