#include "validate/fit/measured.h"

#include <string.h>

/* Columns that are read, and where their values go. */
typedef struct {
    const char *name;
    gsize offset;
    enum { TEXT, COUNT, TIME } type;
    gboolean is_late; /* older files lack it */
} Column;

#define COLUMN(field, type)                                                    \
    {                                                                          \
#field, offsetof(Measured, field), type, FALSE                         \
    }
#define LATE(field, type)                                                      \
    {                                                                          \
#field, offsetof(Measured, field), type, TRUE                          \
    }

static const Column columns[] = {
    COLUMN(family, TEXT),
    COLUMN(kernel, TEXT),
    COLUMN(dtype, TEXT),
    COLUMN(beside, TEXT),
    COLUMN(beside_kernel, TEXT),
    COLUMN(key, TEXT),
    COLUMN(bytes, COUNT),
    COLUMN(n_sms, COUNT),
    COLUMN(m, COUNT),
    COLUMN(n, COUNT),
    COLUMN(k, COUNT),
    COLUMN(batch, COUNT),
    COLUMN(dim, COUNT),
    COLUMN(pooling, COUNT),
    COLUMN(bytes_in_flight, COUNT),
    COLUMN(read_bytes, COUNT),
    COLUMN(write_bytes, COUNT),
    COLUMN(flop, COUNT),
    COLUMN(beside_n_sms, COUNT),
    COLUMN(pair, COUNT),
    COLUMN(median_us, TIME),
    COLUMN(alone_us, TIME),
    LATE(loads, TEXT),
    LATE(shared, TEXT),
    LATE(place, TEXT),
    LATE(first, TEXT),
    LATE(priority, TEXT),
    LATE(caveat, TEXT),
    LATE(second, COUNT),
    LATE(power_w, TIME),
};

#define MISSING G_MAXUINT

/* A file that is being read. */
typedef struct {
    const char *name;                /* borrowed */
    const CsvTable *table;           /* borrowed */
    guint at[G_N_ELEMENTS(columns)]; /* where each column stands, or MISSING */
} Source;

static gboolean read_cell(const Source *source, guint row, guint c,
                          gpointer ret, GError **error)
{
    const CsvTable *table = source->table;
    const Column *column = &columns[c];
    guint at = source->at[c];
    const char *text = at == MISSING ? "" : csv_table_text(table, row, at);
    double number = 0;

    if (column->type == TEXT) {
        memcpy(ret, &text, sizeof text);
        return TRUE;
    }
    if (*text != '\0' && !csv_table_number(table, row, at, &number, error))
        return FALSE;
    if (number < 0 || number > 1e18) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                    "%s:%u: %s: %s is out of range", source->name, row + 2,
                    column->name, text);
        return FALSE;
    }
    if (column->type == TIME)
        memcpy(ret, &number, sizeof number);
    else
        *(uint64_t *)ret = (uint64_t)number;
    return TRUE;
}

static gboolean check(const Source *source, Measured *m, GError **error)
{
    char *end;
    uint64_t key = g_ascii_strtoull(m->key, &end, 16);

    m->is_held_out = key % 3 == 0;
    m->partner = MEASURED_NONE;
    if (strlen(m->key) == 16 && *end == '\0' && m->median_us > 0)
        return TRUE;
    g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                "%s:%u: a row needs a key of 16 hex digits and a median_us "
                "above 0",
                source->name, m->line);
    return FALSE;
}

static gboolean read_row(const Source *source, guint row, Measured *ret,
                         GError **error)
{
    for (guint c = 0; c < G_N_ELEMENTS(columns); c++)
        if (!read_cell(source, row, c, (char *)ret + columns[c].offset, error))
            return FALSE;
    ret->line = row + 2;
    return check(source, ret, error);
}

/* Partners stand near each other: the second follows the first. */
static void join(GArray *rows)
{
    for (guint i = 1; i < rows->len; i++) {
        Measured *a = &g_array_index(rows, Measured, i - 1);
        Measured *b = &g_array_index(rows, Measured, i);

        if (a->pair == 0 || a->pair != b->pair)
            continue;
        a->partner = i;
        b->partner = i - 1;
    }
}

static gboolean find_column(Source *source, guint c, GError **error)
{
    g_autoptr(GError) missing = NULL;

    if (csv_table_column(source->table, columns[c].name, &source->at[c],
                         &missing))
        return TRUE;
    source->at[c] = MISSING;
    if (columns[c].is_late)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&missing));
    return FALSE;
}

static Measurements *read_table(const char *name, CsvTable *table,
                                GError **error)
{
    g_autoptr(Measurements) all = g_new0(Measurements, 1);
    Source source = { .name = name, .table = table };

    all->table = table;
    all->rows = g_array_new(FALSE, TRUE, sizeof(Measured));
    for (guint c = 0; c < G_N_ELEMENTS(columns); c++)
        if (!find_column(&source, c, error))
            return NULL;
    for (guint i = 0; i < csv_table_n_rows(table); i++) {
        Measured m = { 0 };

        if (!read_row(&source, i, &m, error))
            return NULL;
        g_array_append_val(all->rows, m);
        all->n_sms = MAX(all->n_sms, m.n_sms);
    }
    join(all->rows);
    return g_steal_pointer(&all);
}

Measurements *measurements_load(const char *path, GError **error)
{
    CsvTable *table = csv_table_load(path, error);

    return table ? read_table(path, table, error) : NULL;
}

Measurements *measurements_parse(const char *name, const char *text,
                                 GError **error)
{
    CsvTable *table = csv_table_parse(name, text, strlen(text), error);

    return table ? read_table(name, table, error) : NULL;
}

void measurements_free(Measurements *measurements)
{
    if (!measurements)
        return;
    g_array_unref(measurements->rows);
    csv_table_free(measurements->table);
    g_free(measurements);
}
