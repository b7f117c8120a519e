/* npu_fit_stages.c - the keys of an NPU that are fitted, and the kernels used
 * for each */
#include "validate/fit/npu_fit_stages.h"

#include <math.h>
#include <string.h>

#include "sim/config/quantity.h"

G_DEFINE_QUARK(acesim - npu - fit - error - quark, npu_fit_error)

#define NS          1e3
#define PERCENT     1e4
#define ALL_OF_PEAK "all of the data sheet's bandwidth"

/* Usual values are near the middle of the values that V100, A100, H200, L40 and
 * MI210 get when each is fitted to all of its training rows. */
#define EFFICIENCY(spread)                                                     \
    {                                                                          \
        "hbm.efficiency", 60 * PERCENT, 100 * PERCENT, "60 % of it",           \
            ALL_OF_PEAK, 96 * PERCENT, (spread)*PERCENT, FALSE                 \
    }
#define TURNAROUND                                                             \
    {                                                                          \
        "hbm.turnaround", 0, 50 * PERCENT, "no loss", "half of the bandwidth", \
            7 * PERCENT, 3 * PERCENT, FALSE                                    \
    }
#define WRITE_LOSS                                                             \
    {                                                                          \
        "hbm.write_loss", 0, 30 * PERCENT, "no loss", "30 % (assumed)",        \
            3 * PERCENT, 4 * PERCENT, FALSE                                    \
    }

static const NpuParam memory_params[] = {
    EFFICIENCY(2),
    TURNAROUND,
    WRITE_LOSS,
    { "memory_latency", 100 * NS, 1500 * NS, "an L2 hit",
      "twice the longest published", 420 * NS, 300 * NS, FALSE },
    { "store_latency", 0, 800 * NS, "hidden", "a load's, nearly", 70 * NS,
      300 * NS, FALSE },
    { "block_start", 1 * NS, 600 * NS, "a cycle", "a third of a launch",
      180 * NS, 150 * NS, FALSE },
    { "queueing", 0.1 * PERCENT, 100 * PERCENT, "no queue",
      "all of a turn waits once more", 4 * PERCENT, .35, TRUE },
    { "sm_bandwidth", 8, 64, "an eighth of the port",
      "the port of an SM or CU, 64 B a cycle", 50, 40, FALSE },
    { "sm_store_bandwidth", 8, 64, "an eighth of the port",
      "the port of an SM or CU, 64 B a cycle", 32, 40, FALSE },
    { "port_sharing", 0, 100 * PERCENT, "both at once", "one after the other",
      50 * PERCENT, 40 * PERCENT, FALSE },
    { "port_queueing", 0.1 * PERCENT, 100 * PERCENT, "no queue",
      "all warps load at once", 5 * PERCENT, 1, TRUE },
    { .key = NULL },
};

/* Copies have one mix of reads and writes, so efficiency and turnaround cannot
 * be separated.  The efficiency gets the larger spread because memories differ
 * more in it. */
static const NpuParam bandwidth_params[] = { EFFICIENCY(8),
                                             TURNAROUND,
                                             { .key = NULL } };

static const NpuParam launch_params[] = {
    { "launch_overhead", 200 * NS, 20000 * NS, "a graph's node",
      "a launch from a sleeping host", 2200 * NS, 1, TRUE },
    { .key = NULL },
};

/* ---- parameters of matrix products, by precision ------------------------- */

#define US (1000 * NS)
#define PART(key, low, usual, spread)                                          \
    {                                                                          \
        (key), (low)*PERCENT, 100 * PERCENT, "what no library is as slow as",  \
            "all of it", (usual)*PERCENT, (spread)*PERCENT, FALSE              \
    }
#define OVERHEAD(key, high, usual, spread)                                     \
    {                                                                          \
        (key), 0, (high)*US, "nothing", "as long as ten launches or more",     \
            (usual)*US, (spread)*US, FALSE                                     \
    }

