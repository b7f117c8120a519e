/* buckets.c - buckets that double their width when they are used up */
#include "models/observe/buckets.h"

#define N_BUCKETS 2048

struct Buckets {
    guint n_quantities, n_used;
    SimTime width_ps;
    SimWide *integrals; /* owned: N_BUCKETS integrals for each quantity */
};

Buckets *buckets_new(guint n_quantities)
{
    Buckets *buckets = g_new0(Buckets, 1);

    buckets->n_quantities = n_quantities;
    buckets->width_ps = SIM_NS(1);
    buckets->integrals = g_new0(SimWide, (gsize)n_quantities * N_BUCKETS);
    return buckets;
}

void buckets_free(Buckets *buckets)
{
    if (!buckets)
        return;
    g_free(buckets->integrals);
    g_free(buckets);
}

/* Doubles the width of all buckets by merging each pair of neighbours. */
static void widen(Buckets *buckets)
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

void buckets_add(Buckets *buckets, guint quantity, uint64_t value,
                 SimTime from_ps, SimTime to_ps)
{
    SimWide *integrals = &buckets->integrals[(gsize)quantity * N_BUCKETS];

    if (value == 0 || from_ps >= to_ps)
        return;
    while ((to_ps - 1) / buckets->width_ps >= N_BUCKETS)
        widen(buckets);
    while (from_ps < to_ps) {
        guint i = (guint)(from_ps / buckets->width_ps);
        SimTime until_ps = MIN(to_ps, (i + 1) * buckets->width_ps);

        integrals[i] += (SimWide)value * (until_ps - from_ps);
        buckets->n_used = MAX(buckets->n_used, i + 1);
        from_ps = until_ps;
    }
}

SimTime buckets_width_ps(const Buckets *buckets)
{
    return buckets->width_ps;
}

guint buckets_n(const Buckets *buckets)
{
    return buckets->n_used;
}

SimWide buckets_integral(const Buckets *buckets, guint quantity, guint bucket)
{
    return buckets->integrals[(gsize)quantity * N_BUCKETS + bucket];
}
