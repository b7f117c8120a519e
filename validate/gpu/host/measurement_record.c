/* measurement_record.c - writes the origin of the measurements as JSON */
#include "validate/gpu/host/measurement_record.h"

#include <inttypes.h>

#include "validate/gpu/host/clock_throttle_reasons.h"

void record_add_note(RecordNotes *notes, const char *what, const char *why)
{
    if (notes->n < RECORD_NOTES) {
        RecordNote *note = &notes->notes[notes->n];

        (void)snprintf(note->what, sizeof note->what, "%s", what);
        (void)snprintf(note->why, sizeof note->why, "%s", why);
    }
    notes->n++;
}

/* ---- JSON values of the run record --------------------------------------- */

static void write_json_character(FILE *file, unsigned char c)
{
    if (c == '"' || c == '\\')
        (void)fprintf(file, "\\%c", c);
    else if (c == '\n')
        (void)fputs("\\n", file);
    else if (c == '\t')
        (void)fputs("\\t", file);
    else if (c < 0x20)
        (void)fprintf(file, "\\u%04x", c);
    else
        (void)fputc(c < 0x7f ? c : '?', file);
}

void record_write_json_text(FILE *file, const char *text)
{
    (void)fputc('"', file);
    for (; *text != '\0'; text++)
        write_json_character(file, (unsigned char)*text);
    (void)fputc('"', file);
}

/* ---- JSON members: each begins with a comma and a line break ------------- */

static void begin_json_member(FILE *file, const char *key)
{
    (void)fprintf(file, ",\n  \"%s\": ", key);
}

static void add_text_member(FILE *file, const char *key, const char *text)
{
    begin_json_member(file, key);
    if (text[0] != '\0')
        record_write_json_text(file, text);
    else
        (void)fputs("null", file);
}

static void add_count_member(FILE *file, const char *key, uint64_t value)
{
    begin_json_member(file, key);
    (void)fprintf(file, "%" PRIu64, value);
}

static void write_number_or_null(FILE *file, double value)
{
    if (value > 0)
        (void)fprintf(file, "%.1f", value);
    else
        (void)fputs("null", file);
}

static void add_number_or_null(FILE *file, const char *key, double value)
{
    begin_json_member(file, key);
    write_number_or_null(file, value);
}

/* Writes a bit width or a size, or null if the driver does not report it. */
static void add_count_or_null(FILE *file, const char *key, uint64_t value)
{
    if (value != 0)
        add_count_member(file, key, value);
    else
        add_text_member(file, key, "");
}

static void add_version_member(FILE *file, const char *key, int major,
                               int minor)
{
    begin_json_member(file, key);
    (void)fprintf(file, "\"%d.%d\"", major, minor);
}

/* Writes a version that CUDA encodes as 13000 for 13.0. */
static void add_cuda_version_member(FILE *file, const char *key, int version)
{
    add_version_member(file, key, version / 1000, version % 1000 / 10);
}

static void add_clocks_member(FILE *file, const Clocks clocks[N_CLOCKS])
{
    static const char *const places[N_CLOCKS] = { "before", "mid", "after" };

    begin_json_member(file, "clocks");
    for (int i = 0; i < N_CLOCKS; i++) {
        (void)fprintf(file,
                      "%s\n    \"%s\": {\"sm_measured_mhz\": ", i ? "," : "{",
                      places[i]);
        write_number_or_null(file, clocks[i].sm_measured_mhz);
        (void)fputs(", \"sm_nvml_mhz\": ", file);
        write_number_or_null(file, clocks[i].sm_nvml_mhz);
        (void)fputs(", \"memory_nvml_mhz\": ", file);
        write_number_or_null(file, clocks[i].memory_nvml_mhz);
        (void)fputc('}', file);
    }
    (void)fputs("\n  }", file);
}

static void add_interval_member(FILE *file, const char *key, double value)
{
    (void)fprintf(file, ", \"%s\": ", key);
    write_number_or_null(file, value);
}

static void write_sustained_rates(FILE *file, const Sustained *sustained)
{
    char reasons[RECORD_TEXT_SIZE];

    throttle_text(sustained->throttle, reasons, sizeof reasons);
    (void)fputs("{\"case\": ", file);
    record_write_json_text(file, sustained->what);
    add_interval_member(file, "seconds", sustained->seconds);
    add_interval_member(file, "first_us", sustained->first_us);
    add_interval_member(file, "last_us", sustained->last_us);
    add_interval_member(file, "first_mhz", sustained->first_mhz);
    add_interval_member(file, "last_mhz", sustained->last_mhz);
    add_interval_member(file, "most_w", sustained->most_w);
    add_interval_member(file, "limit_w", sustained->limit_w);
    add_interval_member(file, "most_celsius", sustained->most_celsius);
    (void)fputs(", \"throttle\": ", file);
    record_write_json_text(file, reasons);
    (void)fputc('}', file);
}

