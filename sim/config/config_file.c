/* config_file.c - files, and files that name files */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/config/config_impl.h"
#include "sim/config/quantity.h"

/* A file may be longer than it says (/proc), so it is read in blocks. */
#define BLOCK_BYTES (64 * 1024)

G_GNUC_PRINTF(2, 3)
static gboolean refuse(GError **error, const char *format, ...)
{
    g_autofree char *reason = NULL;
    va_list args;

    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE, "cannot be read: %s",
                reason);
    return FALSE;
}

static gboolean check_regular(int fd, GError **error)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return refuse(error, "%s", g_strerror(errno));
    if (S_ISDIR(status.st_mode))
        return refuse(error, "it is a directory");
    if (!S_ISREG(status.st_mode))
        return refuse(error, "it is a device, pipe or socket");
    return TRUE;
}

static gboolean read_all(int fd, gsize max_bytes, GString *out, GError **error)
{
    g_autofree char *block = g_malloc(BLOCK_BYTES);

    for (;;) {
        ssize_t n = read(fd, block, BLOCK_BYTES);

        if (n == 0)
            return TRUE;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refuse(error, "%s", g_strerror(errno));
        if (out->len + (gsize)n > max_bytes) {
            g_autofree char *most = quantity_format(max_bytes, CONFIG_BYTES);

            return refuse(error, "it is larger than %s", most);
        }
        g_string_append_len(out, block, n);
    }
}

char *config_file_read(const char *path, gsize max_bytes, gsize *n_bytes,
                       GError **error)
{
    /* Without O_NONBLOCK the open of a pipe waits for its writer. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    g_autoptr(GString) out = g_string_new(NULL);
    gboolean ok;

    if (fd < 0) {
        refuse(error, "%s", g_strerror(errno));
        return NULL;
    }
    ok = check_regular(fd, error) && read_all(fd, max_bytes, out, error);
    close(fd);
    if (!ok)
        return NULL;
    *n_bytes = out->len;
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* The name as messages say it: relative as long as all names are. */
static char *name_from(const ConfigNode *node)
{
    g_autofree char *folder = g_path_get_dirname(node->source->name);

    if (g_path_is_absolute(node->text) || g_str_equal(folder, "."))
        return g_strdup(node->text);
    return g_build_filename(folder, node->text, NULL);
}

void config_source_is_file(ConfigDoc *doc, ConfigSource *source)
{
    g_hash_table_insert(doc->files, g_canonicalize_filename(source->name, NULL),
                        source);
}

ConfigSource *config_included(ConfigDoc *doc, const ConfigNode *node)
{
    ConfigSource *source = g_hash_table_lookup(doc->named, node);
    g_autofree char *name = NULL;
    g_autofree char *path = NULL;

    if (source)
        return source;
    name = name_from(node);
    path = g_canonicalize_filename(name, NULL);
    source = g_hash_table_lookup(doc->files, path);
    if (source)
        g_hash_table_insert(doc->named, (gpointer)node, source);
    return source;
}

static ConfigSource *read_source(ConfigDoc *doc, const char *name,
                                 GError **error)
{
    gsize n_bytes = 0;
    g_autofree char *text =
        config_file_read(name, CONFIG_MAX_FILE_BYTES, &n_bytes, error);
    ConfigSource *source;

    if (!text)
        return NULL;
    source = config_source_new(doc, name);
    config_source_parse(doc, source, text, n_bytes, FALSE);
    return source;
}

/* By the very name, since messages say it. */
static ConfigSource *read_from_library(ConfigDoc *library, const char *name,
                                       GError **error)
{
    ConfigSource *source = g_hash_table_lookup(library->files, name);

    if (source)
        return source;
    source = read_source(library, name, error);
    if (source)
        g_hash_table_insert(library->files, g_strdup(name), source);
    return source;
}

ConfigSource *config_source_load(ConfigDoc *doc, const char *name,
                                 GError **error)
{
    ConfigSource *source = doc->library
                               ? read_from_library(doc->library, name, error)
                               : read_source(doc, name, error);

    if (!source)
        return NULL;
    if (doc->library)
        config_source_use(doc, source);
    config_source_is_file(doc, source);
    return source;
}

ConfigSource *config_include(ConfigDoc *doc, const ConfigNode *node,
                             GError **error)
{
    ConfigSource *source = config_included(doc, node);
    g_autofree char *name = NULL;

    if (source)
        return source;
    name = name_from(node);
    source = config_source_load(doc, name, error);
    if (!source) {
        g_autofree char *quoted = config_quote(name);

        g_prefix_error(error, "%s ", quoted);
    }
    return source;
}
