/*
 * schedule_from_file.c - a schedule that the user writes
 *
 * `units` is a list of texts, one for each stage, in which each unit is a
 * letter and two numbers: F, B, I or W (forward, backward, input, weight), the
 * micro-batch, and after a dot the chunk if it is not 0.  Example for two
 * stages and two micro-batches:
 *
 *   schedule: {kind: file, units: ["F0 F1 B0 B1", "F0 B0 F1 B1"]}
 *
 * A plus joins two units that go on side by side, so that collectives of one
 * are behind kernels of the other, as in a pair of dualpipe:
 *
 *   schedule: {kind: file, units: ["F0 F1+B0 B1"]}
 */
#include "workloads/schedules/schedule_impl.h"

typedef struct {
    ScheduleCommon common;
    ConfigList units; /* of const char * */
} FileParams;

static const ConfigField file_text = { .type = CONFIG_NAME };

static const ConfigField file_fields[] = {
    SCHEDULE_COMMON_FIELDS(FileParams),
    { .key = "units",
      .help = "one text for each stage, such as 'F0 F1 B0 B1'",
      .type = CONFIG_LIST,
      .offset = offsetof(FileParams, units),
      .min = 1,
      .max = SCHEDULE_MAX_STAGES,
      .item = &file_text,
      .item_size = sizeof(const char *) },
    CONFIG_END,
};

/* Reads one unit and moves *@at behind it.  Returns FALSE if there is none, or
 * if the unit after a plus is missing. */
static gboolean read_schedule_unit(const char **at, ScheduleUnit *ret)
{
    static const char letters[] = { [UNIT_FORWARD] = 'F',
                                    [UNIT_BACKWARD] = 'B',
                                    [UNIT_INPUT] = 'I',
                                    [UNIT_WEIGHT] = 'W' };
    uint64_t number;
    gchar *end;

    *ret = (ScheduleUnit){ .pass = UNIT_N_PASSES };
    for (UnitPass pass = 0; pass < UNIT_N_PASSES; pass++)
        if (**at == letters[pass])
            ret->pass = pass;
    if (ret->pass == UNIT_N_PASSES || !g_ascii_isdigit((*at)[1]))
        return FALSE;
    number = g_ascii_strtoull(*at + 1, &end, 10);
    if (number >= SCHEDULE_MAX_MICRO_BATCHES)
        return FALSE;
    ret->micro_batch = (uint32_t)number;
    if (*end == '.') {
        if (!g_ascii_isdigit(end[1]))
            return FALSE;
        number = g_ascii_strtoull(end + 1, &end, 10);
        if (number >= SCHEDULE_MAX_CHUNKS)
            return FALSE;
        ret->chunk = (uint32_t)number;
    }
    ret->is_paired = *end == '+';
    if (ret->is_paired && !g_ascii_isupper(*++end))
        return FALSE;
    if (!ret->is_paired && *end != '\0' && *end != ' ')
        return FALSE;
    while (*end == ' ')
        end++;
    *at = end;
    return TRUE;
}

static const char *text_of_stage(const FileParams *params, uint32_t stage)
{
    const char *const *texts = params->units.items;

    return texts[stage];
}

static gboolean file_check(gconstpointer params, const ScheduleShape *shape,
                           const ConfigNode *node, GError **error)
{
    const FileParams *file_params = params;

    if (file_params->units.n != shape->n_stages) {
        config_set_error(
            error, node, CONFIG_ERROR_CONFLICT,
            "schedule: there are lists of units for %u stages, and "
            "the pipeline has %u",
            file_params->units.n, shape->n_stages);
        return FALSE;
    }
    for (uint32_t s = 0; s < file_params->units.n; s++) {
        const char *at = text_of_stage(file_params, s);
        ScheduleUnit unit = { .is_paired = FALSE };

        while (*at != '\0') {
            gboolean is_second = unit.is_paired;

            if (!read_schedule_unit(&at, &unit) ||
                (is_second && unit.is_paired)) {
                config_set_error(error, node, CONFIG_ERROR_SYNTAX,
                                 "schedule: stage %u: expected a unit such as "
                                 "F0, B0, I0.1 or W3, or a pair such as F1+B0, "
                                 "got '%.20s'",
                                 s, at);
                return FALSE;
            }
        }
    }
    return TRUE;
}

static void file_list(gconstpointer params, const ScheduleShape *shape,
                      uint32_t stage, GArray *units)
{
    const char *at = text_of_stage(params, stage);
    ScheduleUnit unit;

    (void)shape;
    while (*at != '\0' && read_schedule_unit(&at, &unit))
        g_array_append_val(units, unit);
}

const ScheduleOps schedule_file = {
    .base = { .name = "file",
              .summary = "units written out, one text for each stage",
              .fields = file_fields,
              .size = sizeof(FileParams) },
    .check = file_check,
    .splits_backward = TRUE,
    .list = file_list,
};
