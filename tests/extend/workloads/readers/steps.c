/*
 * steps.c - an example of a trace reader for a text of dependent steps
 *
 * Each line is a step that waits for the step before it.
 *
 *     STEPS
 *     kernel NAME NANOSECONDS
 *     all-reduce NAME BYTES
 */
#include "workloads/readers/reader_common_impl.h"
#include "workloads/readers/text_words.h"

#define PS_PER_NS 1000

static gboolean steps_recognises(Source *source)
{
    gsize n;
    const uint8_t *begin = source_peek(source, 5, &n);

    return n >= 5 && memcmp(begin, "STEPS", 5) == 0;
}

static void add_step_node(Recording *recording, RecordRank *rank,
                          gboolean is_kernel, const ReadWord *name,
                          uint64_t number)
{
    RecordNode node = {
        .id = rank->nodes->len,
        .file_position = name->line,
        .name = reader_store_text(recording, name->text, name->n_bytes),
        .begin_ps = RECORD_NO_TIME,
        .duration_ps = is_kernel ? number * PS_PER_NS : 0,
        .stream = record_add_stream(recording, rank, is_kernel ? 0 : 1, FALSE,
                                    "stream"),
        .comm = RECORD_NONE,
        .launch = RECORD_NONE,
        .kind = is_kernel ? RECORD_KERNEL : RECORD_COLLECTIVE,
        .pass = OP_FORWARD,
    };
    uint32_t i = record_add_node(rank, &node);

    if (i > 0)
        record_add_dep(rank, i - 1, FALSE);
    if (!is_kernel) {
        RecordComm *comm = record_add_comm(rank, i, COLL_ALL_REDUCE);

        comm->has_bytes = TRUE;
        comm->bytes = number;
    }
}

/* Reads the rest of a line, after its first word @kind.  Returns FALSE with
 * @error set if the line is malformed. */
static gboolean read_step_line(ReadWords *words, const ReadWord *kind,
                               Recording *recording, RecordRank *rank,
                               GError **error)
{
    gboolean is_kernel = reader_word_equals(kind, "kernel");
    g_autofree char *text = NULL;
    uint64_t number = 0;
    ReadWord word;

    if (!is_kernel && !reader_word_equals(kind, "all-reduce")) {
        reader_set_word_error(error, words, kind,
                              "expected 'kernel' or 'all-reduce'");
        return FALSE;
    }
    if (!reader_next_word_in_line(words, &word)) {
        reader_set_word_error(error, words, &word, "a step has a name");
        return FALSE;
    }
    text = g_strndup(word.text, word.n_bytes);
    word.text = text;
    if (!reader_next_number(words, is_kernel ? "a time" : "a payload",
                            is_kernel ? READ_MAX_PS / PS_PER_NS
                                      : READ_MAX_BYTES,
                            &number, error))
        return FALSE;
    add_step_node(recording, rank, is_kernel, &word, MAX(number, 1));
    return TRUE;
}

static gboolean steps_read(Source *source, const ReadOptions *options,
                           Recording *recording, GError **error)
{
    ReadWords words = { source, .line = 1, .column = 1 };
    RecordRank *rank = record_add_rank(recording, source_name(source));
    ReadWord word;

    (void)options;
    if (!reader_next_word(&words, &word) ||
        !reader_word_equals(&word, "STEPS")) {
        reader_set_word_error(error, &words, &word, "expected STEPS");
        return FALSE;
    }
    while (reader_next_word(&words, &word))
        if (!read_step_line(&words, &word, recording, rank, error))
            return FALSE;
    return TRUE;
}

const ReadOps reader_steps = {
    .base = { .name = "steps",
              .summary = "a toy: lines of kernels and all-reduces" },
    .recognises = steps_recognises,
    .read = steps_read,
};
