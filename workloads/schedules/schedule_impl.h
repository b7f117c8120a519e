/* schedule_impl.h - helpers of the kinds of schedules; private to schedules/ */
#ifndef WORKLOADS_SCHEDULES_SCHEDULE_IMPL_H
#define WORKLOADS_SCHEDULES_SCHEDULE_IMPL_H

#include "workloads/schedules/schedule.h"

/* The fields of ScheduleCommon, for field tables whose struct @Struct has a
 * member .common. */
#define SCHEDULE_COMMON_FIELDS(Struct)                                         \
    { .key = "micro_batches",                                                  \
      .help = "that pass through the pipeline in an iteration",                \
      .type = CONFIG_COUNT,                                                    \
      .offset = offsetof(Struct, common.n_micro_batches),                      \
      .min = 1,                                                                \
      .max = SCHEDULE_MAX_MICRO_BATCHES,                                       \
      .may_be_auto = TRUE,                                                     \
      .fallback = "auto",                                                      \
      .source = "derived from the batch, or one" },                            \
    {                                                                          \
        .key = "chunks", .help = "virtual stages on each stage",               \
        .type = CONFIG_COUNT, .offset = offsetof(Struct, common.n_chunks),     \
        .min = 1, .max = SCHEDULE_MAX_CHUNKS, .may_be_auto = TRUE,             \
        .fallback = "auto", .source = "as few as the schedule can have"        \
    }

/* The fields and params of kinds that have no others. */
typedef struct {
    ScheduleCommon common;
} PlainSchedule;

extern const ConfigField plain_schedule_fields[];

static inline void schedule_append_unit(GArray *units, UnitPass pass,
                                        uint32_t chunk, uint32_t micro_batch)
{
    const ScheduleUnit unit = { .pass = pass,
                                .chunk = chunk,
                                .micro_batch = micro_batch };

    g_array_append_val(units, unit);
}

/* Refuses fewer micro-batches than stages. */
G_GNUC_WARN_UNUSED_RESULT
gboolean schedule_check_micro_batches(const char *name, uint32_t least,
                                      const char *what,
                                      const ScheduleShape *shape,
                                      const ConfigNode *node, GError **error);

/* Appends the list of a schedule with one chunk that fills idle time with
 * weight passes: @n_warm_up forward passes, then input and forward passes by
 * turns.  The weight pass of a micro-batch follows @delay input passes
 * later. */
void schedule_list_zero_bubble(const ScheduleShape *shape, uint32_t n_warm_up,
                               uint32_t delay, GArray *units);

#endif