/* The usual values are those of V100, rounded. */
#define PRODUCT_PARAMS(precision)                                              \
    PART(precision ".efficiency", 25, 90, 20),                                 \
        PART(precision ".memory", 50, 85, 20),                                 \
        { precision ".narrow",                                                 \
          2 * PERCENT,                                                         \
          100 * PERCENT,                                                       \
          "what no library is as slow as",                                     \
          "all of it",                                                         \
          15 * PERCENT,                                                        \
          1,                                                                   \
          TRUE },                                                              \
        OVERHEAD(precision ".overhead", 15, 2, 3),                             \
        OVERHEAD(precision ".parts_overhead", 20, 8, 4),                       \
    {                                                                          \
        .key = NULL                                                            \
    }
#define CONVOLUTION_PARAMS(precision)                                          \
    OVERHEAD(precision ".convolution.overhead", 60, 15, 20),                   \
        { precision ".convolution.strided_gradient",                           \
          25 * PERCENT,                                                        \
          100 * PERCENT,                                                       \
          "every zero between is multiplied, at a stride of 2",                \
          "all of it",                                                         \
          50 * PERCENT,                                                        \
          40 * PERCENT,                                                        \
          FALSE },                                                             \
        PART(precision ".convolution.overlap_gradient", 20, 70, 40),           \
        PART(precision ".convolution.weight_gradient", 20, 80, 40)
#define RECURRENT_PARAMS(precision)                                            \
    OVERHEAD(precision ".recurrent.pass", 300, 50, 50),                        \
        OVERHEAD(precision ".recurrent.step", 300, 30, 50),                    \
        PART(precision ".recurrent.products", 10, 80, 40),                     \
    {                                                                          \
        .key = NULL                                                            \
    }

static const NpuParam product_fp32[] = { PRODUCT_PARAMS("fp32") };
static const NpuParam product_fp16[] = { PRODUCT_PARAMS("fp16") };
static const NpuParam convolution_fp32[] = {
    CONVOLUTION_PARAMS("fp32"),
    PART("fp32.convolution.winograd", 10, 75, 40),
    { .key = NULL },
};
static const NpuParam convolution_fp16[] = {
    CONVOLUTION_PARAMS("fp16"),
    PART("fp16.convolution.few_channels", 2, 10, 30),
    { .key = NULL },
};
static const NpuParam recurrent_fp32[] = { RECURRENT_PARAMS("fp32") };
static const NpuParam recurrent_fp16[] = { RECURRENT_PARAMS("fp16") };

static const char *const products_fp32[] = { "product fp32", NULL };
static const char *const products_fp16[] = { "product fp16", "measured product",
                                             NULL };
static const char *const convolutions_fp32[] = { "convolution fp32", NULL };
static const char *const convolutions_fp16[] = { "convolution fp16", NULL };
static const char *const recurrents_fp32[] = { "recurrent fp32", NULL };
static const char *const recurrents_fp16[] = { "recurrent fp16", NULL };

static const char *const streams[] = {
    "init",           "read",          "scale",
    "measured sum",   "measured copy", "measured read",
    "measured write", "measured mix",  NULL
};
static const char *const copies[] = { "babelstream copy", "babelstream mul",
                                      NULL };
static const char *const launches[] = { "small kernels", "measured small copy",
                                        NULL };

const NpuStage npu_stages[] = {
    { "memory", streams, memory_params },
    { "bandwidth", copies, bandwidth_params },
    { "launch", launches, launch_params },
    { "product fp32", products_fp32, product_fp32 },
    { "product fp16", products_fp16, product_fp16 },
    { "convolution fp32", convolutions_fp32, convolution_fp32 },
    { "convolution fp16", convolutions_fp16, convolution_fp16 },
    { "recurrent fp32", recurrents_fp32, recurrent_fp32 },
    { "recurrent fp16", recurrents_fp16, recurrent_fp16 },
    { .name = NULL },
};

/* Text for a format string.  derived: two tiles on an SM were published as 1.70
 * times one [NVFORUM337991]. */
#define LONE_TILE "85 %%"
/* Ratio of the peaks of FP16 and FP32 above which a GPU has tensor cores.
 * Without them, FP16 is at most twice as fast. */
#define TENSOR_GAIN 3
/* The constants assume granules of 8 values. The smallest tiles and those of
 * weight gradients are taken from the names that cuBLAS and cuDNN give
 * kernels. */
