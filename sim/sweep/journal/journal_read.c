/* journal_read.c - the records of a journal one by one, as they are on disk */
#include "sim/sweep/journal/journal_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUM_CHARS  64
#define HEAD_BYTES 256 /* of a record's first line; 150 in truth */

#define BLOCK_BYTES (64 * 1024)

struct JournalReader {
    int fd;
    gboolean is_ours; /* the descriptor, to be closed */
    goffset at;       /* end of the last whole record */
    goffset total;    /* bytes of the file when it was opened */
    char *block;      /* owned: a part of the file */
    goffset block_at; /* where it stands */
    gsize n_block;
    goffset next;  /* what is read next */
    GString *text; /* owned */
    int code;
};

char *journal_sum(const char *id, const char *text, gsize n_bytes)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree char *head =
        g_strdup_printf("%s %" G_GSIZE_FORMAT "\n", id, n_bytes);

    g_checksum_update(sum, (const guchar *)head, (gssize)strlen(head));
    g_checksum_update(sum, (const guchar *)text, (gssize)n_bytes);
    return g_strdup(g_checksum_get_string(sum));
}

static gboolean fail(const char *path, int code, GError **error)
{
    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code),
                "%s: cannot be read: %s", path, g_strerror(code));
    return FALSE;
}

/* A regular file and no link: the folder may be somebody else's.  -1: there is
 * none, or an error. */
static int open_file(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    int code = 0;

    if (fd < 0) {
        if (errno != ENOENT)
            (void)!fail(path, errno, error);
        return -1;
    }
    if (fstat(fd, &status) != 0)
        code = errno;
    else if (!S_ISREG(status.st_mode))
        code = EINVAL;
    if (code == 0)
        return fd;
    close(fd);
    (void)!fail(path, code, error);
    return -1;
}

/* ---- bytes ------------------------------------------------------------ */

static gboolean fill(JournalReader *reader)
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

/* FALSE: the file ends before. */
static gboolean take(JournalReader *reader, char *to, gsize n_bytes)
{
    while (n_bytes > 0) {
        gsize from = (gsize)(reader->next - reader->block_at);
        gsize n = MIN(n_bytes, reader->n_block - from);

        if (n == 0 && !fill(reader))
            return FALSE;
        memcpy(to, reader->block + from, n);
        to += n;
        n_bytes -= n;
        reader->next += (goffset)n;
    }
    return TRUE;
}

/* A line of @size - 1 bytes at most, without its end. */
static gboolean take_line(JournalReader *reader, char *line, gsize size)
{
    gsize n = 0;

    while (n < size && take(reader, line + n, 1))
        if (line[n++] == '\n') {
            line[n - 1] = '\0';
            return TRUE;
        }
    return FALSE;
}

/* ---- one of them ------------------------------------------------------ */

static gboolean has_header(JournalReader *reader)
{
    char head[sizeof JOURNAL_HEADER - 1];

    return take(reader, head, sizeof head) &&
           memcmp(head, JOURNAL_HEADER, sizeof head) == 0;
}

JournalReader *journal_reader_on(int fd, goffset from)
{
    JournalReader *reader = g_new0(JournalReader, 1);
    struct stat status;

    reader->fd = fd;
    reader->block = g_malloc(BLOCK_BYTES);
    reader->text = g_string_new(NULL);
    if (fstat(fd, &status) != 0)
        reader->code = errno;
    else if (has_header(reader))
        reader->total = status.st_size;
    reader->next = reader->at = MAX(from, (goffset)(sizeof JOURNAL_HEADER - 1));
    reader->n_block = 0;
    reader->block_at = reader->next;
    return reader;
}

JournalReader *journal_reader_new(const char *path, goffset from,
                                  GError **error)
{
    g_autoptr(JournalReader) reader = NULL;
    int fd = open_file(path, error);

    if (fd < 0)
        return NULL;
    reader = journal_reader_on(fd, from);
    reader->is_ours = TRUE;
    if (reader->code != 0)
        (void)!fail(path, reader->code, error);
    return reader->total > 0 && reader->code == 0 ? g_steal_pointer(&reader)
                                                  : NULL;
}

void journal_reader_free(JournalReader *reader)
{
    if (!reader)
        return;
    if (reader->is_ours)
        close(reader->fd);
    g_free(reader->block);
    g_string_free(reader->text, TRUE);
    g_free(reader);
}

int journal_reader_code(const JournalReader *reader)
{
    return reader->code;
}

/* ---- records ---------------------------------------------------------- */

/* "ID N_BYTES SUM\n" */
static gboolean read_head(JournalReader *reader, JournalRecord *ret, char *sum)
{
    char head[HEAD_BYTES];
    g_auto(GStrv) words = NULL;
    guint64 n_bytes;

    if (!take_line(reader, head, sizeof head))
        return FALSE;
    words = g_strsplit(head, " ", 4);
    if (g_strv_length(words) != 3 || strlen(words[0]) != JOURNAL_ID_CHARS ||
        strlen(words[2]) != SUM_CHARS ||
        !g_ascii_string_to_unsigned(words[1], 10, 0,
                                    (guint64)(reader->total - reader->at),
                                    &n_bytes, NULL))
        return FALSE;
    memcpy(ret->id, words[0], sizeof ret->id);
    memcpy(sum, words[2], SUM_CHARS + 1);
    ret->n_bytes = n_bytes;
    return TRUE;
}

gboolean journal_reader_next(JournalReader *reader, JournalRecord *ret)
{
    char sum[SUM_CHARS + 1];
    g_autofree char *due = NULL;
    char behind;

    if (reader->at >= reader->total || !read_head(reader, ret, sum))
        return FALSE;
    ret->start = reader->at;
    ret->text_at = reader->next;
    g_string_set_size(reader->text, ret->n_bytes);
    if (!take(reader, reader->text->str, ret->n_bytes) ||
        !take(reader, &behind, 1) || behind != '\n')
        return FALSE;
    ret->text = reader->text->str;
    due = journal_sum(ret->id, ret->text, ret->n_bytes);
    if (!g_str_equal(sum, due))
        return FALSE;
    reader->at = ret->end = reader->next;
    return TRUE;
}
