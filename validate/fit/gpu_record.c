#include "validate/fit/gpu_record.h"

#include "sim/core/config_node.h"

/* JSON is YAML; a text in quotes is a scalar like any other. */
static const char *text_at(const GpuRecord *record, const char *path,
                           GError **error)
{
    const ConfigNode *node = config_doc_find(record->doc, path);
    const char *text = config_node_text(node);

    if (!text)
        config_set_error(error, node, CONFIG_ERROR_MISSING_KEY,
                         "%s is missing: not a record of measurements", path);
    return text;
}

static gboolean read_record(GpuRecord *record, GError **error)
{
    const char *clock, *complete;

    record->device = text_at(record, "device", error);
    if (!record->device)
        return FALSE;
    record->date_utc = text_at(record, "date_utc", error);
    if (!record->date_utc)
        return FALSE;
    record->driver = text_at(record, "driver", error);
    if (!record->driver)
        return FALSE;
    complete = text_at(record, "complete", error);
    if (!complete)
        return FALSE;
    record->is_complete = g_str_equal(complete, "true");
    clock = text_at(record, "clocks.mid.sm_measured_mhz", error);
    if (!clock)
        return FALSE;
    record->clock_mhz = g_ascii_strtod(clock, NULL);
    if (record->clock_mhz > 0)
        return TRUE;
    config_set_error(error,
                     config_doc_find(record->doc, "clocks.mid.sm_measured_mhz"),
                     CONFIG_ERROR_RANGE, "the clock of the SMs is not known");
    return FALSE;
}

GpuRecord *gpu_record_load(const char *path, GError **error)
{
    g_autoptr(GpuRecord) record = g_new0(GpuRecord, 1);

    record->doc = config_doc_load(path, error);
    if (!record->doc || !read_record(record, error))
        return NULL;
    return g_steal_pointer(&record);
}

void gpu_record_free(GpuRecord *record)
{
    if (!record)
        return;
    config_doc_free(record->doc);
    g_free(record);
}
