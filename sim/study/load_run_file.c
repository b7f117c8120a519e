/* load_run_file.c - loads a run file and applies the settings of the command
 * line */
#include "sim/study/load_run_file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/config/installed_files.h"
#include "sim/study/tune_endpoint.h"

gboolean load_apply_setting(ConfigDoc *doc, const char *set, GError **error)
{
    const char *equals = strchr(set, '=');
    g_autofree char *key = NULL;
    g_autofree char *origin = NULL;

    g_return_val_if_fail(equals, FALSE);

    key = g_strndup(set, (gsize)(equals - set));
    /* File names in the value are relative to the folder of the origin.  "--set
     * a/b" would look like a folder, so such a key is left out. */
    origin =
        strchr(key, '/') ? g_strdup("--set") : g_strdup_printf("--set %s", key);
    return config_doc_set(doc, key, origin, equals + 1, error);
}

/* Appends all of standard input to @out, or sets @error.  @again: standard
 * input can be read from its beginning without moving its position, which other
 * processes share. */
static gboolean read_standard_input(gboolean is_seekable, GString *out,
                                    GError **error)
{
    char block[4096];
    ssize_t n;

    while ((n = is_seekable
                    ? pread(STDIN_FILENO, block, sizeof block, (off_t)out->len)
                    : read(STDIN_FILENO, block, sizeof block)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || out->len + (gsize)n > CONFIG_MAX_FILE_BYTES) {
            g_autofree char *reason =
                n < 0 ? g_strdup(g_strerror(errno))
                      : g_strdup_printf("it is larger than %d MiB; check that "
                                        "it is a run file",
                                        CONFIG_MAX_FILE_BYTES >> 20);

            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE,
                        "standard input cannot be read: %s", reason);
            return FALSE;
        }
        g_string_append_len(out, block, n);
    }
    return TRUE;
}

/* Standard input is read again for each what-if, but a pipe delivers its text
 * only once.  So the text is stored in memory and becomes standard input. */
static ConfigDoc *load_document_from_stdin(GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean is_seekable = lseek(STDIN_FILENO, 0, SEEK_SET) == 0;
    int fd;

    if (!read_standard_input(is_seekable, text, error))
        return NULL;
    fd = is_seekable ? -1 : memfd_create("stdin", MFD_CLOEXEC);
    if (fd >= 0) {
        (void)!write(fd, text->str, text->len);
        dup2(fd, STDIN_FILENO);
        close(fd);
    }
    return config_doc_parse("-", text->str, text->len, error);
}

static ConfigDoc *load_file_cached(ConfigDoc *library, const char *path,
                                   GError **error)
{
    ConfigDoc *doc = g_str_equal(path, "-")
                         ? load_document_from_stdin(error)
                         : config_doc_load_from(library, path, error);

    if (!doc)
        installed_add_hint_to_error(installed_folder(), path, error);
    else if (library)
        config_doc_set_library(doc, library);
    return doc;
}

ConfigDoc *load_run_or_sweep_file(const char *path, GError **error)
{
    return load_file_cached(NULL, path, error);
}

/* A run and a sweep have different top-level keys. */
gboolean config_describes_sweep(ConfigDoc *doc)
{
    return config_doc_find_exact(doc, "axes") ||
           config_doc_find_exact(doc, "base");
}

gboolean config_describes_run(ConfigDoc *doc)
{
    return config_doc_find_exact(doc, "platform") ||
           config_doc_find_exact(doc, "endpoint") ||
           config_doc_find_exact(doc, "workload");
}

static ConfigDoc *document_with_settings(ConfigDoc *library, const char *path,
                                         char *const *sets, GError **error)
{
    g_autoptr(ConfigDoc) doc = load_file_cached(library, path, error);

    if (!doc)
        return NULL;
    if (config_describes_sweep(doc) && !config_describes_run(doc)) {
        config_set_error(error, config_doc_root(doc), CONFIG_ERROR_TYPE,
                         "this is a sweep, not a run; try: acesim sweep %s",
                         path);
        return NULL;
    }
    for (guint i = 0; sets && sets[i]; i++)
        if (!load_apply_setting(doc, sets[i], error))
            return NULL;
    return g_steal_pointer(&doc);
}

ConfigDoc *load_config_document(const char *path, char *const *sets,
                                GError **error)
{
    return document_with_settings(NULL, path, sets, error);
}

ConfigDoc *load_run(const char *path, char *const *sets, SystemConfig *config,
                    GError **error)
{
    return load_run_cached(NULL, path, sets, config, error);
}

ConfigDoc *load_run_cached(ConfigDoc *library, const char *path,
                           char *const *sets, SystemConfig *config,
                           GError **error)
{
    g_autoptr(ConfigDoc) doc =
        document_with_settings(library, path, sets, error);

    if (!doc || !config_doc_read(doc, system_fields, config, error))
        return NULL;
    return g_steal_pointer(&doc);
}

static gboolean can_build_without_setting(const char *path, char *const *sets,
                                          guint i, RunOptions run_options)
{
    guint n = g_strv_length((char **)sets);
    g_autofree char **others = g_new0(char *, n);
    g_autoptr(ConfigDoc) doc = NULL;
    SystemConfig config;

    for (guint k = 0, m = 0; k < n; k++)
        if (k != i)
            others[m++] = sets[k];
    doc = load_run(path, others, &config, NULL);
    return doc &&
           check_tuned_endpoint_is_buildable(&config, run_options, NULL, NULL);
}

/* Returns whether the message already names a setting. */
static gboolean is_setting_in_message(const GError *error, char *const *sets)
{
    for (guint i = 0; sets && sets[i]; i++) {
        g_auto(GStrv) parts = g_strsplit(sets[i], "=", 2);
        g_autofree char *prefix = g_strdup_printf("--set %s:", parts[0]);

        if (g_str_has_prefix(error->message, prefix))
            return TRUE;
    }
    return FALSE;
}

void load_name_faulty_sets(const char *path, char *const *sets,
                           RunOptions run_options, GError **error)
{
    g_autoptr(GString) blamed = g_string_new(NULL);
    char *message;

    if (!error || !*error || is_setting_in_message(*error, sets))
        return;
    for (guint i = 0; sets && sets[i]; i++)
        if (can_build_without_setting(path, sets, i, run_options))
            g_string_append_printf(blamed, "%s--set %s",
                                   blamed->len > 0 ? ", " : "", sets[i]);
    if (blamed->len == 0)
        return;
    message = g_strdup_printf("%s (with %s)", (*error)->message, blamed->str);
    g_free((*error)->message);
    (*error)->message = message;
}