static void add_sustained_member(FILE *file, const Record *record)
{
    begin_json_member(file, "sustained");
    (void)fputc('[', file);
    for (size_t i = 0; i < record->n_sustained; i++) {
        (void)fputs(i ? ",\n    " : "\n    ", file);
        write_sustained_rates(file, &record->sustained[i]);
    }
    (void)fputs(record->n_sustained ? "\n  ]" : "]", file);
}

/* Writes the SMs of each GPC as the column sms does. */
static void add_gpcs_member(FILE *file, const SmGroups *gpcs)
{
    char text[SM_SET_TEXT];

    begin_json_member(file, "sms_of_gpcs");
    (void)fputc('[', file);
    for (size_t i = 0; i < gpcs->n; i++) {
        sm_set_text(&gpcs->sets[i], text);
        (void)fprintf(file, "%s\"%s\"", i ? ", " : "", text);
    }
    (void)fputc(']', file);
}

static void add_notes_member(FILE *file, const char *key,
                             const RecordNotes *notes)
{
    begin_json_member(file, key);
    (void)fputc('[', file);
    for (size_t i = 0; i < notes->n && i < RECORD_NOTES; i++) {
        (void)fprintf(file, "%s\n    {\"case\": ", i ? "," : "");
        record_write_json_text(file, notes->notes[i].what);
        (void)fputs(", \"why\": ", file);
        record_write_json_text(file, notes->notes[i].why);
        (void)fputc('}', file);
    }
    (void)fputs(notes->n ? "\n  ]" : "]", file);
}

/* ---- members of the run record ------------------------------------------- */

static void write_device_members(FILE *file, const Record *record)
{
    add_version_member(file, "compute_capability",
                       record->compute_capability[0],
                       record->compute_capability[1]);
    add_count_member(file, "n_sms", record->n_sms);
    add_gpcs_member(file, &record->gpcs);
    add_count_member(file, "l2_bytes", record->l2_bytes);
    add_count_member(file, "memory_bytes", record->memory_bytes);
    add_count_member(file, "shared_bytes_per_block",
                     record->shared_bytes_per_block);
    add_number_or_null(file, "sm_max_mhz", record->sm_max_mhz);
    add_number_or_null(file, "memory_max_mhz", record->memory_max_mhz);
    add_count_or_null(file, "memory_bus_bits", record->memory_bus_bits);
    add_clocks_member(file, record->clocks);
    add_text_member(file, "driver", record->driver);
    add_cuda_version_member(file, "cuda_driver", record->cuda_driver_version);
    add_cuda_version_member(file, "cuda_runtime", record->cuda_runtime_version);
    add_version_member(file, "nvcc", record->nvcc_version[0],
                       record->nvcc_version[1]);
    add_text_member(file, "cublas", record->cublas);
    add_text_member(file, "cublas_missing", record->cublas_missing);
    add_text_member(file, "host_compiler", record->host_compiler);
}

static void write_run_members(FILE *file, const Record *record)
{
    add_text_member(file, "date_utc", record->date_utc);
    add_text_member(file, "command_line", record->command_line);
    add_count_member(file, "repetitions", record->repetitions);
    add_count_member(file, "passes", record->n_passes);
    add_count_member(file, "seed", record->seed);
    add_number_or_null(file, "duration_s", record->duration_s);
    begin_json_member(file, "complete");
    (void)fputs(record->is_complete ? "true" : "false", file);
    add_count_member(file, "n_rows", record->n_rows);
    add_count_member(file, "n_left_out", record->n_left_out);
    add_sustained_member(file, record);
    add_count_member(file, "n_failed", record->failed.n);
    add_notes_member(file, "failed", &record->failed);
    add_count_member(file, "n_skipped", record->skipped.n);
    add_notes_member(file, "skipped", &record->skipped);
}

void record_write_json(FILE *file, const Record *record)
{
    (void)fputs("{\n  \"device\": ", file);
    record_write_json_text(file, record->device_name);
    write_device_members(file, record);
    write_run_members(file, record);
    (void)fputs("\n}\n", file);
}
