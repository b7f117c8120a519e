/* Tests of sim/core/cache_lines.h: memory aligned to cache lines */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/cache_lines.h"

static void assert_aligned_to_cache_line(gconstpointer memory)
{
    assert_int_equal((uintptr_t)memory % CACHE_LINE_BYTES, 0);
}

static void test_cache_line_memory_is_aligned_and_zeroed(void **state)
{
    (void)state;
    for (gsize bytes = 1; bytes < 4 * CACHE_LINE_BYTES; bytes += 7) {
        guint8 *memory = cache_lines_alloc_zeroed(bytes);

        assert_aligned_to_cache_line(memory);
        for (gsize i = 0; i < bytes; i++)
            assert_int_equal(memory[i], 0);
        cache_lines_free(memory);
    }
}

static void test_growing_memory_keeps_the_used_bytes(void **state)
{
    guint8 *memory = NULL;
    gsize n = 0;

    (void)state;
    for (gsize bytes = 1; bytes < 5000; bytes = 2 * bytes + 1) {
        memory = cache_lines_grow(memory, n, bytes);
        assert_aligned_to_cache_line(memory);
        for (gsize i = 0; i < n; i++)
            assert_int_equal(memory[i], i % 251);
        for (n = 0; n < bytes; n++)
            memory[n] = (guint8)(n % 251);
    }
    cache_lines_free(memory);
}

static void test_zero_bytes_need_no_memory(void **state)
{
    (void)state;
    assert_null(cache_lines_alloc(0));
    assert_null(cache_lines_alloc_zeroed(0));
    cache_lines_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache_line_memory_is_aligned_and_zeroed),
        cmocka_unit_test(test_growing_memory_keeps_the_used_bytes),
        cmocka_unit_test(test_zero_bytes_need_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
