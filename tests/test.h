/*
 * test.h - included by every test instead of cmocka.h
 *
 * cmocka.h needs four other headers before it.  A failing assertion leaves the
 * test with longjmp() and skips g_auto clean-ups, so leaks after a failure can
 * be ignored.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glib.h>

/* Checks that a call failed with exactly this domain, code and message.  Frees
 * @error and sets it to NULL. */
#define assert_gerror(error, domain, expected_code, expected_message)          \
    do {                                                                       \
        assert_non_null(error);                                                \
        assert_string_equal((error)->message, (expected_message));             \
        assert_true(                                                           \
            g_error_matches((error), (domain), (gint)(expected_code)));        \
        g_clear_error(&(error));                                               \
    } while (0)

#define assert_config_error(error, expected_code, expected_message)            \
    assert_gerror(error, CONFIG_ERROR, expected_code, expected_message)

/* Checks that a call succeeded; shows the message if it did not. */
#define assert_no_error(error)                                                 \
    assert_string_equal((error) ? (error)->message : "", "")

/* Returns the number of draws of a random test: @n, times ACESIM_DRAWS if that
 * variable is set. */
static inline guint n_random_draws(guint n)
{
    const char *times = g_getenv("ACESIM_DRAWS");

    return n * (times ? (guint)g_ascii_strtoull(times, NULL, 10) : 1);
}

/* Returns the seed of a random test: @seed, unless ACESIM_SEED is set, whose
 * every value makes another seed of each. */
static inline guint32 random_seed(guint32 seed)
{
    const char *other = g_getenv("ACESIM_SEED");

    return seed ^ (other ? (guint32)g_ascii_strtoull(other, NULL, 10) *
                               UINT32_C(2654435761)
                         : 0);
}

#endif
