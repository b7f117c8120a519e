/*
 * Tests of sim/core/byte_source.h: a plain file, a packed file and
 * bytes in memory give the same bytes for any sizes of steps, and damage is an
 * error. */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/core/byte_source.h"

/* More than three blocks of byte_source.c; not a multiple of a power of two. */
#define N_BYTES 800003

static uint8_t *make_random_bytes(void)
{
    uint8_t *bytes = g_malloc(N_BYTES);

    for (guint i = 0; i < N_BYTES; i++)
        bytes[i] = (uint8_t)(i * 7 % 251 + i / 4096);
    return bytes;
}

/* Returns the path of a file in the folder of the test, which the runner
 * removes.  The caller frees it. */
static char *temporary_file_path(const char *name)
{
    return g_build_filename(g_get_tmp_dir(), name, NULL);
}

static void write_gzip_file(const char *path, const uint8_t *bytes, gsize n)
{
    gzFile file = gzopen(path, "wb6");

    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)n), n);
    assert_int_equal(gzclose(file), Z_OK);
}

/* Asserts that @source has exactly @bytes, read in steps of all sizes. */
static void assert_source_content(Source *source, const uint8_t *bytes,
                                  gsize n_bytes)
{
    g_autoptr(GError) error = NULL;
    gsize at = 0, step = 1, n;

    for (;;) {
        const uint8_t *seen = source_peek(source, step, &n);
        gsize skipped = MIN(step, n);

        assert_true(n >= MIN(step, n_bytes - at) && n <= n_bytes - at);
        assert_int_equal(source_offset(source), at);
        if (n == 0)
            break;
        assert_memory_equal(seen, bytes + at, n);
        source_skip(source, skipped);
        at += skipped;
        step = step * 3 % 300007 + 1;
    }
    assert_int_equal(at, n_bytes);
    assert_true(source_finish(source, &error));
    assert_no_error(error);
}

static void a_plain_file_is_read_twice(void **state)
{
    g_autofree uint8_t *bytes = make_random_bytes();
    g_autofree char *path = temporary_file_path("plain");
    g_autoptr(GError) error = NULL;
    g_autoptr(Source) source = NULL;

    (void)state;
    assert_true(g_file_set_contents(path, (char *)bytes, N_BYTES, NULL));
    source = source_open(path, &error);
    assert_no_error(error);
    assert_string_equal(source_name(source), path);
    assert_source_content(source, bytes, N_BYTES);
    assert_true(source_rewind(source));
    assert_source_content(source, bytes, N_BYTES);
}

static void a_gzip_file_is_unpacked_twice(void **state)
{
    g_autofree uint8_t *bytes = make_random_bytes();
    g_autofree char *path = temporary_file_path("packed");
    g_autoptr(GError) error = NULL;
    g_autoptr(Source) source = NULL;

    (void)state;
    write_gzip_file(path, bytes, N_BYTES);
    source = source_open(path, &error);
    assert_no_error(error);
    assert_source_content(source, bytes, N_BYTES);
    assert_true(source_rewind(source));
    assert_source_content(source, bytes, N_BYTES);
}

static void gzip_bytes_in_memory_are_unpacked(void **state)
{
    g_autofree uint8_t *bytes = make_random_bytes();
    g_autofree char *path = temporary_file_path("memory"), *packed = NULL;
    gsize n_packed;

    (void)state;
    write_gzip_file(path, bytes, N_BYTES);
    assert_true(g_file_get_contents(path, &packed, &n_packed, NULL));
    for (guint times = 0; times < 2; times++) {
        g_autoptr(Source) source =
            times ? source_from_memory("x", packed, n_packed)
                  : source_from_memory("x", bytes, N_BYTES);

        assert_source_content(source, bytes, N_BYTES);
        assert_true(source_rewind(source));
        assert_source_content(source, bytes, N_BYTES);
    }
}

static void a_gzip_file_may_have_several_members(void **state)
{
    g_autofree uint8_t *bytes = make_random_bytes();
    g_autofree char *path = temporary_file_path("members"), *both = NULL;
    g_autofree char *one = NULL, *two = NULL;
    gsize n_one, n_two;
    g_autoptr(Source) source = NULL;

    (void)state;
    write_gzip_file(path, bytes, 300000);
    assert_true(g_file_get_contents(path, &one, &n_one, NULL));
    write_gzip_file(path, bytes + 300000, N_BYTES - 300000);
    assert_true(g_file_get_contents(path, &two, &n_two, NULL));
    both = g_malloc(n_one + n_two);
    memcpy(both, one, n_one);
    memcpy(both + n_one, two, n_two);
    source = source_from_memory("x", both, n_one + n_two);
    assert_source_content(source, bytes, N_BYTES);
}

