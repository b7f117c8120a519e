/*
 * fuzz_lint.c - fuzzes the passes over recordings
 *
 * Any recording that was read can be counted, linted and have its clocks
 * aligned, and the resulting texts are valid UTF-8.  A line "====" separates
 * two files in the input.
 */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "workloads/readers/reader_table.h"
#include "workloads/recording/clock_alignment.h"
#include "workloads/recording/inventory.h"
#include "workloads/recording/lint.h"
#include "workloads/recording/size_merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char between[] = "\n====\n";

/* Reads a file.  Contents before an error are kept and linted, too. */
static void read_recording_bytes(const char *name, const uint8_t *data,
                                 size_t size, Recording *recording)
{
    const ReadOptions options = { .n_npus = 8 };
    g_autoptr(Source) source = source_from_memory(name, data, size);
    g_autoptr(GError) error = NULL;

    if (!read_recording_file(READ_AUTO, source, &options, recording, &error))
        g_assert_true(g_str_has_prefix(error->message, name));
}

static void check_lint_text(char *text)
{
    g_assert_true(g_utf8_validate(text, -1, NULL));
    g_free(text);
}

static void lint_and_check_recording(const Recording *recording)
{
    g_autoptr(Inventory) found = inventory_new(recording);
    g_autoptr(LintReport) report = lint_recording(recording, 3);
    g_autoptr(GString) out = g_string_new(NULL);
    Json json = { .out = out };

    check_lint_text(inventory_text(found));
    check_lint_text(lint_text(report));
    json_begin_object(&json, NULL);
    inventory_json(found, &json, "found");
    lint_json(report, &json, "faults");
    json_end_object(&json);
    g_assert_true(g_utf8_validate(out->str, (gssize)out->len, NULL));
}

static void align_recording(Recording *recording)
{
    g_autoptr(RecordMatch) match = record_match_ranks(recording, NULL);
    g_autoptr(Align) clocks = align_clocks(recording, match);

    check_lint_text(align_text(clocks));
    align_apply_corrections(clocks, recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(Recording) recording = recording_new();
    const uint8_t *end =
        size ? memmem(data, size, between, sizeof between - 1) : NULL;
    RecordMergeReport merged;

    read_recording_bytes("x.0.et", data, end ? (size_t)(end - data) : size,
                         recording);
    if (end) {
        end += sizeof between - 1;
        read_recording_bytes("x.1.et", end, size - (size_t)(end - data),
                             recording);
    }
    record_merge_size_files(recording, &merged);
    lint_and_check_recording(recording);
    align_recording(recording);
    return 0;
}
