/*
 * fuzz_msccl.c - fuzzes the reader of MSCCL schedules
 *
 * No schedule may crash or hang the reader, leak memory, or be refused without
 * a message that begins with its position.
 */
#include <glib.h>
#include <stdint.h>

#include "models/stacks/msccl/prove_schedule.h"
#include "models/stacks/msccl/xml_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(MscclSchedule) msccl =
        msccl_read_xml_schedule("x.xml", (const char *)data, size, &error);
    g_autoptr(GArray) order = NULL;

    if (msccl && msccl_prove_all_reduce(msccl, &order, &error)) {
        g_assert_cmpuint(order->len, ==, msccl->steps->len);
        return 0;
    }
    g_assert_true(g_str_has_prefix(error->message, "x.xml:"));
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    return 0;
}