static void an_empty_source_has_no_bytes(void **state)
{
    g_autoptr(Source) nothing = source_from_memory("x", NULL, 0);
    g_autoptr(Source) byte = source_from_memory("x", "\x1f", 1);
    g_autofree char *path = temporary_file_path("empty");
    g_autoptr(Source) file = NULL;

    (void)state;
    assert_true(g_file_set_contents(path, "", 0, NULL));
    file = source_open(path, NULL);
    assert_source_content(nothing, NULL, 0);
    assert_source_content(byte, (const uint8_t *)"\x1f", 1);
    assert_source_content(file, NULL, 0);
}

/* Asserts that reading @packed fails with @message.  Bytes before the damage
 * are not returned either, because they may be incomplete. */
static void assert_gzip_refused(const char *packed, gsize n,
                                const char *message)
{
    g_autoptr(Source) source = source_from_memory("x.gz", packed, n);
    g_autoptr(GError) error = NULL;
    gsize n_seen = 1;

    source_peek(source, 2 * N_BYTES, &n_seen);
    assert_int_equal(n_seen, 0);
    assert_false(source_finish(source, &error));
    assert_gerror(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, message);
    assert_false(source_rewind(source));
    source_peek(source, 1, &n_seen);
    assert_int_equal(n_seen, 0);
}

static void a_truncated_gzip_file_is_an_error(void **state)
{
    g_autofree uint8_t *bytes = make_random_bytes();
    g_autofree char *path = temporary_file_path("cut"), *packed = NULL;
    gsize n_packed;

    (void)state;
    write_gzip_file(path, bytes, 1000);
    assert_true(g_file_get_contents(path, &packed, &n_packed, NULL));
    for (gsize n = 2; n < n_packed; n++)
        assert_gzip_refused(
            packed, n,
            "x.gz: cannot be read: it is compressed by gzip and cut short");
}

static void damage_of_a_gzip_file_is_an_error(void **state)
{
    const char *message =
        "x.gz: cannot be read: it is compressed by gzip and damaged";
    g_autofree uint8_t *bytes = make_random_bytes();
    g_autofree char *path = temporary_file_path("bent"), *packed = NULL,
                    *more = NULL;
    gsize n_packed;

    (void)state;
    write_gzip_file(path, bytes, 1000);
    assert_true(g_file_get_contents(path, &packed, &n_packed, NULL));
    /* The test changes the checksum of the gzip file. */
    packed[n_packed - 8] ^= 1;
    assert_gzip_refused(packed, n_packed, message);
    packed[n_packed - 8] ^= 1;
    /* The test changes the compression method of the gzip file. */
    packed[2] = 7;
    assert_gzip_refused(packed, n_packed, message);
    packed[2] = 8;
    more = g_malloc0(n_packed + 20);
    memcpy(more, packed, n_packed);
    assert_gzip_refused(more, n_packed + 20, message);
}

static void assert_open_refused(const char *path, const char *reason)
{
    g_autofree char *message =
        g_strdup_printf("%s: cannot be read: %s", path, reason);
    g_autoptr(GError) error = NULL;

    assert_null(source_open(path, &error));
    assert_gerror(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, message);
}

static void only_regular_files_are_opened_as_sources(void **state)
{
    g_autofree char *pipe_path = temporary_file_path("pipe"),
                    *none = temporary_file_path("none");

    (void)state;
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_open_refused(pipe_path,
                        "it is a device, pipe or socket; give a regular file");
    assert_open_refused("/dev/zero",
                        "it is a device, pipe or socket; give a regular file");
    assert_open_refused(g_get_tmp_dir(),
                        "it is a directory; name a file in it");
    assert_open_refused(none, "No such file or directory");
    g_unlink(pipe_path);
}

static void a_source_file_truncated_while_open_is_shorter(void **state)
{
    g_autofree uint8_t *bytes = make_random_bytes();
    g_autofree char *path = temporary_file_path("shrinks");
    g_autoptr(Source) source = NULL;
    gsize n;

    (void)state;
    assert_true(g_file_set_contents(path, (char *)bytes, N_BYTES, NULL));
    source = source_open(path, NULL);
    source_peek(source, 1, &n);
    assert_int_equal(truncate(path, 1), 0);
    source_peek(source, N_BYTES, &n);
    assert_in_range(n, 1, N_BYTES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_file_is_read_twice),
        cmocka_unit_test(a_gzip_file_is_unpacked_twice),
        cmocka_unit_test(gzip_bytes_in_memory_are_unpacked),
        cmocka_unit_test(a_gzip_file_may_have_several_members),
        cmocka_unit_test(an_empty_source_has_no_bytes),
        cmocka_unit_test(a_truncated_gzip_file_is_an_error),
        cmocka_unit_test(damage_of_a_gzip_file_is_an_error),
        cmocka_unit_test(only_regular_files_are_opened_as_sources),
        cmocka_unit_test(a_source_file_truncated_while_open_is_shorter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
