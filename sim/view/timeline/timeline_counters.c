/* timeline_counters.c - utilisation as counters of a trace */
#include "sim/view/timeline/timeline_impl.h"

typedef struct {
    const char *counter; /* NULL: same as the previous series */
    const char *series;
    guint quantity;
    uint64_t per; /* units of the quantity per unit of the counter */
    guint digits;
} CounterSeries;

static const CounterSeries all_series[] = {
    { "HBM GB/s", "compute", UTILISATION_HBM_COMPUTE, 1000000000, 1 },
    { NULL, "communication reads", UTILISATION_HBM_READ, 1000000000, 1 },
    { NULL, "communication writes", UTILISATION_HBM_WRITE, 1000000000, 1 },
    { "SMs", "compute", UTILISATION_SMS_COMPUTE, 1, 1 },
    { NULL, "communication", UTILISATION_SMS_COMM, 1, 1 },
};

typedef struct {
    TraceFile *file;            /* borrowed */
    const TimeBuckets *buckets; /* borrowed */
    uint32_t process;
    SimTime end_ps;
} CounterWriter;

static gboolean is_series_used(const CounterWriter *writer,
                               const CounterSeries *series)
{
    for (guint i = 0; i < time_buckets_n_used(writer->buckets); i++)
        if (time_buckets_integral(writer->buckets, series->quantity, i) > 0)
            return TRUE;
    return FALSE;
}

/* Adds the mean of a bucket, rounded down to the last digit.  The bucket with
 * number time_buckets_n_used() is empty. */
static void add_bucket_mean(const CounterWriter *writer, TraceArgs *args,
                            const CounterSeries *series, guint bucket)
{
    SimTime width_ps = time_buckets_width_ps(writer->buckets);
    SimTime from_ps = bucket * width_ps;
    SimWide integral = 0;
    uint64_t scale = 1;

    for (guint i = 0; i < series->digits; i++)
        scale *= 10;
    if (bucket < time_buckets_n_used(writer->buckets))
        integral =
            time_buckets_integral(writer->buckets, series->quantity, bucket);
    if (from_ps < writer->end_ps) /* the last bucket may be shorter */
        width_ps = MIN(width_ps, writer->end_ps - from_ps);
    trace_args_add_decimal(
        args, series->series,
        (uint64_t)(integral * scale / series->per / width_ps), series->digits);
}

/* Adds a counter with @n series, unless all of them are always 0. */
static void add_trace_counter(const CounterWriter *writer,
                              const CounterSeries *series, guint n)
{
    TraceArgs values = { 0 }, before = { 0 };
    gboolean used = FALSE;

    for (guint s = 0; s < n; s++)
        used |= is_series_used(writer, &series[s]);
    if (!used)
        return;
    for (guint i = 0; i <= time_buckets_n_used(writer->buckets); i++) {
        values.n = 0;
        for (guint s = 0; s < n; s++)
            add_bucket_mean(writer, &values, &series[s], i);
        if (!trace_args_are_equal(&values, &before))
            trace_file_add_counter(
                writer->file, writer->process, series->counter,
                MIN(i * time_buckets_width_ps(writer->buckets), writer->end_ps),
                &values);
        before = values;
    }
}

/* Adds the utilisation of the links of each dimension, in per cent. */
static void add_link_counters(const CounterWriter *writer,
                              const Topology *topology)
{
    CounterSeries series[TOPOLOGY_MAX_DIMS];
    char names[TOPOLOGY_MAX_DIMS][16];
    uint32_t n = topology_n_dims(topology);

    for (uint32_t d = 0; d < n; d++) {
        uint64_t n_links = utilisation_n_links(topology, d);

        g_snprintf(names[d], sizeof names[d], "dim%u", d);
        series[d] =
            (CounterSeries){ "links busy %", names[d], UTILISATION_LINKS + d,
                             MAX(n_links, 1), 1 };
    }
    add_trace_counter(writer, series, n);
}

static void add_resource_counter(const CounterWriter *writer,
                                 const ResourceKind *kind, guint quantity)
{
    gboolean is_filled = kind->unit == CONFIG_BYTES;
    g_autofree char *counter =
        g_strdup_printf("%s%s", kind->title, is_filled ? " KiB" : "");
    const CounterSeries series = { .counter = counter,
                                   .series = kind->form == RESOURCE_CAPACITY
                                                 ? "used"
                                                 : "busy",
                                   .quantity = quantity,
                                   .per = is_filled ? 1024 : 1,
                                   .digits = is_filled ? 1 : 2 };

    add_trace_counter(writer, &series, 1);
}

/* Adds the resources of the endpoint: first those that are held, then those
 * that serve. */
static void add_endpoint_resource_counters(const CounterWriter *writer,
                                           const ResourceKind *own)
{
    for (guint serves = 0; serves <= 1; serves++)
        for (guint i = RESOURCE_OWN; i < resource_count(own); i++) {
            const ResourceKind *kind = resource_kind(own, i);

            if (kind->title &&
                (kind->form != RESOURCE_CAPACITY) == (serves == 1))
                add_resource_counter(writer, kind,
                                     UTILISATION_RESOURCES + i - RESOURCE_OWN);
        }
}

void timeline_add_counters(TraceFile *file, uint32_t process,
                           const TimeBuckets *buckets, const System *system,
                           SimTime end_ps)
{
    const CounterWriter w = { file, buckets, process, end_ps };
    guint n;

    for (guint i = 0; i < G_N_ELEMENTS(all_series); i += n) {
        n = 1;
        while (i + n < G_N_ELEMENTS(all_series) && !all_series[i + n].counter)
            n++;
        add_trace_counter(&w, &all_series[i], n);
    }
    add_endpoint_resource_counters(&w, system_endpoint_resources(system));
    add_link_counters(&w, system_topology(system));
}
