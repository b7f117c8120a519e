/* kernel_timing.c - the times of single kernels on an NPU, by the models of
 * runs */
#include "sim/study/kernel_timing.h"

#include <inttypes.h>

#include "sim/core/csv.h"
#include "sim/study/csv_columns.h"
#include "sim/study/load_run_file.h"

#define MAX_KERNELS 100000

static const ConfigField kernel_item = {
    .key = "kernel",
    .help = "one kernel",
    .type = CONFIG_KIND,
    .registry = &kernel_registry,
};

const ConfigField kernels_fields[] = {
    { .key = "npu",
      .help = "that runs them",
      .type = CONFIG_SECTION,
      .offset = offsetof(KernelsFile, npu),
      .fields = npu_fields },
    { .key = "kernels",
      .help = "each with the NPU to itself",
      .type = CONFIG_LIST,
      .offset = offsetof(KernelsFile, kernels),
      .min = 1,
      .max = MAX_KERNELS,
      .item = &kernel_item,
      .item_size = sizeof(ConfigVariant) },
    CONFIG_END,
};

const ConfigVariant *kernels_entry_at(const KernelsFile *file, guint i)
{
    return (const ConfigVariant *)file->kernels.items + i;
}

static gboolean check_kernel_entry(const KernelsFile *file,
                                   const ConfigVariant *kernel, GError **error)
{
    uint64_t n_sms = kernel_common(kernel)->n_sms;

    if (n_sms <= file->npu.n_sms)
        return kernel_check(kernel, error);
    config_set_error(error, kernel->node, CONFIG_ERROR_CONFLICT,
                     "sms: %" PRIu64 ", and the NPU has %" PRIu64, n_sms,
                     file->npu.n_sms);
    return FALSE;
}

gboolean kernels_check_file(const KernelsFile *file, GError **error)
{
    for (guint i = 0; i < file->kernels.n; i++)
        if (!check_kernel_entry(file, kernels_entry_at(file, i), error))
            return FALSE;
    return TRUE;
}

ConfigDoc *kernels_load_file(const char *path, char *const *sets,
                             KernelsFile *file, GError **error)
{
    g_autoptr(ConfigDoc) doc = load_run_or_sweep_file(path, error);

    if (!doc)
        return NULL;
    for (; sets && *sets; sets++)
        if (!load_apply_setting(doc, *sets, error))
            return NULL;
    if (!config_doc_read(doc, kernels_fields, file, error))
        return NULL;
    if (!kernels_check_file(file, error))
        return NULL;
    return g_steal_pointer(&doc);
}

static const char *name_of_kernel_time_bound(const ComputeAlone *time)
{
    SimTime most_ps = MAX(time->arithmetic_ps, time->memory_ps);

    return time->launch_ps > most_ps               ? "launch"
           : time->arithmetic_ps > time->memory_ps ? "arithmetic"
                                                   : "memory";
}

KernelTime kernels_time_on_npu(const NpuConfig *npu,
                               const ConfigVariant *kernel)
{
    const KernelCommon *common = kernel_common(kernel);
    KernelTime ret = { .n_sms = common->n_sms ? common->n_sms : npu->n_sms };
    OpWork works[KERNEL_MAX_WORKS];
    SimTime longest_ps = 0;

    kernel_list_works(kernel, works);
    for (guint i = 0; i < KERNEL_MAX_WORKS; i++) {
        ComputeAlone one;

        if (works[i].flop == 0 && works[i].bytes == 0 && i > 0)
            break;
        one = compute_times_on_whole_hbm(npu, &works[i], ret.n_sms);
        if (i == 0 || one.total_ps > longest_ps) {
            longest_ps = one.total_ps;
            ret.bound = name_of_kernel_time_bound(&one);
        }
        ret.time.total_ps = sim_time_add(ret.time.total_ps, one.total_ps);
        ret.time.launch_ps = sim_time_add(ret.time.launch_ps, one.launch_ps);
        ret.time.arithmetic_ps =
            sim_time_add(ret.time.arithmetic_ps, one.arithmetic_ps);
        ret.time.memory_ps = sim_time_add(ret.time.memory_ps, one.memory_ps);
        ret.flop = layer_add_saturating(ret.flop, works[i].flop);
        ret.bytes = layer_add_saturating(ret.bytes, works[i].bytes);
        ret.in_flight_bytes =
            MAX(ret.in_flight_bytes, works[i].in_flight_bytes);
        ret.n_kernels =
            layer_add_saturating(ret.n_kernels, op_work_n_kernels(&works[i]));
    }
    return ret;
}

/* ---- the times of kernels as CSV ----------------------------------------- */

typedef struct {
    const ConfigVariant *kernel; /* borrowed */
    const KernelCommon *common;
    KernelTime time;
} KernelRowData;

static void append_name_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_text(out, at->common->name);
}

static void append_kind_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_text(out, at->kernel->kind->name);
}

static void append_precision_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_text(out, precision_names[at->common->precision]);
}

static void append_sms_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_u64(out, at->time.n_sms);
}

static void append_launches_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_u64(out, at->time.n_kernels);
}

static void append_flop_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_u64(out, at->time.flop);
}

static void append_bytes_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_u64(out, at->time.bytes);
}

static void append_in_flight_bytes_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_u64(out, at->time.in_flight_bytes);
}

static void append_time_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_fixed(out, at->time.time.total_ps, 6);
}

static void append_launch_time_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_fixed(out, at->time.time.launch_ps, 6);
}

static void append_arithmetic_time_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_fixed(out, at->time.time.arithmetic_ps, 6);
}

static void append_memory_time_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_fixed(out, at->time.time.memory_ps, 6);
}

static void append_bound_cell(GString *out, gconstpointer row)
{
    const KernelRowData *at = row;

    csv_add_text(out, at->time.bound);
}

static const Column kernel_columns[] = {
    { "name", UNIT_TEXT, append_name_cell },
    { "kind", UNIT_TEXT, append_kind_cell },
    { "precision", UNIT_TEXT, append_precision_cell },
    { "sms", UNIT_COUNT, append_sms_cell },
    { "launches", UNIT_COUNT, append_launches_cell },
    { "flop", UNIT_COUNT, append_flop_cell },
    { "bytes", UNIT_COUNT, append_bytes_cell },
    { "in_flight_bytes", UNIT_BYTES, append_in_flight_bytes_cell },
    { "time_us", UNIT_US, append_time_cell },
    { "launch_us", UNIT_US, append_launch_time_cell },
    { "arithmetic_us", UNIT_US, append_arithmetic_time_cell },
    { "memory_us", UNIT_US, append_memory_time_cell },
    { "bound", UNIT_TEXT, append_bound_cell },
    { 0 },
};

GString *kernels_to_csv(const KernelsFile *file)
{
    GString *out = g_string_new(NULL);

    columns_append_header(out, kernel_columns);
    for (guint i = 0; i < file->kernels.n; i++) {
        const ConfigVariant *kernel = kernels_entry_at(file, i);
        const KernelRowData at = { kernel, kernel_common(kernel),
                                   kernels_time_on_npu(&file->npu, kernel) };

        columns_append_row(out, kernel_columns, &at);
    }
    return out;
}
