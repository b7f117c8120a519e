/* sample_recordings.c - reads samples and their expected figures */
#include "tests/recording/sample_recordings.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tests/core/json_value.h"
#include "workloads/readers/reader_table.h"

static char *sample_file_path(const char *name)
{
    const char *top = g_getenv("SRCDIR");

    return g_build_filename(top ? top : ".", "tests/samples", name, NULL);
}

/* ---- expected figures of samples ----------------------------------------- */

static void flatten_json_values(GHashTable *figures, const char *path,
                                const JsonValue *value)
{
    if (value->kind != JSON_OBJECT && value->kind != JSON_ARRAY) {
        g_hash_table_insert(
            figures, g_strdup(path),
            g_strdup(value->kind == JSON_NULL ? "null" : value->text));
        return;
    }
    for (guint i = 0; i < json_value_n_items(value); i++) {
        g_autofree char *number = g_strdup_printf("%u", i);
        const char *key = value->kind == JSON_OBJECT
                              ? g_ptr_array_index(value->keys, i)
                              : number;
        g_autofree char *below =
            *path ? g_strconcat(path, "/", key, NULL) : g_strdup(key);

        flatten_json_values(figures, below, json_value_item(value, i));
    }
}

Samples *sample_figures_load(void)
{
    Samples *samples = g_new0(Samples, 1);
    g_autofree char *path = sample_file_path("samples-expected.json");
    g_autofree char *text = NULL;
    g_autoptr(JsonValue) value = NULL;
    gsize where;

    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    value = json_value_parse(text, &where);
    assert_non_null(value);
    samples->figures =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    flatten_json_values(samples->figures, "", value);
    return samples;
}

void sample_figures_free(Samples *samples)
{
    g_hash_table_unref(samples->figures);
    g_free(samples);
}

/* Removes a figure and returns its text, which the caller frees.  Fails the
 * test if the figure is missing or was checked before. */
static char *remove_expected_figure(Samples *samples, const char *path)
{
    gpointer key = NULL, text = NULL;

    if (!g_hash_table_steal_extended(samples->figures, path, &key, &text))
        fail_msg("there is no figure %s, or it was held before", path);
    g_free(key);
    return text;
}

#define PATH(path)                                                             \
    char *full;                                                                \
    va_list args;                                                              \
    va_start(args, path);                                                      \
    full = g_strdup_vprintf(path, args);                                       \
    va_end(args)

static void check_sample_figure(Samples *samples, const char *found, char *path)
{
    g_autofree char *expected = remove_expected_figure(samples, path);

    if (!g_str_equal(expected, found))
        fail_msg("%s is %s, not %s", path, found, expected);
    g_free(path);
}

void samples_expect_number(Samples *samples, uint64_t n, const char *path, ...)
{
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, n);
    PATH(path);

    check_sample_figure(samples, text, full);
}

void samples_expect_text(Samples *samples, const char *text, const char *path,
                         ...)
{
    PATH(path);

    check_sample_figure(samples, text, full);
}

void samples_expect_us(Samples *samples, uint64_t ps, const char *path, ...)
{
    g_autofree char *expected = NULL;
    PATH(path);

    expected = remove_expected_figure(samples, full);
    if (llround(g_ascii_strtod(expected, NULL) * 1e6) != (int64_t)ps)
        fail_msg("%s is %.6f, not %s", full, (double)ps / 1e6, expected);
    g_free(full);
}

void sample_recordings_ignore_figures(Samples *samples, const char *path)
{
    GHashTableIter iter;
    gpointer key;
    guint n = 0;

    g_hash_table_iter_init(&iter, samples->figures);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        if (g_str_has_prefix(key, path)) {
            g_hash_table_iter_remove(&iter);
            n++;
        }
    assert_true(n > 0);
}

guint sample_recordings_n_remaining(Samples *samples, const char *prefix,
                                    char **first)
{
    g_autoptr(GList) keys = g_hash_table_get_keys(samples->figures);
    guint n = 0;

    keys = g_list_sort(keys, (GCompareFunc)strcmp);
    *first = NULL;
    for (GList *k = keys; k; k = k->next)
        if (g_str_has_prefix(k->data, prefix)) {
            if (!*first)
                *first = g_strdup(k->data);
            n++;
        }
    return n;
}

/* ---- sums over a recording ----------------------------------------------- */

