/*
 * reader_impl.h - for readers/ only: words of a text with their places, and
 * what readers add to a graph
 */
#ifndef WORKLOADS_READERS_READER_IMPL_H
#define WORKLOADS_READERS_READER_IMPL_H

#include "workloads/readers/reader.h"

/* ---- words ------------------------------------------------------------ */

/* Where it is; begin with ReaderScan{ file, .line = 1 }. */
typedef struct {
    const ReaderFile *file;
    gsize at, line_begin;
    guint line; /* counted from 1 */
} ReaderScan;

/* What stands between blanks. */
typedef struct {
    const char *text; /* no NUL behind it */
    gsize n_bytes;
    guint line, column; /* counted from 1 */
} ReaderWord;

/* FALSE: there is none, in the rest of the text or of its line; *@ret has the
 * place then, and no bytes. */
gboolean reader_next(ReaderScan *scan, ReaderWord *ret);
gboolean reader_next_in_line(ReaderScan *scan, ReaderWord *ret);

gboolean reader_is(const ReaderWord *word, const char *text);
/* In quotes, for messages.  Owner: the caller. */
char *reader_quote(const ReaderWord *word);
void reader_fail(GError **error, const ReaderScan *scan,
                 const ReaderWord *where, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* The next word, which has to be a whole number of at most @most.  @what says
 * which, in messages. */
G_GNUC_WARN_UNUSED_RESULT
gboolean reader_number(ReaderScan *scan, const char *what, uint64_t most,
                       uint64_t *ret, GError **error);

/* ---- what is added ---------------------------------------------------- */

/* A kernel of which only the time is known.  training.compute is measured,
 * which a reader of such files has checked. */
uint32_t reader_add_timed(OpGraph *graph, const TrainingConfig *training,
                          uint32_t layer, OpPass pass, uint64_t time_ps);
/* FALSE: it is not, and there is nothing else to go by. */
G_GNUC_WARN_UNUSED_RESULT
gboolean reader_has_times(const ReaderFile *file,
                          const TrainingConfig *training, GError **error);

#endif
