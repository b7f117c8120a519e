/*
 * journal_read.c - reads the records of a journal file one by one; see
 * journal_read.h
 */
#include "sim/sweep/journal/journal_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUM_CHARS 64
/* The maximum length of a record's first line, which takes about 150 bytes. */
#define HEAD_BYTES 256

#define BLOCK_BYTES (64 * 1024)

/* A malicious file can contain a valid record header at every position, each
 * claiming the rest of the file as its text, so that checking all of them takes
 * quadratic time.  Texts of sweeps contain no headers, so normally almost
 * nothing is read without finding a record. */
/* The limit of such reading, in multiples of the file size. */
#define SEARCH_BUDGET_FACTOR 4

struct JournalReader {
    int fd;
    gboolean owns_fd; /* the reader closes .fd */
    /* The end of the last complete record; 0 if the header is missing. */
    goffset end_offset;
    goffset total;    /* the size of the file when it was opened */
    char *block;      /* owned: a part of the file */
    goffset block_at; /* the position of .block in the file */
    gsize n_block;
    goffset next;  /* the position to read next */
    GString *text; /* owned */
    guint n_records;
    JournalDamage damage;
    /* The number of bytes that may still be read without finding a record. */
    guint64 search_budget_bytes;
    int code;
};

/* The kind of data that a reader finds at one position of a journal file. */
typedef enum {
    FOUND_RECORD,
    FOUND_BEGINNING, /* an incomplete record at the end of the file */
    FOUND_NONE,
} ReadOutcome;

char *journal_record_checksum(const char *id, const char *text, gsize n_bytes)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree char *head =
        g_strdup_printf("%s %" G_GSIZE_FORMAT "\n", id, n_bytes);

    g_checksum_update(sum, (const guchar *)head, (gssize)strlen(head));
    g_checksum_update(sum, (const guchar *)text, (gssize)n_bytes);
    return g_strdup(g_checksum_get_string(sum));
}

static gboolean set_reader_error(const char *path, int code, GError **error)
{
    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code),
                "%s: cannot be read: %s", path, g_strerror(code));
    return FALSE;
}

/* Opens @path if it is a regular file and not a link, because the folder may
 * belong to another user.  Returns -1 if there is no such file, or on error. */
static int open_regular_file(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    int code = 0;

    if (fd < 0) {
        if (errno != ENOENT)
            (void)!set_reader_error(path, errno, error);
        return -1;
    }
    if (fstat(fd, &status) != 0)
        code = errno;
    else if (!S_ISREG(status.st_mode))
        code = EINVAL;
    if (code == 0)
        return fd;
    close(fd);
    (void)!set_reader_error(path, code, error);
    return -1;
}

/* ---- reading bytes through a buffer -------------------------------------- */

static gboolean fill_read_buffer(JournalReader *reader)
{
    ssize_t n;

    do
        n = pread(reader->fd, reader->block, BLOCK_BYTES, reader->next);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        reader->code = errno;
    reader->block_at = reader->next;
    reader->n_block = (gsize)MAX(n, 0);
    return n > 0;
}

/* Copies the next @n_bytes to @to.  Returns FALSE if the file ends before. */
static gboolean read_next_bytes(JournalReader *reader, char *to, gsize n_bytes)
{
    while (n_bytes > 0) {
        gsize from = (gsize)(reader->next - reader->block_at);
        gsize n = MIN(n_bytes, reader->n_block - from);

        if (n == 0 && !fill_read_buffer(reader))
            return FALSE;
        memcpy(to, reader->block + from, n);
        to += n;
        n_bytes -= n;
        reader->next += (goffset)n;
    }
    return TRUE;
}

/* Reads a line of at most @size - 1 bytes and removes its line feed.  Returns
 * FALSE if there is none. */
static gboolean read_text_line(JournalReader *reader, char *line, gsize size)
{
    gsize n = 0;

    while (n < size && read_next_bytes(reader, line + n, 1))
        if (line[n++] == '\n') {
            line[n - 1] = '\0';
            return TRUE;
        }
    return FALSE;
}

/* Continues at @offset, and keeps the block if it contains this position. */
static void seek_in_journal_file(JournalReader *reader, goffset offset)
{
    reader->next = offset;
    if (offset >= reader->block_at &&
        offset <= reader->block_at + (goffset)reader->n_block)
        return;
    reader->block_at = offset;
    reader->n_block = 0;
}

/* ---- opening a journal file ---------------------------------------------- */

static ReadOutcome find_journal_header(JournalReader *reader)
{
    gsize n_bytes =
        (gsize)MIN(reader->total, (goffset)sizeof JOURNAL_HEADER - 1);
    char head[sizeof JOURNAL_HEADER];

    seek_in_journal_file(reader, 0);
    if (!read_next_bytes(reader, head, n_bytes) ||
        memcmp(head, JOURNAL_HEADER, n_bytes) != 0)
        return FOUND_NONE;
    return n_bytes < sizeof JOURNAL_HEADER - 1 ? FOUND_BEGINNING : FOUND_RECORD;
}

JournalReader *journal_reader_new_on_file(int fd, goffset from)
{
    JournalReader *reader = g_new0(JournalReader, 1);
    struct stat status;

    reader->fd = fd;
    reader->block = g_malloc(BLOCK_BYTES);
    reader->text = g_string_new(NULL);
    if (fstat(fd, &status) != 0)
        reader->code = errno;
    else
        reader->total = status.st_size;
    reader->search_budget_bytes = SEARCH_BUDGET_FACTOR * (guint64)reader->total;
    reader->end_offset = from;
    if (from == 0 && find_journal_header(reader) == FOUND_RECORD)
        reader->end_offset = sizeof JOURNAL_HEADER - 1;
    return reader;
}

