/*
 * fuzz_quantity.c - fuzzes the parser of quantities
 *
 * No text may crash or hang the parser, or fail without a message.  A quantity
 * that was read, written and read again must be the same.
 */
#include <glib.h>

#include "sim/config/quantity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);

    for (ConfigType type = CONFIG_COUNT; type <= CONFIG_FRACTION; type++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *shown = NULL;
        uint64_t value = 0, again = 1;

        if (!quantity_parse(text, type, &value, &error)) {
            g_assert_nonnull(error);
            g_assert_true(g_utf8_validate(error->message, -1, NULL));
            continue;
        }
        shown = quantity_format(value, type);
        g_assert_true(quantity_parse(shown, type, &again, NULL));
        g_assert_true(value == again);
    }
    return 0;
}
