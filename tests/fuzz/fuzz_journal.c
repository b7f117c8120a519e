/*
 * fuzz_journal.c - fuzzes the reader of journals
 *
 * No bytes may crash or hang the reader, or leak memory.  Records are read in
 * order and do not overlap.  A complete record is read as it was written,
 * whatever its text and whatever follows it.
 */
#include <glib.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/sweep/journal/journal_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks a record, which must begin at or after @end.  Returns its end. */
static goffset check_journal_record(const JournalRecord *record, goffset end,
                                    goffset n_file)
{
    g_assert_cmpuint(strlen(record->id), ==, JOURNAL_ID_CHARS);
    g_assert_cmpint(record->start, >=, end);
    g_assert_cmpint(record->text_at, >, record->start);
    g_assert_cmpint(record->text_at + (goffset)record->n_bytes, <, record->end);
    g_assert_cmpint(record->end, <=, n_file);
    g_assert_cmpint(record->text[record->n_bytes], ==, 0);
    return record->end;
}

/* Reads a journal with these bytes.  If @first is not NULL, the first record
 * must have this text. */
static void read_journal_bytes(const char *bytes, gsize n_file,
                               const GString *first)
{
    int fd = memfd_create("journal", MFD_CLOEXEC);
    g_autoptr(JournalReader) reader = NULL;
    goffset end = 0, whole = 0;
    JournalRecord record;
    guint n_records = 0;

    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(write(fd, bytes, n_file), ==, (gssize)n_file);
    reader = journal_reader_new_on_file(fd, 0);
    while (journal_reader_next_record(reader, &record)) {
        whole += record.end - record.start;
        end = check_journal_record(&record, end, (goffset)n_file);
        if (n_records++ == 0 && first)
            g_assert_true(record.n_bytes == first->len &&
                          memcmp(record.text, first->str, first->len) == 0);
    }
    g_assert_cmpint(journal_reader_error_code(reader), ==, 0);
    g_assert_cmpint(whole + journal_reader_damage(reader)->n_bytes, <=,
                    (goffset)n_file);
    g_assert_true(!first || n_records > 0);
    (void)close(fd);
}

static void append_journal_record(GString *out, const GString *text)
{
    g_autofree char *id = g_strnfill(JOURNAL_ID_CHARS, 'a');
    g_autofree char *sum = journal_record_checksum(id, text->str, text->len);

    g_string_append_printf(out, "%s %" G_GSIZE_FORMAT " %s\n", id, text->len,
                           sum);
    g_string_append_len(out, text->str, (gssize)text->len);
    g_string_append_c(out, '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GString) text =
        g_string_new_len((const char *)data, (gssize)size);
    g_autoptr(GString) file = g_string_new(JOURNAL_HEADER);

    read_journal_bytes(text->str, text->len, NULL);
    append_journal_record(file, text);
    g_string_append_len(file, text->str, (gssize)text->len);
    append_journal_record(file, text);
    read_journal_bytes(file->str, file->len, text);
    return 0;
}
