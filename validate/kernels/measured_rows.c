/* measured_rows.c - reads the measurements of validate/gpu as rows of
 * kernels */
#include "validate/kernels/measured_rows.h"

#include <string.h>

#include "sim/config/config.h"
#include "sim/config/config_node.h"
#include "validate/kernels/measured_table.h"

#define MIB (UINT64_C(1) << 20)

/* ---- columns of the CSV file of validate/gpu ----------------------------- */

typedef struct {
    const char *family, *kernel, *dtype, *loads, *shared,
        *caveat; /* Another object owns this memory. */
    uint64_t bytes, n_sms, m, n, k, bytes_in_flight;
    uint64_t read_bytes, write_bytes, flop;
    double median_us;
} Measured;

#define COLUMN(field, type) MEASURED_COLUMN(Measured, field, MEASURED_##type)

static const MeasuredColumn columns[] = {
    COLUMN(family, TEXT),      COLUMN(kernel, TEXT),
    COLUMN(dtype, TEXT),       COLUMN(loads, TEXT),
    COLUMN(shared, TEXT),      COLUMN(caveat, TEXT),
    COLUMN(bytes, COUNT),      COLUMN(n_sms, COUNT),
    COLUMN(m, COUNT),          COLUMN(n, COUNT),
    COLUMN(k, COUNT),          COLUMN(bytes_in_flight, COUNT),
    COLUMN(read_bytes, COUNT), COLUMN(write_bytes, COUNT),
    COLUMN(flop, COUNT),       COLUMN(median_us, TIME),
};

/* A measured CSV file that is being read. */
typedef struct {
    char *npu, *name; /* The struct owns this memory. */
    /* The number of SMs of the GPU, which is the maximum of all rows. */
    uint64_t n_sms;
    gboolean has_keys; /* TRUE if cases have keys, in .key_column. */
    guint key_column;
} Source;

