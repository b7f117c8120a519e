/* symmetry_bounds.c - finds numbers of NPU ids after which roles and groups
 * repeat or change; see symmetry_bounds.h */
#include "models/run/prepare/symmetry_bounds.h"

#include "sim/core/integer_math.h"

static void add_symmetry_bound(GArray *bounds, uint32_t bound)
{
    g_array_append_val(bounds, bound);
}

void symmetry_bounds_add_colours(GArray *bounds, const uint32_t *colours,
                                 uint32_t n)
{
    uint32_t run = n;

    for (uint32_t i = 1; i < n; i++)
        if (colours[i] != colours[i - 1])
            run = (uint32_t)greatest_common_divisor(run, i);
    add_symmetry_bound(bounds, run);
    for (uint32_t period = 1; period < n; period++) {
        uint32_t i = period;

        if (n % period != 0)
            continue;
        while (i < n && colours[i] == colours[i - period])
            i++;
        if (i < n)
            continue;
        add_symmetry_bound(bounds, period);
        return;
    }
}

void symmetry_bounds_add_groups(GArray *bounds, const CollMembers *members,
                                gboolean with_bits)
{
    for (uint32_t i = 0; i < members->n_digits; i++) {
        const CollDigit *digit = &members->digits[i];

        add_symmetry_bound(bounds, digit->stride);
        add_symmetry_bound(bounds, digit->stride * digit->size);
    }
    if (with_bits)
        for (uint32_t bit = 2; bit < members->n_npus; bit *= 2)
            add_symmetry_bound(bounds, bit);
}

static gint compare_bounds(gconstpointer a, gconstpointer b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

void symmetry_bounds_sort(GArray *bounds)
{
    g_array_sort(bounds, compare_bounds);
}
