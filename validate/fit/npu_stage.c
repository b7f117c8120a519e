#include "validate/fit/npu_stage.h"

#include <math.h>
#include <string.h>

#include "sim/core/quantity.h"

G_DEFINE_QUARK(acesim - npu - fit - error - quark, npu_fit_error)

#define NS          1e3
#define PERCENT     1e4
#define ALL_OF_PEAK "all of the data sheet's bandwidth"

/* Usual values are about the middle of what V100, A100, H200, L40 and MI210
 * have when each is fitted to all of its training rows. */
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
    { .key = NULL },
};

/* Copies are one mix of reads and writes: what memories lose by the way they
 * are made differs more than what they lose by turning round. */
static const NpuParam bandwidth_params[] = { EFFICIENCY(8),
                                             TURNAROUND,
                                             { .key = NULL } };

static const NpuParam launch_params[] = {
    { "launch_overhead", 200 * NS, 20000 * NS, "a graph's node",
      "a launch from a sleeping host", 2200 * NS, 1, TRUE },
    { .key = NULL },
};

static const char *const streams[] = { "init", "read", "scale", NULL };
static const char *const copies[] = { "babelstream copy", "babelstream mul",
                                      NULL };
static const char *const launches[] = { "small kernels", NULL };

const NpuStage npu_stages[] = {
    { "memory", streams, memory_params },
    { "bandwidth", copies, bandwidth_params },
    { "launch", launches, launch_params },
    { .name = NULL },
};

gboolean npu_stage_has_family(const NpuStage *stage, const char *family)
{
    return g_strv_contains(stage->families, family);
}

/* ---- keys --------------------------------------------------------------- */

static const ConfigField *field_in(const ConfigField *fields, const char *key,
                                   gsize length)
{
    for (; fields->key; fields++)
        if (strlen(fields->key) == length &&
            memcmp(fields->key, key, length) == 0)
            return fields;
    g_assert_not_reached();
}

const ConfigField *npu_key(const char *path, size_t *ret_offset)
{
    const char *dot = strchr(path, '.');
    const ConfigField *field =
        field_in(npu_fields, path, dot ? (gsize)(dot - path) : strlen(path));

    *ret_offset = field->offset;
    if (dot) {
        g_assert(field->type == CONFIG_SECTION);
        field = field_in(field->fields, dot + 1, strlen(dot + 1));
        *ret_offset += field->offset;
    }
    g_assert(field->type <= CONFIG_FRACTION);
    return field;
}

uint64_t npu_key_get(const NpuConfig *npu, const char *path)
{
    uint64_t value;
    size_t offset;

    npu_key(path, &offset);
    memcpy(&value, (const char *)npu + offset, sizeof value);
    return value;
}

void npu_key_set(NpuConfig *npu, const char *path, uint64_t value)
{
    size_t offset;

    npu_key(path, &offset);
    memcpy((char *)npu + offset, &value, sizeof value);
}

void npu_fit_init(NpuConfig *npu, const Sheet *sheet)
{
    g_autofree char *clock = quantity_format(sheet->clock_hz, CONFIG_FREQUENCY);
    g_autofree char *flops =
        quantity_format(sheet->fp16_flop_per_s, CONFIG_FLOPS);
    g_autofree char *bandwidth =
        quantity_format(sheet->memory_bytes_per_s, CONFIG_BANDWIDTH);
    g_autofree char *text =
        g_strdup_printf("sms: %" G_GUINT64_FORMAT
                        "\nclock: %s\nflops: %s\nhbm: {bandwidth: %s}\n",
                        sheet->n_sms, clock, flops, bandwidth);
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(sheet->npu, text, strlen(text), &error);

    if (!doc || !config_doc_read(doc, npu_fields, npu, &error))
        g_error("%s", error->message);
    for (const NpuStage *stage = npu_stages; stage->name; stage++)
        for (const NpuParam *p = stage->params; p->key; p++)
            npu_key_set(npu, p->key, (uint64_t)llround(p->usual));
}

/* ---- bounds ------------------------------------------------------------- */

static gboolean refuse(const Sheet *sheet, const char *key, uint64_t value,
                       const char *beyond, GError **error)
{
    size_t offset;
    g_autofree char *text = quantity_format(value, npu_key(key, &offset)->type);

    g_set_error(error, NPU_FIT_ERROR, NPU_FIT_ERROR_BOUND,
                "%s: %s is %s, beyond %s", sheet->npu, key, text, beyond);
    return FALSE;
}

static gboolean check_sheet(const NpuConfig *npu, const Sheet *sheet,
                            GError **error)
{
    if (npu->hbm.bandwidth_bytes_per_s > sheet->memory_bytes_per_s)
        return refuse(sheet, "hbm.bandwidth", npu->hbm.bandwidth_bytes_per_s,
                      ALL_OF_PEAK, error);
    if (npu->flop_per_s > MAX(sheet->fp16_flop_per_s, sheet->fp32_flop_per_s))
        return refuse(sheet, "flops", npu->flop_per_s, "the data sheet's peak",
                      error);
    if (npu->n_sms > sheet->n_sms)
        return refuse(sheet, "sms", npu->n_sms, "the data sheet's", error);
    return TRUE;
}

gboolean npu_fit_check(const NpuConfig *npu, const Sheet *sheet, GError **error)
{
    if (!check_sheet(npu, sheet, error))
        return FALSE;
    for (const NpuStage *stage = npu_stages; stage->name; stage++)
        for (const NpuParam *p = stage->params; p->key; p++) {
            uint64_t value = npu_key_get(npu, p->key);

            if ((double)value < p->low)
                return refuse(sheet, p->key, value, p->low_is, error);
            if ((double)value > p->high)
                return refuse(sheet, p->key, value, p->high_is, error);
        }
    return TRUE;
}
