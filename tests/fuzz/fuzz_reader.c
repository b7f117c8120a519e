/*
 * fuzz_reader.c - no trace may crash, hang, leak, or fail without a message
 * that begins with its position, whatever reader takes it
 */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "workloads/readers/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Kinds of the registry begin at format 1. */
static void read_as(int format, const ReaderFile *file)
{
    TrainingConfig training = { .compute = COMPUTE_MEASURED };
    g_autoptr(GError) error = NULL;
    g_autoptr(OpGraph) graph = op_graph_new();
    const ReaderOps *reader = reader_find(format, file, &error);

    if (reader && reader->read(file, &training, graph, &error)) {
        op_graph_check(graph);
        return;
    }
    g_assert_true(g_str_has_prefix(error->message, "x.txt:"));
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    ReaderFile file = { "x.txt", text, strlen(text) };

    for (int format = READER_AUTO; reader_names[format]; format++)
        read_as(format, &file);
    return 0;
}
