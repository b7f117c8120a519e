/*
 * schedule.h - pipeline schedules: the order in which each stage runs its units
 *
 * The layers of a model are divided into virtual stages.  A pipeline of p
 * stages (sets of NPUs) holds them in chunks: a stage with one chunk holds one
 * virtual stage, an interleaved stage holds several.  A unit is one pass of one
 * micro-batch through one chunk.  A schedule is a pure function: it gives each
 * stage the list of its units and knows neither times nor networks.
 *
 * A unit waits for the unit before it in the list of its stage, and for
 *
 *   forward    the forward pass of the previous virtual stage
 *   backward   its own forward pass, and the backward pass of the next virtual
 *              stage
 *   input      the same; the gradients of inputs only
 *   weight     its own input pass; the gradients of weights
 *
 * Each kind is one file in this folder and one line in the table of
 * schedules.c.  schedule_replay() checks a schedule; every kind passes it.
 *
 * Units    units, picoseconds
 * Errors   CONFIG_ERROR at the node that is passed
 * Owner    the caller owns all arrays
 */
#ifndef WORKLOADS_SCHEDULES_SCHEDULE_H
#define WORKLOADS_SCHEDULES_SCHEDULE_H

#include "sim/config/config.h"

typedef enum {
    UNIT_FORWARD,
    UNIT_BACKWARD, /* gradients of inputs and weights in one pass */
    UNIT_INPUT,
    UNIT_WEIGHT,
    UNIT_N_PASSES,
} UnitPass;

extern const char *const unit_pass_names[UNIT_N_PASSES + 1];

typedef struct {
    UnitPass pass;
    uint32_t chunk; /* of the stage */
    uint32_t micro_batch;
    /* This unit and the next one of the list run side by side: communication of
     * one beside kernels of the other. */
    gboolean is_paired;
} ScheduleUnit;

typedef struct {
    uint32_t n_stages;        /* of the pipeline, at least 1 */
    uint32_t n_chunks;        /* of each stage */
    uint32_t n_micro_batches; /* at least 1 */
} ScheduleShape;

/* The place of a virtual stage. */
typedef struct {
    uint32_t stage, chunk;
} SchedulePlace;

typedef struct {
    ConfigKind base;
    /* Chunks of each stage; 0: ScheduleShape.n_chunks. */
    uint32_t n_chunks;
    /* Each stage holds two copies of the weights of two virtual stages, one for
     * each direction of the pipeline; see dualpipe.c. */
    gboolean has_two_directions;
    gboolean has_no_backward;
    /* Backward passes are, or may be, divided into passes for the gradients of
     * inputs and of weights. */
    gboolean splits_backward;
    /* Checks the shape, and the parameters; NULL: all are possible. */
    gboolean (*check)(gconstpointer params, const ScheduleShape *shape,
                      const ConfigNode *node, GError **error);
    /* Returns where @virtual_stage of @micro_batch runs.  NULL: virtual stage v
     * is chunk v / n_stages of stage v mod n_stages. */
    SchedulePlace (*place)(const ScheduleShape *shape, uint32_t virtual_stage,
                           uint32_t micro_batch);
    /* Appends the units of @stage, in order, to @units, an array of
     * ScheduleUnit. */
    void (*list)(gconstpointer params, const ScheduleShape *shape,
                 uint32_t stage, GArray *units);
} ScheduleOps;

extern const ConfigRegistry schedule_registry;

/* Parameters of every kind; the first member of each params struct. */
typedef struct {
    uint64_t n_micro_batches; /* CONFIG_AUTO: what the workload makes of them */
    uint64_t n_chunks;
} ScheduleCommon;

/* A schedule for one shape. */
typedef struct {
    const ScheduleOps *ops; /* static */
    gconstpointer params;   /* borrowed */
    ScheduleShape shape;    /* .n_chunks is the real number */
    uint32_t n_virtual_stages;
    GArray **units; /* owned: by stage, of ScheduleUnit */
} Schedule;

#define SCHEDULE_MAX_STAGES        4096
#define SCHEDULE_MAX_CHUNKS        256
#define SCHEDULE_MAX_MICRO_BATCHES 65536
#define SCHEDULE_MAX_UNITS         10000000 /* of all stages */

static inline const ScheduleCommon *schedule_common(const ConfigVariant *kind)
{
    return kind->params;
}

/* Returns the schedule of @n_stages stages.  @n_micro_batches is the number if
 * the file gives none.  Returns NULL with @error set at the schedule. */
G_GNUC_WARN_UNUSED_RESULT
Schedule *schedule_new(const ConfigVariant *kind, uint32_t n_stages,
                       uint32_t n_micro_batches, GError **error);
void schedule_free(Schedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Schedule, schedule_free)

SchedulePlace schedule_place(const Schedule *schedule, uint32_t virtual_stage,
                             uint32_t micro_batch);
/* Returns whether @stage holds @virtual_stage, for any micro-batch. */
gboolean schedule_stage_holds(const Schedule *schedule, uint32_t stage,
                              uint32_t virtual_stage);
/* Returns the virtual stage that @chunk of @stage holds for @micro_batch. */
uint32_t schedule_virtual_stage(const Schedule *schedule, uint32_t stage,
                                uint32_t chunk, uint32_t micro_batch);

/* The time of a unit by pass; a backward unit takes .input_ps + .weight_ps. */
typedef struct ScheduleTimes {
    uint64_t forward_ps, input_ps, weight_ps;
    /* from the end of a unit to the start of its neighbour on another stage */
    uint64_t message_ps;
    /* Borrowed: by virtual stage, in place of the times of a unit above; NULL:
     * all virtual stages take those. */
    const struct ScheduleTimes *by_virtual_stage;
} ScheduleTimes;

typedef struct {
    uint64_t makespan_ps;
    uint64_t work_ps; /* the largest of a stage */
    /* The largest time from the first to the last unit of a stage, less its
     * work. */
    uint64_t bubble_ps;
    /* The largest number of activations of chunks that a stage holds: a forward
     * pass adds one, and the pass that reads it last removes it. */
    uint32_t most_in_flight;
} ScheduleFigures;

/* A unit by its stage and its index in the stage's list. */
typedef struct {
    uint32_t stage, unit;
} ScheduleStep;

/* Executes the schedule.  Returns FALSE and a sentence in *@ret_fault, which
 * the caller frees, if a unit is missing or stands twice, is on the wrong
 * stage, comes before a unit of its stage that it needs, or never begins.
 * @ret_order, if not NULL, gets the units of all stages in an order in which
 * each stands behind those that it waits for; its elements are
 * ScheduleStep. */
G_GNUC_WARN_UNUSED_RESULT
gboolean schedule_replay(const Schedule *schedule, const ScheduleTimes *times,
                         ScheduleFigures *ret, GArray *ret_order,
                         char **ret_fault);

/* Writes to @ret[i] the bytes that @stage holds during its unit i if a
 * micro-batch keeps @chunk_bytes[c] in chunk c from its forward pass until the
 * end of its last pass. */
void schedule_list_held_bytes(const Schedule *schedule, uint32_t stage,
                              const uint64_t *chunk_bytes, uint64_t *ret);

/* Returns the most of these bytes.  Sets *@ret_unit, unless it is NULL, to the
 * first unit of the stage that has it. */
uint64_t schedule_peak_bytes(const Schedule *schedule, uint32_t stage,
                             const uint64_t *chunk_bytes, uint32_t *ret_unit);

#endif