#define TENSOR_CORES                                                           \
    ", granule: 8, least_tile: 64, convolution: {weight_tile: 128}"
/* The value of FP32 is assumed for FP16, too. */
#define PLAIN_FP16 ", convolution: {winograd: 75 %}"

gboolean npu_stage_has_family(const NpuStage *stage, const char *family)
{
    return g_strv_contains(stage->families, family);
}

/* ---- NPU fields by path -------------------------------------------------- */

static const ConfigField *find_config_field(const ConfigField *fields,
                                            const char *key, gsize length)
{
    for (; fields->key; fields++)
        if (strlen(fields->key) == length &&
            memcmp(fields->key, key, length) == 0)
            return fields;
    g_assert_not_reached();
}

const ConfigField *npu_field_at_path(const char *path, size_t *ret_offset)
{
    const ConfigField *fields = npu_fields, *field;
    const char *dot;

    *ret_offset = 0;
    for (; (dot = strchr(path, '.')); path = dot + 1) {
        field = find_config_field(fields, path, (gsize)(dot - path));
        g_assert(field->type == CONFIG_SECTION);
        *ret_offset += field->offset;
        fields = field->fields;
    }
    field = find_config_field(fields, path, strlen(path));
    *ret_offset += field->offset;
    g_assert(field->type <= CONFIG_FRACTION);
    return field;
}

uint64_t get_npu_field_at_path(const NpuConfig *npu, const char *path)
{
    uint64_t value;
    size_t offset;

    npu_field_at_path(path, &offset);
    memcpy(&value, (const char *)npu + offset, sizeof value);
    return value;
}

void set_npu_field_at_path(NpuConfig *npu, const char *path, uint64_t value)
{
    size_t offset;

    npu_field_at_path(path, &offset);
    memcpy((char *)npu + offset, &value, sizeof value);
}

const char *npu_family_that_param_needs(const NpuParam *param)
{
    /* Only kernels on a given number of SMs show the port of an SM.  Kernels on
     * all SMs wait for the memory. */
    static const char *const keys[] = { "sm_store_bandwidth", "port_sharing",
                                        "port_queueing", NULL };

    return g_strv_contains(keys, param->key) ? "measured sum" : NULL;
}

gboolean npu_param_is_default(const NpuParam *param, const NpuConfig *npu)
{
    size_t offset;
    const ConfigField *field = npu_field_at_path(param->key, &offset);
    uint64_t fallback = CONFIG_AUTO;

    if (!npu_family_that_param_needs(param))
        return FALSE;
    if (!g_str_equal(field->fallback, CONFIG_AUTO_WORD) &&
        !quantity_parse(field->fallback, field->type, &fallback, NULL))
        g_assert_not_reached();
    return get_npu_field_at_path(npu, param->key) == fallback;
}

gboolean npu_field_belongs_to_matrix_products(const char *path)
{
    return g_str_has_prefix(path, "fp32.") || g_str_has_prefix(path, "fp16.");
}

gboolean npu_sheet_has_tensor_cores(const Sheet *sheet)
{
    return sheet->fp16_flop_per_s > TENSOR_GAIN * sheet->fp32_flop_per_s;
}