InventoryComm samples_comm_of_kind(const InventoryRank *found, RecordKind as,
                                   CollKind kind)
{
    InventoryComm sum = { 0 };

    for (guint i = 0; i < found->comms->len; i++) {
        const InventoryComm *comm =
            &g_array_index(found->comms, InventoryComm, i);

        if (comm->place != INVENTORY_ON_DEVICE || comm->record_kind != as ||
            comm->kind != kind)
            continue;
        sum.n += comm->n;
        sum.bytes += comm->bytes;
        sum.n_without_bytes += comm->n_without_bytes;
        sum.duration_ps += comm->duration_ps;
    }
    return sum;
}

/* ---- sums over device streams -------------------------------------------- */

uint64_t samples_count_kernels(const InventoryRank *found)
{
    const uint64_t *n = found->n_by[INVENTORY_ON_DEVICE];

    return n[RECORD_KERNEL] + n[RECORD_COLLECTIVE] + n[RECORD_SEND] +
           n[RECORD_RECEIVE];
}

void samples_expect_streams(Samples *s, const RecordRank *rank,
                            const char *prefix)
{
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    guint n = 0;

    for (guint i = 0; i < rank->streams->len; i++) {
        const RecordStream *stream =
            &g_array_index(rank->streams, RecordStream, i);
        guint at = 0;

        if (stream->is_host)
            continue;
        while (at < ids->len && g_array_index(ids, uint64_t, at) < stream->id)
            at++;
        g_array_insert_val(ids, at, stream->id);
    }
    for (; n < ids->len; n++)
        samples_expect_number(s, g_array_index(ids, uint64_t, n),
                              "%s/streams/%u", prefix, n);
}

/* ---- reading of sample files --------------------------------------------- */

static void read_source_into_recording(Recording *recording, Source *source)
{
    const ReadOptions options = { .comm_patterns = NULL };
    GError *error = NULL;

    (void)!read_recording_file(READ_AUTO, source, &options, recording, &error);
    assert_no_error(error);
}

static Source *open_sample_file(const char *name)
{
    g_autofree char *path = sample_file_path(name);
    GError *error = NULL;
    Source *source = source_open(path, &error);

    assert_no_error(error);
    return source;
}

Recording *samples_read_file(const char *name)
{
    Recording *recording = recording_new();
    g_autoptr(Source) source = open_sample_file(name);

    read_source_into_recording(recording, source);
    return recording;
}

#define BLOCK 512

/* Returns the size of the file of a tar header.  Blocks of 512 bytes with the
 * file's content follow the header. */
static gsize tar_member_size(const char *header)
{
    return (gsize)g_ascii_strtoull(header + 124, NULL, 8);
}

static gsize tar_member_blocks(const char *header)
{
    return BLOCK + (tar_member_size(header) + BLOCK - 1) / BLOCK * BLOCK;
}

static gboolean tar_member_is_wanted(const char *header, const char *part)
{
    return (header[156] == '0' || header[156] == '\0') &&
           g_pattern_match_simple(part, header);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the headers of the tar members that match @part, sorted by name. */
static GPtrArray *read_tar_members(const char *bytes, gsize n, const char *part)
{
    GPtrArray *headers = g_ptr_array_new();

    for (gsize at = 0; at + BLOCK <= n && bytes[at];
         at += tar_member_blocks(bytes + at))
        if (tar_member_is_wanted(bytes + at, part))
            g_ptr_array_add(headers, (gpointer)(bytes + at));
    g_ptr_array_sort(headers, compare_names);
    return headers;
}

Recording *samples_read_tar(const char *name, const char *part)
{
    Recording *recording = recording_new();
    g_autoptr(Source) tar = open_sample_file(name);
    g_autoptr(GPtrArray) members = NULL;
    gsize n;
    const char *bytes = (const char *)source_peek(tar, 1 << 26, &n);

    members = read_tar_members(bytes, n, part);
    assert_true(members->len > 0);
    for (guint i = 0; i < members->len; i++) {
        const char *header = g_ptr_array_index(members, i);
        g_autoptr(Source) source =
            source_from_memory(header, header + BLOCK, tar_member_size(header));

        read_source_into_recording(recording, source);
    }
    return recording;
}

char *samples_read_tar_member(const char *name, const char *part,
                              gsize *n_bytes)
{
    g_autoptr(Source) tar = open_sample_file(name);
    g_autoptr(GPtrArray) members = NULL;
    gsize n;
    const char *bytes = (const char *)source_peek(tar, 1 << 26, &n);
    const char *header;

    members = read_tar_members(bytes, n, part);
    assert_int_equal(members->len, 1);
    header = g_ptr_array_index(members, 0);
    *n_bytes = tar_member_size(header);
    return g_strndup(header + BLOCK, *n_bytes);
}
