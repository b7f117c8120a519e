/* collectives_csv.c - the time of one collective on a platform, by size, as
 * CSV */
#include "sim/core/csv.h"
#include "sim/study/collectives/collectives.h"
#include "sim/study/units.h"

#define N_DIGITS 4 /* digits of a bandwidth: 8 B in 10 us are 0.0008 GB/s */

typedef struct {
    const Collectives *all; /* borrowed, as is .row */
    const CollectivesRow *row;
} CollectivesCell;

/* This is the correction factor of nccl-tests.  Per byte of payload, a rank
 * sends and receives 2(n-1)/n bytes in an all-reduce, (n-1)/n in collectives
 * that only gather or scatter, and 1 in collectives that send the whole payload
 * from or to a root. */
void collectives_bus_factor(const Collectives *collectives, uint64_t *ret_num,
                            uint64_t *ret_den)
{
    static const struct {
        const char *kind;
        uint64_t times;
    } moved[] = { { "all-reduce", 2 },     { "all-gather", 1 },
                  { "reduce-scatter", 1 }, { "all-to-all", 1 },
                  { "gather", 1 },         { "scatter", 1 },
                  { "all-to-allv", 1 } };
    uint64_t n = collectives->n_npus;

    *ret_num = 1;
    *ret_den = 1;
    for (guint i = 0; i < G_N_ELEMENTS(moved); i++)
        if (g_str_equal(moved[i].kind, collectives->kind)) {
            *ret_num = moved[i].times * (n - 1);
            *ret_den = n;
        }
}

static void add_platform(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    csv_add_text(out, at->all->name);
}

static void add_collective(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    csv_add_text(out, at->all->kind);
}

static void add_npus(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    csv_add_u64(out, at->all->n_npus);
}

static void add_payload(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    csv_add_u64(out, at->row->bytes);
}

static void add_algorithm(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    csv_add_text(out, at->row->algorithm);
}

static void add_protocol(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    csv_add_text(out, at->row->protocol);
}

static void add_channels(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    csv_add_u64(out, at->row->n_channels);
}

static void add_time(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    if (at->row->reason)
        csv_add_empty(out);
    else
        csv_add_fixed(out, at->row->time_ps, 6);
}

/* Appends algbw; 1 byte/ps is 1000 GB/s. */
static void add_algbw(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    if (at->row->reason)
        csv_add_empty(out);
    else
        csv_add_ratio(out, at->row->bytes * 1000, at->row->time_ps, N_DIGITS);
}

static void add_busbw(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;
    uint64_t num, den;

    collectives_bus_factor(at->all, &num, &den);
    if (at->row->reason)
        csv_add_empty(out);
    else
        csv_add_ratio(out, at->row->bytes * 1000 * num, at->row->time_ps * den,
                      N_DIGITS);
}

static void add_notes(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;

    csv_add_text(out, at->row->notes);
}

static void add_reason(GString *out, gconstpointer of)
{
    const CollectivesCell *at = of;
    g_autofree char *line = g_strdup(at->row->reason ?: "");

    csv_add_text(out, g_strdelimit(line, "\r\n", ' '));
}

static const Column columns[] = {
    { "platform", UNIT_TEXT, add_platform },
    { "collective", UNIT_TEXT, add_collective },
    { "n_npus", UNIT_COUNT, add_npus },
    { "payload_bytes", UNIT_BYTES, add_payload },
    { "algorithm", UNIT_TEXT, add_algorithm },
    { "protocol", UNIT_TEXT, add_protocol },
    { "channels", UNIT_COUNT, add_channels },
    { "time_us", UNIT_US, add_time },
    { "algbw_gb_per_s", UNIT_GB_PER_S, add_algbw },
    { "busbw_gb_per_s", UNIT_GB_PER_S, add_busbw },
    { "notes", UNIT_TEXT, add_notes },
    { "reason", UNIT_TEXT, add_reason },
    { 0 },
};

GString *collectives_csv(const Collectives *collectives)
{
    GString *out = g_string_new(NULL);

    column_add_header(out, columns);
    for (guint i = 0; i < collectives->rows->len; i++) {
        const CollectivesCell at = { collectives,
                                     collectives_row(collectives, i) };

        column_add_row(out, columns, &at);
    }
    return out;
}
