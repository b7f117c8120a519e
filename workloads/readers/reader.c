/* reader.c - the table of readers, and what they share */
#include "workloads/readers/reader_impl.h"

#include <stdarg.h>
#include <string.h>

#include "sim/core/words.h"
#include "workloads/loop_impl.h"

/* To add a reader, add a file and a line here: what it defines, and the name by
 * which YAML asks for it, which is its .name, too. */
/* clang-format off */
#define READERS(Add)                     \
    Add(reader_astra_text, "astra-text")
/* clang-format on */

#define DECLARE(Reader, name) extern const ReaderOps Reader;
#define KIND(Reader, name)    &Reader.base,
#define NAME(Reader, name)    name,

READERS(DECLARE)

static const ConfigKind *const reader_kinds[] = { READERS(KIND) NULL };

const ConfigRegistry reader_registry = { .what = "reader",
                                         .kinds = reader_kinds };

const char *const reader_names[] = { "auto", READERS(NAME) NULL };

const ReaderOps *reader_find(int format, const ReaderFile *file, GError **error)
{
    if (format != READER_AUTO)
        return (const ReaderOps *)reader_kinds[format - 1];
    for (guint i = 0; reader_kinds[i]; i++) {
        const ReaderOps *ops = (const ReaderOps *)reader_kinds[i];

        if (ops->knows(file))
            return ops;
    }
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                "%s:1:1: no reader knows how this begins; say which by "
                "'format'",
                file->name);
    return NULL;
}

/* ---- words ------------------------------------------------------------ */

static gboolean is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static void end_line(ReaderScan *scan)
{
    scan->at++;
    scan->line++;
    scan->line_begin = scan->at;
}

gboolean reader_next_in_line(ReaderScan *scan, ReaderWord *ret)
{
    const char *text = scan->file->text;

    while (scan->at < scan->file->n_bytes && is_blank(text[scan->at]))
        scan->at++;
    *ret = (ReaderWord){ .text = text + scan->at,
                         .line = scan->line,
                         .column = (guint)(scan->at - scan->line_begin) + 1 };
    while (scan->at < scan->file->n_bytes && !is_blank(text[scan->at]) &&
           text[scan->at] != '\n')
        scan->at++;
    ret->n_bytes = (gsize)(text + scan->at - ret->text);
    return ret->n_bytes > 0;
}

gboolean reader_next(ReaderScan *scan, ReaderWord *ret)
{
    while (!reader_next_in_line(scan, ret)) {
        if (scan->at == scan->file->n_bytes)
            return FALSE;
        end_line(scan);
    }
    return TRUE;
}

gboolean reader_is(const ReaderWord *word, const char *text)
{
    return word->n_bytes == strlen(text) &&
           memcmp(word->text, text, word->n_bytes) == 0;
}

#define MAX_QUOTED 200

char *reader_quote(const ReaderWord *word)
{
    g_autofree char *text =
        g_strndup(word->text, MIN(word->n_bytes, MAX_QUOTED));

    return words_quote(text);
}

void reader_fail(GError **error, const ReaderScan *scan,
                 const ReaderWord *where, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE, "%s:%u:%u: %s",
                scan->file->name, where->line, where->column, text);
}

static gboolean digits(const ReaderWord *word, uint64_t most, uint64_t *ret)
{
    *ret = 0;
    for (gsize i = 0; i < word->n_bytes; i++) {
        uint64_t digit = (uint64_t)(word->text[i] - '0');

        if (word->text[i] < '0' || word->text[i] > '9' ||
            *ret > (most - MIN(most, digit)) / 10)
            return FALSE;
        *ret = *ret * 10 + digit;
    }
    return *ret <= most;
}

gboolean reader_number(ReaderScan *scan, const char *what, uint64_t most,
                       uint64_t *ret, GError **error)
{
    g_autofree char *quoted = NULL;
    ReaderWord word;

    if (!reader_next(scan, &word)) {
        reader_fail(error, scan, &word, "the text ends where %s is due", what);
        return FALSE;
    }
    if (digits(&word, most, ret))
        return TRUE;
    quoted = reader_quote(&word);
    reader_fail(error, scan, &word,
                "%s has to be a whole number of at most %" G_GUINT64_FORMAT
                ", not %s",
                what, most, quoted);
    return FALSE;
}

/* ---- what is added ---------------------------------------------------- */

uint32_t reader_add_timed(OpGraph *graph, const TrainingConfig *training,
                          uint32_t layer, OpPass pass, uint64_t time_ps)
{
    OpWork work = { .measured_ps = time_ps,
                    .precision = (Precision)training->precision };
    gboolean settled = loop_settle(training, &work);

    g_assert(settled);
    return op_graph_add_compute(graph, layer, pass, OP_STREAM_MAIN, &work);
}

gboolean reader_has_times(const ReaderFile *file,
                          const TrainingConfig *training, GError **error)
{
    if (training->compute == COMPUTE_MEASURED)
        return TRUE;
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                "%s:1:1: kernels have measured times and no shapes; set "
                "'training.compute' to measured",
                file->name);
    return FALSE;
}
