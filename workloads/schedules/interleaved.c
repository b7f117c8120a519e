/*
 * interleaved.c - 1F1B with several chunks on each stage [MEGATRON2]
 *
 * Micro-batches go through the chunks in groups of p: the p micro-batches of a
 * group pass chunk 0, then chunk 1, and so on.  Backward passes have the same
 * order with the chunks reversed.  Stage s begins with
 * 2 (p - 1 - s) + (v - 1) p forward passes.
 */
#include "workloads/schedules/schedule_impl.h"

static gboolean interleaved_check(gconstpointer params,
                                  const ScheduleShape *shape,
                                  const ConfigNode *node, GError **error)
{
    (void)params;
    if (!schedule_check_micro_batches("interleaved", shape->n_stages,
                                      "as many micro-batches as stages", shape,
                                      node, error))
        return FALSE;
    if (shape->n_micro_batches % shape->n_stages == 0)
        return TRUE;
    config_set_error(error, node, CONFIG_ERROR_CONFLICT,
                     "schedule: interleaved passes groups of %u micro-batches, "
                     "one for each stage, and %u micro-batches are no whole "
                     "number of groups; use a multiple of %u",
                     shape->n_stages, shape->n_micro_batches, shape->n_stages);
    return FALSE;
}

/* Adds the forward or backward pass number @k of a stage. */
static void add_pass_of_chunk(const ScheduleShape *shape, UnitPass pass,
                              uint32_t k, GArray *units)
{
    uint32_t p = shape->n_stages, v = shape->n_chunks;
    uint32_t chunk = k % (p * v) / p;

    schedule_append_unit(units, pass,
                         pass == UNIT_FORWARD ? chunk : v - 1 - chunk,
                         k / (p * v) * p + k % p);
}

static void interleaved_list(gconstpointer params, const ScheduleShape *shape,
                             uint32_t stage, GArray *units)
{
    uint32_t p = shape->n_stages;
    uint32_t n = shape->n_micro_batches * shape->n_chunks;
    uint32_t n_warm_up =
        MIN(n, 2 * (p - 1 - stage) + (shape->n_chunks - 1) * p);

    (void)params;
    for (uint32_t k = 0; k < n_warm_up; k++)
        add_pass_of_chunk(shape, UNIT_FORWARD, k, units);
    for (uint32_t k = 0; k + n_warm_up < n; k++) {
        add_pass_of_chunk(shape, UNIT_FORWARD, n_warm_up + k, units);
        add_pass_of_chunk(shape, UNIT_BACKWARD, k, units);
    }
    for (uint32_t k = n - n_warm_up; k < n; k++)
        add_pass_of_chunk(shape, UNIT_BACKWARD, k, units);
}

const ScheduleOps schedule_interleaved = {
    .base = { .name = "interleaved",
              .summary = "1f1b with several chunks on each stage",
              .fields = plain_schedule_fields,
              .size = sizeof(PlainSchedule) },
    .check = interleaved_check,
    .list = interleaved_list,
};
