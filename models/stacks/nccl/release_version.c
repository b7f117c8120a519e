/* release_version.c - parses release numbers of NCCL */
#include "models/stacks/nccl/release_version.h"

#define N_NUMBERS 3
#define LATEST    "latest"

/* The upper bound of each of the three numbers of a release. */
#define MAX_NUMBER 99

/* Parses a release of NCCL.  A version without a third number is the last
 * release of its series. */
uint32_t nccl_parse_version(const char *text)
{
    guint64 numbers[N_NUMBERS] = { 0, 0, MAX_NUMBER };
    g_auto(GStrv) parts = g_strsplit(text, ".", N_NUMBERS + 1);
    guint n = g_strv_length(parts);

    if (g_str_equal(text, LATEST))
        return NCCL_LATEST_VERSION;
    if (n < 2 || n > N_NUMBERS)
        return 0;
    for (guint i = 0; i < n; i++)
        if (!g_ascii_string_to_unsigned(parts[i], 10, 0, MAX_NUMBER,
                                        &numbers[i], NULL))
            return 0;
    return numbers[0] < 2
               ? 0
               : NCCL_VERSION((uint32_t)numbers[0], (uint32_t)numbers[1],
                              (uint32_t)numbers[2]);
}
