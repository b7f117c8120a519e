/* timeline_counters.c - utilisation as counters of a trace */
#include "sim/view/timeline/timeline_impl.h"

typedef struct {
    const char *counter; /* NULL: same as the previous series */
    const char *series;
    guint quantity;
    uint64_t per; /* units of the quantity per unit of the counter */
    guint digits;
} Series;

static const Series all_series[] = {
    { "HBM GB/s", "compute", UTILISATION_HBM_COMPUTE, 1000000000, 1 },
    { NULL, "communication reads", UTILISATION_HBM_READ, 1000000000, 1 },
    { NULL, "communication writes", UTILISATION_HBM_WRITE, 1000000000, 1 },
    { "SMs", "compute", UTILISATION_SMS_COMPUTE, 1, 1 },
    { NULL, "communication", UTILISATION_SMS_COMM, 1, 1 },
};

typedef struct {
    TraceFile *file;        /* borrowed */
    const Buckets *buckets; /* borrowed */
    uint32_t process;
    SimTime end_ps;
} Writer;

static gboolean is_used(const Writer *w, const Series *series)
{
    for (guint i = 0; i < buckets_n(w->buckets); i++)
        if (buckets_integral(w->buckets, series->quantity, i) > 0)
            return TRUE;
    return FALSE;
}

/* Adds the mean of a bucket, rounded down to the last digit.  The bucket with
 * number buckets_n() is empty. */
static void add_mean(const Writer *w, TraceArgs *args, const Series *series,
                     guint bucket)
{
    SimTime width_ps = buckets_width_ps(w->buckets);
    SimTime from_ps = bucket * width_ps;
    SimWide integral = 0;
    uint64_t scale = 1;

    for (guint i = 0; i < series->digits; i++)
        scale *= 10;
    if (bucket < buckets_n(w->buckets))
        integral = buckets_integral(w->buckets, series->quantity, bucket);
    if (from_ps < w->end_ps) /* the last bucket may be shorter */
        width_ps = MIN(width_ps, w->end_ps - from_ps);
    trace_args_decimal(args, series->series,
                       (uint64_t)(integral * scale / series->per / width_ps),
                       series->digits);
}

/* Adds a counter with @n series, unless all of them are always 0. */
static void add_counter(const Writer *w, const Series *series, guint n)
{
    TraceArgs values = { 0 }, before = { 0 };
    gboolean used = FALSE;

    for (guint s = 0; s < n; s++)
        used |= is_used(w, &series[s]);
    if (!used)
        return;
    for (guint i = 0; i <= buckets_n(w->buckets); i++) {
        values.n = 0;
        for (guint s = 0; s < n; s++)
            add_mean(w, &values, &series[s], i);
        if (!trace_args_equal(&values, &before))
            trace_file_add_counter(
                w->file, w->process, series->counter,
                MIN(i * buckets_width_ps(w->buckets), w->end_ps), &values);
        before = values;
    }
}

/* Adds the utilisation of the links of each dimension, in per cent. */
static void add_links(const Writer *w, const Topology *topology)
{
    Series series[TOPOLOGY_MAX_DIMS];
    char names[TOPOLOGY_MAX_DIMS][16];
    uint32_t n = topology_n_dims(topology);

    for (uint32_t d = 0; d < n; d++) {
        uint64_t n_links = utilisation_n_links(topology, d);

        g_snprintf(names[d], sizeof names[d], "dim%u", d);
        series[d] = (Series){ "links busy %", names[d], UTILISATION_LINKS + d,
                              MAX(n_links, 1), 1 };
    }
    add_counter(w, series, n);
}

static void add_resource(const Writer *w, const ResourceKind *kind,
                         guint quantity)
{
    gboolean is_filled = kind->unit == CONFIG_BYTES;
    g_autofree char *counter =
        g_strdup_printf("%s%s", kind->title, is_filled ? " KiB" : "");
    const Series series = { .counter = counter,
                            .series = kind->form == RESOURCE_CAPACITY ? "used"
                                                                      : "busy",
                            .quantity = quantity,
                            .per = is_filled ? 1024 : 1,
                            .digits = is_filled ? 1 : 2 };

    add_counter(w, &series, 1);
}

/* Adds the resources of the endpoint: first those that are held, then those
 * that serve. */
static void add_own(const Writer *w, const ResourceKind *own)
{
    for (guint serves = 0; serves <= 1; serves++)
        for (guint i = RESOURCE_OWN; i < resource_count(own); i++) {
            const ResourceKind *kind = resource_kind(own, i);

            if (kind->title &&
                (kind->form != RESOURCE_CAPACITY) == (serves == 1))
                add_resource(w, kind, UTILISATION_RESOURCES + i - RESOURCE_OWN);
        }
}

void timeline_add_counters(TraceFile *file, uint32_t process,
                           const Buckets *buckets, const System *system,
                           SimTime end_ps)
{
    const Writer w = { file, buckets, process, end_ps };
    guint n;

    for (guint i = 0; i < G_N_ELEMENTS(all_series); i += n) {
        n = 1;
        while (i + n < G_N_ELEMENTS(all_series) && !all_series[i + n].counter)
            n++;
        add_counter(&w, &all_series[i], n);
    }
    add_own(&w, system_own_resources(system));
    add_links(&w, system_topology(system));
}
