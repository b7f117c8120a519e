/* measurement_table.c - the columns of the CSV table, and the row that they
 * read */
#include "validate/gpu/host/measurement_table.h"

#include <inttypes.h>
#include <string.h>

#include "validate/gpu/host/clock_throttle_reasons.h"

/* A case, its result and all derived values.  Each column is a field. */
typedef struct {
    const char *family, *kernel, *dtype, *beside, *beside_kernel;
    const char *loads, *shared, *place, *first, *priority, *caveat;
    char throttle_text[64], sms_text[SM_SET_TEXT], beside_sms_text[SM_SET_TEXT];
    const char *throttle, *sms, *beside_sms;
    uint64_t bytes, n_sms, ways, m, n, k, batch, rows, dim, pooling, threads;
    uint64_t loads_in_flight, bytes_in_flight, read_bytes, write_bytes, flop;
    uint64_t beside_n_sms, beside_bytes, pair, seconds;
    uint64_t batch_launches, rotated_bytes, repetitions, second, key;
    double flop_per_byte, alone_us, median_us, p10_us, p90_us, sm_mhz;
    double alone_mhz, power_w, celsius;
} Row;

typedef enum { CELL_TEXT, CELL_COUNT, CELL_RATIO, CELL_TIME, CELL_KEY } Cell;

typedef struct {
    const char *name;
    size_t offset;
    Cell cell;
    bool identifies;
} Column;

#define FIELD(field) #field, offsetof(Row, field)

static const Column columns[] = {
    { FIELD(family), CELL_TEXT, true },
    { FIELD(kernel), CELL_TEXT, true },
    { FIELD(dtype), CELL_TEXT, true },
    { FIELD(bytes), CELL_COUNT, true },
    { FIELD(n_sms), CELL_COUNT, true },
    { FIELD(ways), CELL_COUNT, true },
    { FIELD(m), CELL_COUNT, true },
    { FIELD(n), CELL_COUNT, true },
    { FIELD(k), CELL_COUNT, true },
    { FIELD(batch), CELL_COUNT, true },
    { FIELD(rows), CELL_COUNT, true },
    { FIELD(dim), CELL_COUNT, true },
    { FIELD(pooling), CELL_COUNT, true },
    { FIELD(flop_per_byte), CELL_RATIO, true },
    { FIELD(threads), CELL_COUNT, true },
    { FIELD(loads_in_flight), CELL_COUNT, true },
    { FIELD(loads), CELL_TEXT, true },
    { FIELD(shared), CELL_TEXT, true },
    { FIELD(bytes_in_flight), CELL_COUNT, false },
    { FIELD(read_bytes), CELL_COUNT, false },
    { FIELD(write_bytes), CELL_COUNT, false },
    { FIELD(flop), CELL_COUNT, false },
    { FIELD(beside), CELL_TEXT, true },
    { FIELD(beside_kernel), CELL_TEXT, true },
    { FIELD(beside_n_sms), CELL_COUNT, true },
    { FIELD(beside_bytes), CELL_COUNT, true },
    { FIELD(place), CELL_TEXT, true },
    { FIELD(first), CELL_TEXT, true },
    { FIELD(priority), CELL_TEXT, true },
    { FIELD(seconds), CELL_COUNT, true },
    { FIELD(pair), CELL_COUNT, false },
    { FIELD(alone_us), CELL_TIME, false },
    { FIELD(batch_launches), CELL_COUNT, false },
    { FIELD(rotated_bytes), CELL_COUNT, false },
    { FIELD(median_us), CELL_TIME, false },
    { FIELD(p10_us), CELL_TIME, false },
    { FIELD(p90_us), CELL_TIME, false },
    { FIELD(repetitions), CELL_COUNT, false },
    { FIELD(sm_mhz), CELL_RATIO, false },
    { FIELD(alone_mhz), CELL_RATIO, false },
    { FIELD(second), CELL_COUNT, false },
    { FIELD(power_w), CELL_RATIO, false },
    { FIELD(celsius), CELL_RATIO, false },
    { FIELD(throttle), CELL_TEXT, false },
    { FIELD(sms), CELL_TEXT, false },
    { FIELD(beside_sms), CELL_TEXT, false },
    { FIELD(caveat), CELL_TEXT, false },
    { FIELD(key), CELL_KEY, false },
};

#define N_COLUMNS (sizeof columns / sizeof columns[0])

static Row table_row_of_case(const MeasureCase *measure_case)
{
    Traffic traffic = traffic_of_case(measure_case);

    return (Row){
        .family = kernel_family_name(measure_case->family),
        .kernel = kernel_name(measure_case->kernel),
        .dtype = dtype_name(measure_case->dtype),
        .bytes = measure_case->bytes,
        .n_sms = measure_case->n_sms,
        .ways = measure_case->ways,
        .m = measure_case->m,
        .n = measure_case->n,
        .k = measure_case->k,
        .batch = measure_case->batch,
        .rows = measure_case->rows,
        .dim = measure_case->dim,
        .pooling = measure_case->pooling,
        /* Each element is read and written, four bytes each. */
        .flop_per_byte = 2.0 * measure_case->n_fma / 8,
        .threads = measure_case->n_threads,
        .loads_in_flight = measure_case->n_loads,
        .loads = load_kind_name(measure_case->loads),
        .shared = shared_memory_use_name(measure_case->shared),
        .bytes_in_flight =
            UINT64_C(16) * measure_case->n_loads * measure_case->n_threads,
        .read_bytes = traffic.read_bytes,
        .write_bytes = traffic.write_bytes,
        .flop = traffic.flop,
        .beside = kernel_kind(measure_case->beside),
        .beside_kernel = kernel_name(measure_case->beside),
        .beside_n_sms = measure_case->beside_n_sms,
        .beside_bytes = measure_case->beside_bytes,
        .place = partner_placement_name(measure_case->place),
        .first = release_order_name(measure_case->first),
        .priority = stream_priority_name(measure_case->priority),
        .seconds = measure_case->seconds,
        .throttle = "",
        .sms = "",
        .beside_sms = "",
        .caveat = "",
        .pair = measure_case->pair,
    };
}

