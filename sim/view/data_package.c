/*
 * data_package.c - datapackage.json: the dictionary of a results folder; see
 * data_package.h
 */
#include "sim/view/data_package.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/csv.h"
#include "sim/core/json_writer.h"
#include "sim/host/output.h"
#include "sim/view/column_fields.h"

/* Larger files are not looked through for the types of swept keys. */
#define MAX_LOADED_BYTES (64 * 1024 * 1024)
#define MAX_HEADER_BYTES (1024 * 1024)

static const struct {
    const char *name, *title;
} files[] = {
    { "runs", "one row for each point" },
    { "compare", "one row for each comparison" },
    { "attribution", "one row for each part of an iteration" },
    { "what_ifs", "one row for each change that was simulated" },
    { "layers", "one row for each layer and pass" },
    { "links", "one row for each port of NPU 0" },
    { "utilisation", "one row for each span of time" },
    { "jobs", "one row for each job" },
    { "config", "one row for each value of the configuration" },
    { "sensitivity", "one row for each value of an assumption" },
};

/* ---- reading the files of the folder ------------------------------------- */

/* Returns the header of a large file as a table without rows. */
static CsvTable *load_csv_header(const char *path)
{
    g_autofree char *text = g_malloc(MAX_HEADER_BYTES + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, MAX_HEADER_BYTES) : -1;
    char *end;

    if (fd >= 0)
        close(fd);
    text[MAX(n, 0)] = '\0';
    end = strchr(text, '\n');
    return csv_table_parse(path, text, end ? (gsize)(end + 1 - text) : 0, NULL);
}

/* Adds a file if it is there and can be read. */
static void add_file_of_package(Json *json, const char *folder, guint i)
{
    g_autofree char *name = g_strconcat(files[i].name, ".csv", NULL);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(CsvTable) table = NULL;
    gboolean is_whole;
    struct stat st;

    if (stat(path, &st) != 0)
        return;
    is_whole = st.st_size <= MAX_LOADED_BYTES;
    table = is_whole ? csv_table_load(path, NULL) : load_csv_header(path);
    if (!table)
        return;
    json_begin_object(json, NULL);
    json_add_text(json, "name", files[i].name);
    json_add_text(json, "path", name);
    json_add_text(json, "title", files[i].title);
    json_add_text(json, "profile", "tabular-data-resource");
    json_add_text(json, "format", "csv");
    json_add_text(json, "encoding", "utf-8");
    json_begin_object(json, "schema");
    json_add_column_fields(json, "fields", files[i].name, table, is_whole);
    json_begin_array(json, "missingValues");
    json_add_text(json, NULL, "");
    json_end_array(json);
    json_end_object(json);
    json_end_object(json);
}

static GString *data_package_text(const char *folder)
{
    GString *out = g_string_new(NULL);
    Json json = { .out = out };

    json_begin_object(&json, NULL);
    json_add_text(&json, "profile", "tabular-data-package");
    json_add_text(&json, "name", "acesim-results");
    json_add_text(&json, "acesim", ACESIM_VERSION);
    json_begin_array(&json, "resources");
    for (guint i = 0; i < G_N_ELEMENTS(files); i++)
        add_file_of_package(&json, folder, i);
    json_end_array(&json);
    json_end_object(&json);
    return out;
}

gboolean data_package_write(const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, DATA_PACKAGE, NULL);
    g_autoptr(GString) text = data_package_text(folder);

    return output_replace_file(path, text, error);
}
