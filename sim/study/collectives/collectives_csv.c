/* collectives_csv.c - the time of one collective on a platform, by size, as
 * CSV */
#include "sim/core/csv.h"
#include "sim/study/collectives/collectives.h"
#include "sim/study/csv_columns.h"

#define N_DIGITS 4 /* digits of a bandwidth: 8 B in 10 us are 0.0008 GB/s */

typedef struct {
    const Collectives *collectives; /* borrowed, as is .row */
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

static void append_platform_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    csv_add_text(out, at->collectives->name);
}

static void append_collective_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    csv_add_text(out, at->collectives->kind);
}

static void append_n_npus_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    csv_add_u64(out, at->collectives->n_npus);
}

static void append_payload_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    csv_add_u64(out, at->row->bytes);
}

static void append_algorithm_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    csv_add_text(out, at->row->algorithm);
}

static void append_protocol_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    csv_add_text(out, at->row->protocol);
}

static void append_channels_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    csv_add_u64(out, at->row->n_channels);
}

static void append_time_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    if (at->row->reason)
        csv_add_empty(out);
    else
        csv_add_fixed(out, at->row->time_ps, 6);
}

/* Appends algbw; 1 byte/ps is 1000 GB/s. */
static void append_algbw_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    if (at->row->reason)
        csv_add_empty(out);
    else
        csv_add_ratio(out, at->row->bytes * 1000, at->row->time_ps, N_DIGITS);
}

static void append_busbw_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;
    uint64_t num, den;

    collectives_bus_factor(at->collectives, &num, &den);
    if (at->row->reason)
        csv_add_empty(out);
    else
        csv_add_ratio(out, at->row->bytes * 1000 * num, at->row->time_ps * den,
                      N_DIGITS);
}

static void append_notes_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;

    csv_add_text(out, at->row->notes);
}

static void append_reason_cell(GString *out, gconstpointer row)
{
    const CollectivesCell *at = row;
    g_autofree char *line = g_strdup(at->row->reason ?: "");

    csv_add_text(out, g_strdelimit(line, "\r\n", ' '));
}

static const Column columns[] = {
    { "platform", UNIT_TEXT, append_platform_cell },
    { "collective", UNIT_TEXT, append_collective_cell },
    { "n_npus", UNIT_COUNT, append_n_npus_cell },
    { "payload_bytes", UNIT_BYTES, append_payload_cell },
    { "algorithm", UNIT_TEXT, append_algorithm_cell },
    { "protocol", UNIT_TEXT, append_protocol_cell },
    { "channels", UNIT_COUNT, append_channels_cell },
    { "time_us", UNIT_US, append_time_cell },
    { "algbw_gb_per_s", UNIT_GB_PER_S, append_algbw_cell },
    { "busbw_gb_per_s", UNIT_GB_PER_S, append_busbw_cell },
    { "notes", UNIT_TEXT, append_notes_cell },
    { "reason", UNIT_TEXT, append_reason_cell },
    { 0 },
};

GString *collectives_csv(const Collectives *collectives)
{
    GString *out = g_string_new(NULL);

    columns_append_header(out, columns);
    for (guint i = 0; i < collectives->rows->len; i++) {
        const CollectivesCell at = { collectives,
                                     collectives_row(collectives, i) };

        columns_append_row(out, columns, &at);
    }
    return out;
}
