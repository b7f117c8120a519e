/*
 * test.h - what every test includes in place of cmocka.h
 *
 * cmocka.h does not compile without four other headers before it.  A failing
 * assertion jumps out of the test past g_auto clean-ups: what it leaks then is
 * noise, the failure is the news.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glib.h>

/* A call failed with @code of @domain and this message, neither more nor less.
 * Clears @error, so that it can be used again. */
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

/* A call succeeded; if not, the message says why. */
#define assert_no_error(error)                                                 \
    assert_string_equal((error) ? (error)->message : "", "")

/* How often a test at random draws: @n times, or ACESIM_DRAWS times that. */
static inline guint n_draws(guint n)
{
    const char *times = g_getenv("ACESIM_DRAWS");

    return n * (times ? (guint)g_ascii_strtoull(times, NULL, 10) : 1);
}

#endif
