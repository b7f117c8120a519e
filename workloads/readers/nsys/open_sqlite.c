/* open_sqlite.c - opens an untrusted SQLite file, unpacked if necessary */
#include "workloads/readers/nsys/open_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/config/config_error.h"

/* Limit of the unpacked size.  A larger file is more likely an attack than a
 * profile, and would fill the disk. */
#define MAX_GIB   64
#define MAX_BYTES ((uint64_t)MAX_GIB << 30)

/* Limit of one text or row; the longest texts that nsys writes are
 * environments. */
#define MAX_TEXT_BYTES (16 * 1024 * 1024)

static sqlite3 *set_open_error(const Source *source, const char *reason,
                               GError **error)
{
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "%s: cannot be read: %s", source_name(source), reason);
    return NULL;
}

/* ---- unpacking --------------------------------------------------------- */

static gboolean write_all_bytes(int fd, const uint8_t *bytes, gsize n)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);

        if (done < 0 && errno != EINTR)
            return FALSE;
        if (done > 0) {
            bytes += done;
            n -= (gsize)done;
        }
    }
    return TRUE;
}

static gboolean unpack_to_file(Source *source, int fd, GError **error)
{
    const uint8_t *bytes;
    gsize n;

    while ((bytes = source_peek(source, 1, &n)), n > 0) {
        if (source_offset(source) + n > MAX_BYTES) {
            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                        "%s: it is more than %d GiB, unpacked",
                        source_name(source), MAX_GIB);
            return FALSE;
        }
        if (!write_all_bytes(fd, bytes, n)) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                        "%s: cannot be unpacked into a temporary file: %s",
                        source_name(source), g_strerror(errno));
            return FALSE;
        }
        source_skip(source, n);
    }
    return source_finish(source, error);
}

/* Number of names that are tried, as names may be in use already. */
#define MAX_NAMES 1000

/* Links the unnamed file @fd to a new name, because SQLite opens by name.
 * Returns NULL and sets @error on failure.  The name exists only while SQLite
 * opens the file, so that no file remains after a signal; see
 * nsys_open_database(). */
static char *link_unnamed_file(Source *source, int fd, GError **error)
{
    g_autofree char *from = g_strdup_printf("/proc/self/fd/%d", fd);

    for (guint i = 0; i < MAX_NAMES; i++) {
        g_autofree char *name =
            g_strdup_printf("acesim-nsys-%d-%u", (int)getpid(), i);
        g_autofree char *path = g_build_filename(g_get_tmp_dir(), name, NULL);

        if (linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
            return g_steal_pointer(&path);
        if (errno != EEXIST)
            break;
    }
    set_open_error(source, g_strerror(errno), error);
    return NULL;
}

/* Unpacks @source to an unnamed file.  Returns -1 and sets @error on
 * failure. */
static int unpack_to_unnamed(Source *source, GError **error)
{
    int fd = open(g_get_tmp_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd < 0) {
        set_open_error(source, g_strerror(errno), error);
        return -1;
    }
    if (unpack_to_file(source, fd, error))
        return fd;
    close(fd);
    return -1;
}

/* ---- opening ----------------------------------------------------------- */

/* Allows reading the rows and columns of tables.  Refuses everything else,
 * because the schema of an untrusted file could run code. */
static int authorize_only_reading(void *data, int action, const char *a,
                                  const char *b, const char *c, const char *d)
{
    gboolean is_read =
        action == SQLITE_SELECT || action == SQLITE_READ ||
        (action == SQLITE_PRAGMA && g_strcmp0(a, "table_xinfo") == 0);

    (void)data;
    (void)b;
    (void)c;
    (void)d;
    return is_read ? SQLITE_OK : SQLITE_DENY;
}

static void restrict_database(sqlite3 *db)
{
    static const int off[] = { SQLITE_DBCONFIG_ENABLE_TRIGGER,
                               SQLITE_DBCONFIG_ENABLE_VIEW,
                               SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                               SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION };

    for (guint i = 0; i < G_N_ELEMENTS(off); i++)
        sqlite3_db_config(db, off[i], 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_set_authorizer(db, authorize_only_reading, NULL);
}

/* Opens a database by its path.  The file is immutable: SQLite uses no locks
 * and no journal. */
static sqlite3 *open_immutable_database(const Source *source, const char *path,
                                        uint64_t *ret_n_bytes, GError **error)
{
    g_autofree char *full = g_canonicalize_filename(path, NULL);
    g_autofree char *uri = g_filename_to_uri(full, NULL, error);
    g_autofree char *words = g_strconcat(uri ? uri : "", "?immutable=1", NULL);
    struct stat status;
    sqlite3 *db = NULL;
    int code;

    if (!uri)
        return NULL;
    if (stat(full, &status) != 0)
        return set_open_error(source, g_strerror(errno), error);
    *ret_n_bytes = (uint64_t)status.st_size;
    code = sqlite3_open_v2(
        words, &db,
        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK) {
        restrict_database(db);
        return db;
    }
    set_open_error(source, sqlite3_errstr(code), error);
    sqlite3_close(db);
    return NULL;
}

sqlite3 *nsys_open_database(Source *source, uint64_t *ret_n_bytes,
                            GError **error)
{
    const char *plain = source_path(source);
    g_autofree char *path = NULL;
    sqlite3 *db = NULL;
    sigset_t all, old;
    int fd;

    if (plain)
        return open_immutable_database(source, plain, ret_n_bytes, error);
    fd = unpack_to_unnamed(source, error);
    if (fd < 0)
        return NULL;
    sigfillset(&all);
    /* Signals are blocked briefly, for this thread. */
    pthread_sigmask(SIG_BLOCK, &all, &old);
    path = link_unnamed_file(source, fd, error);
    if (path) {
        db = open_immutable_database(source, path, ret_n_bytes, error);
        g_unlink(path);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    close(fd);
    return db;
}