void npu_init_from_sheet(NpuConfig *npu, const Sheet *sheet)
{
    g_autofree char *clock = quantity_format(sheet->clock_hz, CONFIG_FREQUENCY);
    g_autofree char *fp32 =
        quantity_format(sheet->fp32_flop_per_s, CONFIG_FLOPS);
    g_autofree char *fp16 =
        quantity_format(sheet->fp16_flop_per_s, CONFIG_FLOPS);
    g_autofree char *bandwidth =
        quantity_format(sheet->memory_bytes_per_s, CONFIG_BANDWIDTH);
    g_autofree char *capacity =
        quantity_format(sheet->memory_bytes, CONFIG_BYTES);
    g_autofree char *text = g_strdup_printf(
        "sms: %" G_GUINT64_FORMAT "\nclock: %s\nflops: %s\n"
        "operand_bandwidth: %" G_GUINT64_FORMAT "\nlone_tile: " LONE_TILE "\n"
        "fp32: {flops: %s}\nfp16: {flops: %s%s%s}\nhbm: {bandwidth: %s, "
        "capacity: %s}\n",
        sheet->n_sms, clock, fp16, sheet->operand_bytes_per_cycle, fp32, fp16,
        npu_sheet_has_tensor_cores(sheet) ? TENSOR_CORES : PLAIN_FP16,
        sheet->operands_overlap ? ", operand_overlap: true" : "", bandwidth,
        capacity);
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(sheet->npu, text, strlen(text), &error);

    if (!doc || !config_doc_read(doc, npu_fields, npu, &error))
        g_error("%s", error->message);
    for (const NpuStage *stage = npu_stages; stage->name; stage++)
        for (const NpuParam *param = stage->params; param->key; param++)
            if (!npu_family_that_param_needs(param))
                set_npu_field_at_path(npu, param->key,
                                      (uint64_t)llround(param->usual));
}

/* ---- bounds of fitted values --------------------------------------------- */

static gboolean set_data_sheet_value_error(const Sheet *sheet, const char *key,
                                           uint64_t value, const char *beyond,
                                           GError **error)
{
    size_t offset;
    g_autofree char *text =
        quantity_format(value, npu_field_at_path(key, &offset)->type);

    g_set_error(error, NPU_FIT_ERROR, NPU_FIT_ERROR_BOUND,
                "%s: %s is %s, beyond %s", sheet->npu, key, text, beyond);
    return FALSE;
}

static gboolean check_data_sheet_values(const NpuConfig *npu,
                                        const Sheet *sheet, GError **error)
{
    if (npu->hbm.bandwidth_bytes_per_s > sheet->memory_bytes_per_s)
        return set_data_sheet_value_error(sheet, "hbm.bandwidth",
                                          npu->hbm.bandwidth_bytes_per_s,
                                          ALL_OF_PEAK, error);
    if (npu->flop_per_s > MAX(sheet->fp16_flop_per_s, sheet->fp32_flop_per_s))
        return set_data_sheet_value_error(sheet, "flops", npu->flop_per_s,
                                          "the data sheet's peak", error);
    if (npu->precisions.fp32.flop_per_s > sheet->fp32_flop_per_s)
        return set_data_sheet_value_error(sheet, "fp32.flops",
                                          npu->precisions.fp32.flop_per_s,
                                          "the data sheet's peak", error);
    if (npu->precisions.fp16.flop_per_s > sheet->fp16_flop_per_s)
        return set_data_sheet_value_error(sheet, "fp16.flops",
                                          npu->precisions.fp16.flop_per_s,
                                          "the data sheet's peak", error);
    if (npu->n_sms > sheet->n_sms)
        return set_data_sheet_value_error(sheet, "sms", npu->n_sms,
                                          "the data sheet's", error);
    return TRUE;
}

/* Returns whether @key belongs to a precision that the NPU lacks. */
static gboolean precision_is_absent(const NpuConfig *npu, const char *key)
{
    return (npu->precisions.fp32.flop_per_s == 0 &&
            g_str_has_prefix(key, "fp32.")) ||
           (npu->precisions.fp16.flop_per_s == 0 &&
            g_str_has_prefix(key, "fp16."));
}

gboolean npu_check_bounds(const NpuConfig *npu, const Sheet *sheet,
                          GError **error)
{
    if (!check_data_sheet_values(npu, sheet, error))
        return FALSE;
    for (const NpuStage *stage = npu_stages; stage->name; stage++)
        for (const NpuParam *param = stage->params; param->key; param++) {
            uint64_t value = get_npu_field_at_path(npu, param->key);

            if (precision_is_absent(npu, param->key) ||
                npu_param_is_default(param, npu))
                continue;
            if ((double)value < param->low)
                return set_data_sheet_value_error(sheet, param->key, value,
                                                  param->low_text, error);
            if ((double)value > param->high)
                return set_data_sheet_value_error(sheet, param->key, value,
                                                  param->high_text, error);
        }
    return TRUE;
}
