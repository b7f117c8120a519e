/* journal_read.c - the records of a journal one by one, as they are on disk */
#include "sim/sweep/journal/journal_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUM_CHARS  64
#define HEAD_BYTES 256 /* of a record's first line; 150 in truth */

struct JournalReader {
    FILE *file;    /* owned */
    goffset at;    /* end of the last whole record */
    goffset total; /* bytes of the file when it was opened */
    char *text;    /* owned */
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

/* A regular file and no link: the folder may be somebody else's. */
static FILE *open_file(const char *path, goffset *n_bytes, GError **error)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    FILE *file = NULL;

    if (fd < 0) {
        if (errno != ENOENT)
            (void)!fail(path, errno, error);
        return NULL;
    }
    if (fstat(fd, &status) != 0)
        (void)!fail(path, errno, error);
    else if (!S_ISREG(status.st_mode))
        (void)!fail(path, EINVAL, error);
    else
        file = fdopen(fd, "r");
    if (file)
        *n_bytes = status.st_size;
    else
        close(fd);
    return file;
}

static gboolean has_header(FILE *file)
{
    char head[sizeof JOURNAL_HEADER];

    return fgets(head, sizeof head, file) && strcmp(head, JOURNAL_HEADER) == 0;
}

JournalReader *journal_reader_new(const char *path, goffset from,
                                  GError **error)
{
    g_autoptr(JournalReader) reader = NULL;
    goffset total = 0;
    FILE *file = open_file(path, &total, error);

    if (!file)
        return NULL;
    reader = g_new0(JournalReader, 1);
    reader->file = file;
    reader->total = total;
    reader->at = MAX(from, (goffset)strlen(JOURNAL_HEADER));
    if (!has_header(file) || fseeko(file, reader->at, SEEK_SET) != 0)
        return NULL;
    return g_steal_pointer(&reader);
}

void journal_reader_free(JournalReader *reader)
{
    if (!reader)
        return;
    fclose(reader->file);
    g_free(reader->text);
    g_free(reader);
}

/* ---- records ---------------------------------------------------------- */

/* "ID N_BYTES SUM\n" */
static gboolean read_head(JournalReader *reader, JournalRecord *ret, char *sum)
{
    char head[HEAD_BYTES];
    g_auto(GStrv) words = NULL;
    guint64 n_bytes;

    if (!fgets(head, sizeof head, reader->file) || !strchr(head, '\n'))
        return FALSE;
    words = g_strsplit(g_strchomp(head), " ", 4);
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

    if (reader->at >= reader->total || !read_head(reader, ret, sum))
        return FALSE;
    g_free(reader->text);
    reader->text = g_malloc(ret->n_bytes + 1);
    if (fread(reader->text, 1, ret->n_bytes, reader->file) != ret->n_bytes ||
        fgetc(reader->file) != '\n')
        return FALSE;
    reader->text[ret->n_bytes] = '\0';
    ret->text = reader->text;
    due = journal_sum(ret->id, ret->text, ret->n_bytes);
    if (!g_str_equal(sum, due))
        return FALSE;
    reader->at = ret->end = (goffset)ftello(reader->file);
    return TRUE;
}
