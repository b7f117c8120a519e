/* schedules.c - the table of pipeline schedules, and what the kinds share */
#include "workloads/schedules/schedule_impl.h"

const char *const unit_pass_names[UNIT_N_PASSES + 1] = {
    [UNIT_FORWARD] = "forward", [UNIT_BACKWARD] = "backward",
    [UNIT_INPUT] = "input",     [UNIT_WEIGHT] = "weight",
    [UNIT_N_PASSES] = NULL,
};

/* To add a schedule, add a file, and a line with its ScheduleOps here. */
/* clang-format off */
#define SCHEDULES(Add)      \
    Add(schedule_gpipe) \
    Add(schedule_1f1b) \
    Add(schedule_interleaved) \
    Add(schedule_zb_h1) \
    Add(schedule_zb_h2) \
    Add(schedule_zb_v) \
    Add(schedule_dualpipe) \
    Add(schedule_forward) \
    Add(schedule_file)
/* clang-format on */

#define DECLARE(Schedule) extern const ScheduleOps Schedule;
#define KIND(Schedule)    &Schedule.base,

SCHEDULES(DECLARE)

static const ConfigKind *const schedule_kinds[] = { SCHEDULES(KIND) NULL };

const ConfigRegistry schedule_registry = { .noun = "schedule",
                                           .kinds = schedule_kinds };

/* ---- shared by the kinds ------------------------------------------------ */

const ConfigField plain_schedule_fields[] = {
    SCHEDULE_COMMON_FIELDS(PlainSchedule),
    CONFIG_END,
};

gboolean schedule_check_micro_batches(const char *name, uint32_t least,
                                      const char *what,
                                      const ScheduleShape *shape,
                                      const ConfigNode *node, GError **error)
{
    if (shape->n_micro_batches >= least)
        return TRUE;
    config_set_error(error, node, CONFIG_ERROR_CONFLICT,
                     "schedule: %s needs at least %s (%u), and there are %u "
                     "micro-batches; use more micro-batches or another "
                     "schedule",
                     name, what, least, shape->n_micro_batches);
    return FALSE;
}

void schedule_list_zero_bubble(const ScheduleShape *shape, uint32_t n_warm_up,
                               uint32_t delay, GArray *units)
{
    uint32_t n = shape->n_micro_batches;
    uint32_t n_forward = MIN(n, n_warm_up), n_weight = 0;

    for (uint32_t i = 0; i < n_forward; i++)
        schedule_append_unit(units, UNIT_FORWARD, 0, i);
    for (uint32_t i = 0; i < n; i++) {
        schedule_append_unit(units, UNIT_INPUT, 0, i);
        if (i >= n_weight + delay)
            schedule_append_unit(units, UNIT_WEIGHT, 0, n_weight++);
        if (n_forward < n)
            schedule_append_unit(units, UNIT_FORWARD, 0, n_forward++);
    }
    while (n_weight < n)
        schedule_append_unit(units, UNIT_WEIGHT, 0, n_weight++);
}

/* ---- a schedule --------------------------------------------------------- */

static gboolean check_number_of_units(const Schedule *schedule,
                                      const ConfigNode *node, GError **error)
{
    const ScheduleShape *shape = &schedule->shape;
    double n = 3.0 * shape->n_stages * shape->n_chunks * shape->n_micro_batches;

    if (n <= SCHEDULE_MAX_UNITS)
        return TRUE;
    config_set_error(error, node, CONFIG_ERROR_RANGE,
                     "schedule: %u stages, %u chunks and %u micro-batches make "
                     "about %.3g units, more than %d",
                     shape->n_stages, shape->n_chunks, shape->n_micro_batches,
                     n, SCHEDULE_MAX_UNITS);
    return FALSE;
}

/* Sets the number of chunks. */
static gboolean choose_number_of_chunks(const ConfigVariant *kind,
                                        ScheduleShape *shape, GError **error)
{
    const ScheduleOps *ops = (const ScheduleOps *)kind->kind;
    uint64_t given = schedule_common(kind)->n_chunks;

    shape->n_chunks = ops->n_chunks > 0      ? ops->n_chunks
                      : given == CONFIG_AUTO ? 1
                                             : (uint32_t)given;
    if (given == CONFIG_AUTO || given == shape->n_chunks)
        return TRUE;
    config_set_error(error, kind->node, CONFIG_ERROR_CONFLICT,
                     "chunks: %s has %u on each stage, not %" G_GUINT64_FORMAT
                     "; 'interleaved' can have several",
                     ops->base.name, shape->n_chunks, given);
    return FALSE;
}

Schedule *schedule_new(const ConfigVariant *kind, uint32_t n_stages,
                       uint32_t n_micro_batches, GError **error)
{
    const ScheduleOps *ops = (const ScheduleOps *)kind->kind;
    const ScheduleCommon *common = schedule_common(kind);
    const ConfigNode *node = kind->node;
    g_autoptr(Schedule) schedule = g_new0(Schedule, 1);
    ScheduleShape *shape = &schedule->shape;
    g_autofree char *fault = NULL;

    schedule->ops = ops;
    schedule->params = kind->params;
    shape->n_stages = n_stages;
    shape->n_micro_batches = common->n_micro_batches == CONFIG_AUTO
                                 ? n_micro_batches
                                 : (uint32_t)common->n_micro_batches;
    if (!choose_number_of_chunks(kind, shape, error))
        return NULL;
    schedule->n_virtual_stages = ops->has_two_directions
                                     ? shape->n_stages
                                     : shape->n_stages * shape->n_chunks;
    if (!check_number_of_units(schedule, node, error) ||
        (ops->check && !ops->check(kind->params, shape, node, error)))
        return NULL;
    schedule->units = g_new0(GArray *, shape->n_stages);
    for (uint32_t s = 0; s < shape->n_stages; s++) {
        schedule->units[s] = g_array_new(FALSE, FALSE, sizeof(ScheduleUnit));
        ops->list(kind->params, shape, s, schedule->units[s]);
    }
    if (!schedule_replay(schedule, NULL, NULL, NULL, &fault)) {
        config_set_error(error, node, CONFIG_ERROR_CONFLICT, "schedule: %s",
                         fault);
        return NULL;
    }
    return g_steal_pointer(&schedule);
}

void schedule_free(Schedule *schedule)
{
    if (!schedule)
        return;
    for (uint32_t s = 0; schedule->units && s < schedule->shape.n_stages; s++)
        if (schedule->units[s])
            g_array_unref(schedule->units[s]);
    g_free(schedule->units);
    g_free(schedule);
}
