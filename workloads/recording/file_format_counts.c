/* file_format_counts.c - counts the files of a recording by format */
#include "workloads/recording/file_format_counts.h"

#include <string.h>

void record_add_file(Recording *recording, const char *format)
{
    RecordFormat added = { format, 1 };
    GArray *formats;

    if (!recording->format)
        recording->format = format;
    if (!recording->formats)
        recording->formats = g_array_new(FALSE, FALSE, sizeof(RecordFormat));
    formats = recording->formats;
    for (guint i = 0; i < formats->len; i++)
        if (strcmp(g_array_index(formats, RecordFormat, i).name, format) == 0) {
            g_array_index(formats, RecordFormat, i).n_files++;
            return;
        }
    g_array_append_val(formats, added);
}

char *record_files_text(const Recording *recording)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; recording->formats && i < recording->formats->len; i++) {
        const RecordFormat *of =
            &g_array_index(recording->formats, RecordFormat, i);

        g_string_append_printf(text, "%s%u%s of %s", i == 0 ? "" : ", ",
                               of->n_files,
                               i > 0              ? ""
                               : of->n_files == 1 ? " file"
                                                  : " files",
                               of->name);
    }
    return g_string_free(text, FALSE);
}
