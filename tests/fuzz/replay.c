/*
 * replay.c - main function for fuzz targets without libFuzzer
 *
 * Feeds each given file, and each file in a given folder, to the target, sorted
 * by name.  Reports one TAP test.  After a crash the result is
 * missing. */
#include <glib.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static guint replay_corpus_file(const char *path)
{
    g_autofree char *data = NULL;
    g_autofree uint8_t *exact = NULL;
    g_autoptr(GError) error = NULL;
    gsize n_bytes = 0;

    if (!g_file_get_contents(path, &data, &n_bytes, &error)) {
        printf("# %s\n", error->message);
        return 0;
    }
    /* The copy lacks GLib's closing NUL, so that AddressSanitizer detects a
     * read past the end. */
    exact = g_memdup2(data, n_bytes);
    printf("# %s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(exact, n_bytes);
    return 1;
}

static gint compare_file_names(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

static guint replay_corpus_folder(const char *path, GDir *dir)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    guint n_inputs = 0;
    const char *name;

    while ((name = g_dir_read_name(dir)))
        g_ptr_array_add(names, g_build_filename(path, name, NULL));
    g_ptr_array_sort(names, compare_file_names);
    for (guint i = 0; i < names->len; i++)
        n_inputs += replay_corpus_file(g_ptr_array_index(names, i));
    return n_inputs;
}

int main(int argc, char **argv)
{
    guint n_inputs = 0;

    printf("1..1\n");
    for (int i = 1; i < argc; i++) {
        g_autoptr(GDir) dir = g_dir_open(argv[i], 0, NULL);

        n_inputs += dir ? replay_corpus_folder(argv[i], dir)
                        : replay_corpus_file(argv[i]);
    }
    /* A replay of no file must not pass as a test. */
    printf("%s 1 - %u inputs\n", n_inputs ? "ok" : "not ok", n_inputs);
    return n_inputs ? 0 : 1;
}
