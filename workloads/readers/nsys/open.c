/* open.c - an SQLite file, unpacked if need be, opened so that it does no harm
 */
#include "workloads/readers/nsys/open.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/config/config_error.h"

/* Of a file once it is unpacked: more is a bomb sooner than a profile, and
 * fills a disk. */
#define MAX_GIB   64
#define MAX_BYTES ((uint64_t)MAX_GIB << 30)

/* Of one text or row; nsys writes none that is longer than an environment. */
#define MAX_TEXT_BYTES (16 * 1024 * 1024)

static sqlite3 *fail(const Source *source, const char *reason, GError **error)
{
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "%s: cannot be read: %s", source_name(source), reason);
    return NULL;
}

/* ---- unpacked ---------------------------------------------------------- */

static gboolean write_all(int fd, const uint8_t *bytes, gsize n)
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

static gboolean unpack(Source *source, int fd, GError **error)
{
    const uint8_t *bytes;
    gsize n;

    while ((bytes = source_look(source, 1, &n)), n > 0) {
        if (source_at(source) + n > MAX_BYTES) {
            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                        "%s: it is more than %d GiB, unpacked",
                        source_name(source), MAX_GIB);
            return FALSE;
        }
        if (!write_all(fd, bytes, n)) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                        "%s: cannot be unpacked into a temporary file: %s",
                        source_name(source), g_strerror(errno));
            return FALSE;
        }
        source_skip(source, n);
    }
    return source_finish(source, error);
}

/* Its path; NULL with @error set. */
static char *make_unpacked(Source *source, GError **error)
{
    g_autoptr(GError) wrong = NULL;
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("acesim-nsys-XXXXXX", &path, &wrong);
    gboolean ok;

    if (fd < 0) {
        fail(source, wrong->message, error);
        return NULL;
    }
    ok = unpack(source, fd, error);
    close(fd);
    if (ok)
        return g_steal_pointer(&path);
    g_unlink(path);
    return NULL;
}

/* ---- opened ------------------------------------------------------------ */

/* Rows of tables are read, and what columns they have; nothing that a file may
 * have made up is run. */
static int authorize(void *data, int action, const char *a, const char *b,
                     const char *c, const char *d)
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

static void protect(sqlite3 *db)
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
    sqlite3_set_authorizer(db, authorize, NULL);
}

/* Nobody else writes it: no locks, and no journal beside it. */
static sqlite3 *open_path(const Source *source, const char *path,
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
        return fail(source, g_strerror(errno), error);
    *ret_n_bytes = (uint64_t)status.st_size;
    code = sqlite3_open_v2(
        words, &db,
        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK) {
        protect(db);
        return db;
    }
    fail(source, sqlite3_errstr(code), error);
    sqlite3_close(db);
    return NULL;
}

sqlite3 *nsys_open(Source *source, uint64_t *ret_n_bytes, GError **error)
{
    const char *plain = source_path(source);
    g_autofree char *path = NULL;
    sqlite3 *db;

    if (plain)
        return open_path(source, plain, ret_n_bytes, error);
    path = make_unpacked(source, error);
    if (!path)
        return NULL;
    db = open_path(source, path, ret_n_bytes, error);
    g_unlink(path);
    return db;
}
