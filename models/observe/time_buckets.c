/* time_buckets.c - buckets that double their width when they are used up */
#include "models/observe/time_buckets.h"

#define N_BUCKETS 2048

struct TimeBuckets {
    guint n_quantities, n_used;
    SimTime width_ps;
    SimWide *integrals; /* owned: N_BUCKETS integrals for each quantity */
};

TimeBuckets *time_buckets_new(guint n_quantities)
{
    TimeBuckets *buckets = g_new0(TimeBuckets, 1);

    buckets->n_quantities = n_quantities;
    buckets->width_ps = SIM_NS(1);
    buckets->integrals = g_new0(SimWide, (gsize)n_quantities * N_BUCKETS);
    return buckets;
}

void time_buckets_free(TimeBuckets *buckets)
{
    if (!buckets)
        return;
    g_free(buckets->integrals);
    g_free(buckets);
}

/* Doubles the width of all buckets by merging each pair of neighbours. */
static void double_bucket_width(TimeBuckets *buckets)
{
    for (guint q = 0; q < buckets->n_quantities; q++) {
        SimWide *integrals = &buckets->integrals[(gsize)q * N_BUCKETS];

        for (guint i = 0; i < N_BUCKETS / 2; i++)
            integrals[i] = integrals[2 * i] + integrals[2 * i + 1];
        for (guint i = N_BUCKETS / 2; i < N_BUCKETS; i++)
            integrals[i] = 0;
    }
    buckets->width_ps *= 2;
    buckets->n_used = (buckets->n_used + 1) / 2;
}

void time_buckets_add(TimeBuckets *buckets, guint quantity, uint64_t value,
                      SimTime from_ps, SimTime to_ps)
{
    SimWide *integrals = &buckets->integrals[(gsize)quantity * N_BUCKETS];

    if (value == 0 || from_ps >= to_ps)
        return;
    while ((to_ps - 1) / buckets->width_ps >= N_BUCKETS)
        double_bucket_width(buckets);
    while (from_ps < to_ps) {
        guint i = (guint)(from_ps / buckets->width_ps);
        SimTime until_ps = MIN(to_ps, (i + 1) * buckets->width_ps);

        integrals[i] += (SimWide)value * (until_ps - from_ps);
        buckets->n_used = MAX(buckets->n_used, i + 1);
        from_ps = until_ps;
    }
}

SimTime time_buckets_width_ps(const TimeBuckets *buckets)
{
    return buckets->width_ps;
}

guint time_buckets_n_used(const TimeBuckets *buckets)
{
    return buckets->n_used;
}

SimWide time_buckets_integral(const TimeBuckets *buckets, guint quantity,
                              guint bucket)
{
    return buckets->integrals[(gsize)quantity * N_BUCKETS + bucket];
}
