/*
 * fuzz_reader.c - fuzzes the readers of traces and the conversion to programs
 *
 * No trace may crash or hang any reader, leak memory, or fail without a message
 * that begins with its name.  A recording that was read becomes a valid program
 * or gives an error message.
 *
 * ACESIM_FUZZ_READER names the only reader to test.  Without it all readers are
 * tested.
 */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "sim/config/config.h"
#include "workloads/readers/reader_table.h"
#include "workloads/recording/trace_to_program/program_writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_program_of_recording(const Recording *recording)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RecordWindow) window =
        record_select_window(recording, RECORD_ITERATION_MEDIAN, NULL);
    g_autoptr(RecordMatch) match = record_match_ranks(recording, window);
    g_autoptr(Replay) take = replay_new(recording, window, match);
    g_autoptr(ImportedProgram) script = imported_program_new(take, 0, &error);
    g_autoptr(ConfigDoc) doc = NULL;
    GString *text;

    if (!script) {
        g_assert_nonnull(error);
        return;
    }
    text = imported_program_write(script,
                                  &(WriteOptions){ .name = "x", .from = "y" });
    doc = config_doc_parse("x", text->str, text->len, &error);
    g_assert_true(doc || error);
    g_string_free(text, TRUE);
}

/* Checks that the files of a job can be read as configurations. */
static void read_description_of_job(int format, Source *source)
{
    const ReadJobOptions options = { .name = "x",
                                     .model_path = "m.yaml",
                                     .n_npus = 8 };
    g_autoptr(GError) error = NULL;
    g_autoptr(ReadJob) job = read_job_file(format, source, &options, &error);
    g_autoptr(ConfigDoc) model = NULL;
    g_autoptr(ConfigDoc) run = NULL;

    if (!job) {
        g_assert_true(g_str_has_prefix(error->message, "x.txt:"));
        g_assert_true(g_utf8_validate(error->message, -1, NULL));
        return;
    }
    model = config_doc_parse("m", job->model->str, job->model->len, &error);
    g_assert_no_error(error);
    run = config_doc_parse("r", job->run->str, job->run->len, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < job->notes->len; i++)
        g_assert_true(
            g_utf8_validate(g_ptr_array_index(job->notes, i), -1, NULL));
}

/* Reads the input as @format, an index of read_names: 0 is `auto`, and kinds of
 * the registry begin at 1. */
static void read_bytes_as_format(int format, const uint8_t *data, size_t size)
{
    const ReadOptions options = { .n_npus = 8 };
    g_autoptr(GError) error = NULL;
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(Source) source = source_from_memory("x.txt", data, size);

    if (reader_file_describes_job(format, source)) {
        read_description_of_job(format, source);
        return;
    }
    if (read_recording_file(format, source, &options, recording, &error)) {
        write_program_of_recording(recording);
        return;
    }
    g_assert_true(g_str_has_prefix(error->message, "x.txt:"));
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *only = g_getenv("ACESIM_FUZZ_READER");

    for (int format = READ_AUTO; read_names[format]; format++)
        if (!only || g_str_equal(only, read_names[format]))
            read_bytes_as_format(format, data, size);
    return 0;
}
