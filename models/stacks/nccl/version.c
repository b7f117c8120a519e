/* version.c - which release of NCCL, read */
#include "models/stacks/nccl/version.h"

#define N_NUMBERS 3
#define LATEST    "latest"

/* No number is as large as that. */
#define MOST 99

/* A release that is not told of a series is its last one. */
uint32_t nccl_version(const char *text)
{
    guint64 numbers[N_NUMBERS] = { 0, 0, MOST };
    g_auto(GStrv) parts = g_strsplit(text, ".", N_NUMBERS + 1);
    guint n = g_strv_length(parts);

    if (g_str_equal(text, LATEST))
        return NCCL_LATEST_VERSION;
    if (n < 2 || n > N_NUMBERS)
        return 0;
    for (guint i = 0; i < n; i++)
        if (!g_ascii_string_to_unsigned(parts[i], 10, 0, MOST, &numbers[i],
                                        NULL))
            return 0;
    return numbers[0] < 2
               ? 0
               : NCCL_VERSION((uint32_t)numbers[0], (uint32_t)numbers[1],
                              (uint32_t)numbers[2]);
}