/* ---- text of CSV cells --------------------------------------------------- */

static void print_count_cell(const void *field_at, char *ret, size_t size)
{
    uint64_t value;

    memcpy(&value, field_at, sizeof value);
    ret[0] = '\0';
    if (value != 0)
        (void)snprintf(ret, size, "%" PRIu64, value);
}

static void print_number_cell(const void *field_at, const char *format,
                              char *ret, size_t size)
{
    double value;

    memcpy(&value, field_at, sizeof value);
    ret[0] = '\0';
    if (value > 0)
        (void)snprintf(ret, size, format, value);
}

static void print_key_cell(const void *field_at, char *ret, size_t size)
{
    uint64_t value;

    memcpy(&value, field_at, sizeof value);
    (void)snprintf(ret, size, "%016" PRIx64, value);
}

#define CELL_SIZE 64

/* Returns the text of a cell.  The text is in @buffer or is owned by @row. */
static const char *cell_text(const Row *row, const Column *column,
                             char buffer[CELL_SIZE])
{
    const void *field_at = (const char *)row + column->offset;
    const char *text;

    switch (column->cell) {
    case CELL_TEXT:
        memcpy(&text, field_at, sizeof text);
        return text;
    case CELL_COUNT:
        print_count_cell(field_at, buffer, CELL_SIZE);
        break;
    case CELL_RATIO:
        print_number_cell(field_at, "%g", buffer, CELL_SIZE);
        break;
    case CELL_TIME:
        print_number_cell(field_at, "%.4f", buffer, CELL_SIZE);
        break;
    case CELL_KEY:
        print_key_cell(field_at, buffer, CELL_SIZE);
        break;
    }
    return buffer;
}

/* ---- identity and hash key of a case ------------------------------------- */

static void append_text_within_size(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);

    (void)snprintf(text + length, size - length, "%s", more);
}

void table_identity_of_case(const MeasureCase *measure_case, char *ret,
                            size_t size)
{
    Row row = table_row_of_case(measure_case);
    char buffer[CELL_SIZE];
    const char *separator = "";

    ret[0] = '\0';
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (!columns[i].identifies)
            continue;
        append_text_within_size(ret, size, separator);
        append_text_within_size(ret, size,
                                cell_text(&row, &columns[i], buffer));
        separator = "|";
    }
}

void table_label_of_case(const MeasureCase *measure_case, char *ret,
                         size_t size)
{
    Row row = table_row_of_case(measure_case);
    char buffer[CELL_SIZE];

    (void)snprintf(ret, size, "%s:", row.family);
    for (size_t i = 1; i < N_COLUMNS; i++) {
        const char *text = cell_text(&row, &columns[i], buffer);

        if (!columns[i].identifies || text[0] == '\0')
            continue;
        append_text_within_size(ret, size, " ");
        append_text_within_size(ret, size, columns[i].name);
        append_text_within_size(ret, size, "=");
        append_text_within_size(ret, size, text);
    }
}

uint64_t table_hash_fnv_1a(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text != '\0'; text++) {
        hash ^= (unsigned char)*text;
        hash *= UINT64_C(0x100000001b3);
    }
    return hash;
}

uint64_t table_key_of_case(const MeasureCase *measure_case)
{
    char identity[TABLE_IDENTITY_SIZE];

    table_identity_of_case(measure_case, identity, sizeof identity);
    return table_hash_fnv_1a(identity);
}

/* ---- writing of CSV rows ------------------------------------------------- */

bool table_write_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n"))
        return fputs(text, file) >= 0;
    (void)fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', file);
        (void)fputc(*text, file);
    }
    return fputc('"', file) != EOF;
}

bool table_write_header(FILE *file)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        (void)fprintf(file, "%s%s", i ? "," : "", columns[i].name);
    (void)fputc('\n', file);
    return fflush(file) == 0 && !ferror(file);
}

bool table_write_row(FILE *file, const MeasureCase *measure_case, uint64_t key,
                     const MeasureResult *result)
{
    Row row = table_row_of_case(measure_case);
    char buffer[CELL_SIZE];

    row.key = key;
    row.caveat = result->caveat ? result->caveat : "";
    row.median_us = result->median_us;
    row.p10_us = result->p10_us;
    row.p90_us = result->p90_us;
    row.alone_us = result->alone_us;
    row.repetitions = result->repetitions;
    row.batch_launches = result->batch_launches;
    row.rotated_bytes = result->rotated_bytes;
    row.sm_mhz = result->sm_mhz;
    row.alone_mhz = result->alone_mhz;
    row.second = result->second;
    row.power_w = result->power_w;
    row.celsius = result->celsius;
    throttle_text(result->throttle, row.throttle_text,
                  sizeof row.throttle_text);
    row.throttle = row.throttle_text;
    sm_set_text(&result->sms, row.sms_text);
    row.sms = row.sms_text;
    sm_set_text(&result->beside_sms, row.beside_sms_text);
    row.beside_sms = row.beside_sms_text;
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (i > 0)
            (void)fputc(',', file);
        (void)table_write_text(file, cell_text(&row, &columns[i], buffer));
    }
    (void)fputc('\n', file);
    return fflush(file) == 0 && !ferror(file);
}
