/*
 * fuzz_traces.c - fuzzes the readers of recorded traces
 *
 * No trace may crash or hang a reader, leak memory, or be refused without a
 * message that begins with its name.  Recordings must satisfy the preconditions
 * of later passes.
 *
 * Each input is read with automatic detection of its format, and as each
 * format.  A byte 0xff separates two files, which are read into one recording,
 * so that a host execution trace can follow its device
 * trace. */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "workloads/readers/reader_table.h"
#include "workloads/recording/size_merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const patterns[] = { "*comm*", NULL };

static gboolean read_trace_bytes(int format, const uint8_t *data, size_t size,
                                 Recording *recording)
{
    const ReadOptions options = { .comm_patterns = patterns };
    g_autoptr(Source) source = source_from_memory("x.json", data, size);
    g_autoptr(GError) error = NULL;

    if (read_recording_file(format, source, &options, recording, &error))
        return TRUE;
    g_assert_true(g_str_has_prefix(error->message, "x.json:"));
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    return FALSE;
}

/* Checks the preconditions of later passes. */
static void check_rank_of_recording(const Recording *recording,
                                    const RecordRank *rank)
{
    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        const RecordComm *comm = record_node_communication(rank, node);

        g_assert_cmpuint(node->stream, <, rank->streams->len);
        g_assert_true(g_utf8_validate(node->name, -1, NULL));
        g_assert_cmpuint(node->kind, <, RECORD_N_KINDS);
        g_assert_cmpuint(node->first_dep + node->n_deps, <=, rank->deps->len);
        if (node->launch != RECORD_NONE)
            g_assert_cmpuint(node->launch, <, rank->nodes->len);
        if (comm && comm->group != RECORD_NONE)
            g_assert_cmpuint(comm->group, <, recording->groups->len);
    }
}

static void read_bytes_as_format(int format, const uint8_t *data, size_t size)
{
    g_autoptr(Recording) recording = recording_new();
    const uint8_t *cut = size ? memchr(data, 0xff, size) : NULL;
    size_t n = cut ? (size_t)(cut - data) : size;
    RecordMergeReport report;

    if (!read_trace_bytes(format, data, n, recording))
        return;
    if (cut && !read_trace_bytes(READ_AUTO, cut + 1, size - n - 1, recording))
        return;
    record_merge_size_files(recording, &report);
    for (guint i = 0; i < recording->ranks->len; i++)
        check_rank_of_recording(recording, record_rank(recording, i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(Recording) whole = recording_new();

    /* A packed file may contain the byte 0xff, so the input is also read as one
     * file. */
    read_trace_bytes(READ_AUTO, data, size, whole);
    for (int format = READ_AUTO; read_names[format]; format++)
        read_bytes_as_format(format, data, size);
    return 0;
}