JournalReader *journal_reader_new(const char *path, goffset from,
                                  GError **error)
{
    g_autoptr(JournalReader) reader = NULL;
    int fd = open_regular_file(path, error);

    if (fd < 0)
        return NULL;
    reader = journal_reader_new_on_file(fd, from);
    reader->owns_fd = TRUE;
    if (reader->code != 0)
        (void)!set_reader_error(path, reader->code, error);
    return reader->code == 0 ? g_steal_pointer(&reader) : NULL;
}

void journal_reader_free(JournalReader *reader)
{
    if (!reader)
        return;
    if (reader->owns_fd)
        close(reader->fd);
    g_free(reader->block);
    g_string_free(reader->text, TRUE);
    g_free(reader);
}

int journal_reader_error_code(const JournalReader *reader)
{
    return reader->code;
}

const JournalDamage *journal_reader_damage(const JournalReader *reader)
{
    return &reader->damage;
}

/* ---- reading the records of a journal ------------------------------------ */

/* Reads "ID N_BYTES SUM\n" at @start. */
static ReadOutcome read_record_head(JournalReader *reader, goffset start,
                                    JournalRecord *ret, char *sum)
{
    char head[HEAD_BYTES];
    g_auto(GStrv) words = NULL;
    guint64 n_bytes;

    seek_in_journal_file(reader, start);
    if (!read_text_line(reader, head, sizeof head))
        return reader->total - start < (goffset)sizeof head ? FOUND_BEGINNING
                                                            : FOUND_NONE;
    words = g_strsplit(head, " ", 4);
    if (g_strv_length(words) != 3 || strlen(words[0]) != JOURNAL_ID_CHARS ||
        strlen(words[2]) != SUM_CHARS ||
        !g_ascii_string_to_unsigned(words[1], 10, 0, G_MAXINT64, &n_bytes,
                                    NULL))
        return FOUND_NONE;
    if (n_bytes > (guint64)(reader->total - start))
        return FOUND_BEGINNING;
    memcpy(ret->id, words[0], sizeof ret->id);
    memcpy(sum, words[2], SUM_CHARS + 1);
    ret->n_bytes = n_bytes;
    return FOUND_RECORD;
}

static ReadOutcome read_journal_record(JournalReader *reader, goffset start,
                                       JournalRecord *ret)
{
    char sum[SUM_CHARS + 1];
    g_autofree char *expected_sum = NULL;
    ReadOutcome found = read_record_head(reader, start, ret, sum);
    char terminator;

    if (found != FOUND_RECORD)
        return found;
    ret->start = start;
    ret->text_at = reader->next;
    g_string_set_size(reader->text, ret->n_bytes);
    if (!read_next_bytes(reader, reader->text->str, ret->n_bytes) ||
        !read_next_bytes(reader, &terminator, 1))
        return FOUND_BEGINNING;
    ret->text = reader->text->str;
    expected_sum = journal_record_checksum(ret->id, ret->text, ret->n_bytes);
    if (terminator != '\n' || !g_str_equal(sum, expected_sum))
        return FOUND_NONE;
    ret->end = reader->next;
    return FOUND_RECORD;
}

/* ---- searching after damage ---------------------------------------------- */

static gboolean is_hex_digit(char c)
{
    return g_ascii_isdigit(c) || (c >= 'a' && c <= 'f');
}

/* Finds the next position that looks like an id followed by a space.  An id
 * need not follow a line feed, because damage may have removed it. */
static gboolean parse_record_id(JournalReader *reader, goffset *ret)
{
    guint n_chars = 0;
    char c;

    while (read_next_bytes(reader, &c, 1)) {
        if (c == ' ' && n_chars >= JOURNAL_ID_CHARS) {
            *ret = reader->next - 1 - JOURNAL_ID_CHARS;
            return TRUE;
        }
        n_chars = is_hex_digit(c) ? n_chars + 1 : 0;
    }
    return FALSE;
}

/* Finds the first complete record at @from or later, as proved by its
 * checksum. */
static gboolean find_next_record(JournalReader *reader, goffset from,
                                 JournalRecord *ret)
{
    goffset start;

    seek_in_journal_file(reader, from);
    while (parse_record_id(reader, &start)) {
        ReadOutcome found = read_journal_record(reader, start, ret);
        guint64 n_bytes = (guint64)(reader->next - start);

        if (found == FOUND_RECORD)
            return TRUE;
        if (n_bytes > reader->search_budget_bytes)
            return FALSE;
        reader->search_budget_bytes -= n_bytes;
        seek_in_journal_file(reader, start + JOURNAL_ID_CHARS + 1);
    }
    return FALSE;
}

static void record_damaged_part(JournalReader *reader, goffset end)
{
    JournalDamage *damage = &reader->damage;

    if (damage->n_places++ == 0) {
        damage->first_offset = reader->end_offset;
        damage->n_before = reader->n_records;
    }
    damage->n_bytes += end - reader->end_offset;
}

gboolean journal_reader_next_record(JournalReader *reader, JournalRecord *ret)
{
    ReadOutcome found;

    if (reader->end_offset >= reader->total)
        return FALSE;
    found = reader->end_offset == 0
                ? find_journal_header(reader)
                : read_journal_record(reader, reader->end_offset, ret);
    if (found == FOUND_RECORD) {
        g_assert(reader->end_offset > 0);
    } else if (find_next_record(reader, reader->end_offset + 1, ret)) {
        record_damaged_part(reader, ret->start);
    } else {
        if (found == FOUND_NONE && reader->code == 0)
            record_damaged_part(reader, reader->total);
        reader->total = reader->end_offset;
        return FALSE;
    }
    reader->end_offset = ret->end;
    reader->n_records++;
    return TRUE;
}