static void clear_measured_source(Source *source)
{
    g_free(source->npu);
    g_free(source->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Source, clear_measured_source)

/* ---- division of rows into training and held-out rows -------------------- */

/* Returns whether the number of SMs is a power of two and at most a quarter
 * of all, and the data are large enough to hide launches.  Other numbers
 * between and above are held out, to test the curve of bandwidth by number of
 * SMs. */
static gboolean row_uses_few_sms(const Measured *measured, uint64_t all_sms)
{
    return measured->n_sms <= all_sms / 4 &&
           (measured->n_sms & (measured->n_sms - 1)) == 0 &&
           measured->bytes >= 64 * MIB;
}

static gboolean row_is_sum_of_two_on_all_sms(const Measured *measured,
                                             uint64_t all_sms)
{
    return row_uses_few_sms(measured, all_sms) &&
           measured->read_bytes <= 2 * measured->bytes;
}

/* Returns whether the time is mostly that of the launch. */
static gboolean is_row_of_tiny_kernel(const Measured *measured,
                                      uint64_t all_sms)
{
    (void)all_sms;
    return measured->read_bytes + measured->write_bytes <= MIB / 4;
}

static gboolean row_product_has_usual_depth(const Measured *measured,
                                            uint64_t all_sms)
{
    (void)all_sms;
    return measured->k <= 4096 && (measured->k & (measured->k - 1)) == 0;
}

/* Returns TRUE for reads alone and writes alone, which get the full memory
 * bandwidth. */
static gboolean is_row_always_training(const Measured *measured,
                                       uint64_t all_sms)
{
    (void)measured;
    (void)all_sms;
    return TRUE;
}

/* Returns whether as many bytes are read as written. */
static gboolean row_reads_as_many_bytes_as_it_writes(const Measured *measured,
                                                     uint64_t all_sms)
{
    (void)all_sms;
    return measured->read_bytes == measured->write_bytes;
}

static gboolean is_row_never_training(const Measured *measured,
                                      uint64_t all_sms)
{
    (void)measured;
    (void)all_sms;
    return FALSE;
}

typedef struct {
    /* The names in the CSV file of validate/gpu. */
    const char *family, *kernel;
    const char *name; /* The name of the family in KernelRow. */
    gboolean (*is_training)(const Measured *m, uint64_t all_sms);
} Rule;

/* Products of the own gemm kernel are no rows, because they do not represent a
 * library. */
static const Rule rules[] = {
    { "reduce", "reduce", "measured sum", row_is_sum_of_two_on_all_sms },
    { "copy", "copy", "measured copy", row_uses_few_sms },
    { "ceiling", "copy", "measured copy", row_uses_few_sms },
    { "read", "read-slices", "measured read", row_uses_few_sms },
    { "write", "write-slices", "measured write", row_uses_few_sms },
    { "launch", "copy", "measured small copy", is_row_of_tiny_kernel },
    { "gemm", "cublas", "measured product", row_product_has_usual_depth },
    { "ceiling", "cublas", "measured product", row_product_has_usual_depth },
    { "stream", "read", "measured read", is_row_always_training },
    { "stream", "write", "measured write", is_row_always_training },
    { "stream", "fma", "measured fma", is_row_never_training },
    { "stream", "mix", "measured mix", row_reads_as_many_bytes_as_it_writes },
    { "ceiling", "mix", "measured mix", row_reads_as_many_bytes_as_it_writes },
};

/* Above this intensity, the FP32 rate outside of products matters, which is
 * no key of an NPU.  Below it, memory is the bottleneck on all GPUs of
 * gpus.csv. */
#define MOST_FLOP_PER_BYTE 4

static gboolean is_modelled_kernel(const Measured *measured)
{
    uint64_t moved_bytes = measured->read_bytes + measured->write_bytes;

    return *measured->caveat == '\0' &&
           (*measured->loads == '\0' ||
            g_str_equal(measured->loads, "no-allocate")) &&
           (*measured->shared == '\0' ||
            g_str_equal(measured->shared, "half")) &&
           (measured->m > 0 ||
            measured->flop <= MOST_FLOP_PER_BYTE * moved_bytes);
}

static const Rule *held_out_rule_of_row(const Measured *measured)
{
    for (guint i = 0; i < G_N_ELEMENTS(rules); i++)
        if (g_str_equal(measured->family, rules[i].family) &&
            g_str_equal(measured->kernel, rules[i].kernel))
            return is_modelled_kernel(measured) ? &rules[i] : NULL;
    return NULL;
}

/* ---- conversion of rows to kernels of `acesim kernels` ------------------- */

/* Returns the bytes of the loads in flight, plus those of the stores that
 * follow from them. */
static uint64_t bytes_in_flight_of_row(const Measured *measured)
{
    return measured->read_bytes == 0
               ? 0 /* stores do not wait for data */
               : (uint64_t)((double)measured->bytes_in_flight *
                            (double)(measured->read_bytes +
                                     measured->write_bytes) /
                            (double)measured->read_bytes);
}

#define U64 G_GUINT64_FORMAT

/* Returns the precision whose section a product is timed with.  Products of
 * bf16 alone are as fast as those of fp16, to which `make fit` fits them; the
 * section bf16 of an NPU is fitted to training steps, at lower clocks. */
static const char *precision_of_lone_product(const Measured *measured)
{
    return g_str_equal(measured->dtype, "bf16") ? "fp16" : measured->dtype;
}

static char *kernel_yaml_of_measured_row(const Measured *measured)
{
    return measured->m > 0
               ? g_strdup_printf("{kind: product, precision: %s, m: %" U64
                                 ", n: %" U64 ", k: %" U64 ", sms: %" U64 "}",
                                 precision_of_lone_product(measured),
                                 measured->m, measured->n, measured->k,
                                 measured->n_sms)
               : g_strdup_printf(
                     "{kind: stream, read: %" U64 " B, write: %" U64
                     " B, flop: %" U64 ", in_flight: %" U64 " B, sms: %" U64
                     "%s}",
                     measured->read_bytes, measured->write_bytes,
                     measured->flop, bytes_in_flight_of_row(measured),
                     measured->n_sms,
                     measured->bytes_in_flight > 0 ? ", persistent: true" : "");
}

static void add_measured_row(GArray *rows, const Source *source,
                             const CsvTable *table, guint i,
                             const Measured *measured)
{
    const Rule *rule = held_out_rule_of_row(measured);
    KernelRow row;

    if (!rule)
        return;
    row = (KernelRow){
        .npu = g_strdup(source->npu),
        .family = g_strdup(rule->name),
        .source = g_strdup(source->name),
        .yaml = kernel_yaml_of_measured_row(measured),
        .time_us = measured->median_us,
        .is_held_out = !rule->is_training(measured, source->n_sms),
        .is_own = TRUE,
        .line = i + 2,
        .key = source->has_keys
                   ? g_strdup(csv_table_text(table, i, source->key_column))
                   : NULL,
    };
    g_array_append_val(rows, row);
}

/* ---- what the JSON beside a CSV file says -------------------------------- */

static const char *text_of_json_key(ConfigDoc *doc, const char *key)
{
    const ConfigNode *node = config_doc_find_exact(doc, key);
    const char *text = node ? config_node_text(node) : NULL;

    return text ? text : "";
}

gboolean measured_file_warning(const char *path, char **ret_warning,
                               GError **error)
{
    g_autofree char *json = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    const char *left_out;

    *ret_warning = NULL;
    if (!g_str_has_suffix(path, ".csv"))
        return TRUE;
    json =
        g_strdup_printf("%.*sjson", (int)(strlen(path) - strlen("csv")), path);
    if (!g_file_test(json, G_FILE_TEST_EXISTS))
        return TRUE;
    doc = config_doc_load(json, error); /* JSON is YAML. */
    if (!doc)
        return FALSE;
    left_out = text_of_json_key(doc, "n_left_out");
    if (g_str_equal(text_of_json_key(doc, "complete"), "false"))
        *ret_warning = g_strdup_printf(
            "%s: the measurement was interrupted; rows are missing", path);
    else if (g_ascii_strtoull(left_out, NULL, 10) > 0)
        *ret_warning = g_strdup_printf(
            "%s: the measurement left out %s cases for lack of time", path,
            left_out);
    return TRUE;
}

gboolean measured_rows_add_file(GArray *rows, const char *path, GError **error)
{
    g_autoptr(CsvTable) table = csv_table_load(path, error);
    g_autoptr(GArray) all =
        table ? measured_table_rows(table, path, columns, G_N_ELEMENTS(columns),
                                    sizeof(Measured), error)
              : NULL;
    g_auto(Source) source = { 0 };

    if (!all)
        return FALSE;
    source.name = g_path_get_basename(path);
    source.has_keys = csv_table_column(table, "key", &source.key_column, NULL);
    source.npu = g_strdup(source.name);
    if (g_str_has_suffix(source.npu, MEASURED_SUFFIX))
        source.npu[strlen(source.npu) - strlen(MEASURED_SUFFIX)] = '\0';
    for (guint i = 0; i < all->len; i++)
        source.n_sms = MAX(source.n_sms, g_array_index(all, Measured, i).n_sms);
    for (guint i = 0; i < all->len; i++)
        add_measured_row(rows, &source, table, i,
                         &g_array_index(all, Measured, i));
    return TRUE;
}
