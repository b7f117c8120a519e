/*
 * fuzz_condition.c - fuzzes the parser of goals
 *
 * No goal may crash or hang the parser, or fail without a message that begins
 * with its position.  A parsed goal that is written and read again must be the
 * same.
 */
#include <glib.h>
#include <stdint.h>

#include "sim/study/solve/goal_condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autoptr(GError) error = NULL;
    g_autoptr(Condition) condition = condition_parse(text, &error);
    g_autoptr(Condition) again = NULL;
    g_autofree char *shown = NULL;

    if (!condition) {
        g_assert_true(g_str_has_prefix(error->message, "--until:1:"));
        g_assert_true(g_utf8_validate(error->message, -1, NULL));
        return 0;
    }
    shown = condition_text(condition);
    again = condition_parse(shown, &error);
    g_assert_no_error(error);
    g_assert_true(again->value == condition->value);
    g_assert_cmpstr(again->reference, ==, condition->reference);
    return 0;
}
