/*
 * parallelism_plans.h - the ways to divide the work of a loop among the NPUs
 *
 * A plan has a value for each key of PlanKey.  It does the same work as the
 * file: the same model, batch and sequence on all NPUs.  A loop that has plans
 * lists those that are valid, with the memory of the fullest rank, and reckons
 * how long a step takes from the times of single layers.
 *
 * These times come from samples: runs of a few of the model's layers, for one
 * micro-batch and without a pipeline, on the same NPUs.  The difference of two
 * samples is the time of a layer.  The pipeline schedule is then replayed with
 * the times of the layers of each virtual stage.
 *
 * Units    bytes, ps
 * Owner    the caller owns texts and arrays
 */
#ifndef WORKLOADS_PARALLELISM_PLANS_H
#define WORKLOADS_PARALLELISM_PLANS_H

#include "sim/config/config.h"
#include "workloads/machine_facts.h"

typedef enum {
    PLAN_TP,
    PLAN_CP,
    PLAN_PP,
    PLAN_EP,
    PLAN_DP,
    PLAN_SCHEDULE, /* index of its registry */
    PLAN_CHUNKS,   /* virtual stages of a stage; 1: the schedule's own number */
    PLAN_MICRO,
    PLAN_SHARD,   /* index of its registry */
    PLAN_OVERLAP, /* 1: gradients and weights are communicated beside kernels */
    PLAN_RECOMPUTE,   /* a greater value repeats more */
    PLAN_CP_EXCHANGE, /* index of the names of parallel.cp_exchange */
    PLAN_PIECES,
    PLAN_N_KEYS,
} PlanKey;

/* The names of the keys, then NULL. */
extern const char *const plan_key_names[PLAN_N_KEYS + 1];

typedef struct {
    uint64_t values[PLAN_N_KEYS];
    uint64_t memory_bytes; /* of the fullest rank */
} WorkloadPlan;

typedef struct {
    uint32_t n_npus;
    uint64_t most_tp; /* the largest PLAN_TP */
    guint n_kept;     /* bit k: plans have the file's value of key k */
} PlanLimits;

/* The times of the passes of one micro-batch through some layers, and of the
 * exchange of their gradients and the optimiser's step. */
typedef struct {
    uint64_t forward_ps, input_ps, weight_ps, update_ps;
} PlanTimes;

#define PLAN_MAX_SAMPLES 8

struct TrainingConfig;

typedef struct {
    /* Appends the valid plans to @ret, an array of WorkloadPlan, in a fixed
     * order, and the plan of the file as the first if it is valid; returns
     * whether it is. */
    gboolean (*list)(const ConfigVariant *workload,
                     const struct TrainingConfig *training,
                     const PlanLimits *limits, GArray *ret);
    /* Returns lines of "KEY=VALUE", with keys of the workload. */
    char *(*sets)(const ConfigVariant *workload, const WorkloadPlan *plan);
    /* Returns @plan in a few words. */
    char *(*summary)(const ConfigVariant *workload, const WorkloadPlan *plan);
    /* Writes the numbers of layers of the samples, in ascending order, and
     * returns how many there are. */
    guint (*sample_layers)(const ConfigVariant *workload,
                           uint64_t ret[PLAN_MAX_SAMPLES]);
    /* Returns the lines of a sample of @n_layers layers.  They are equal for
     * plans whose layers take the same times. */
    char *(*sample_sets)(const ConfigVariant *workload,
                         const WorkloadPlan *plan, uint64_t n_layers);
    /* Returns whether gradients or weights are communicated for each
     * micro-batch, so that this is a part of the passes. */
    gboolean (*exchanges_in_passes)(const WorkloadPlan *plan);
    /* Returns the time of a step.  @samples are the times of the samples, and
     * messages between stages take their bytes at @bytes_per_s; 0: no time. */
    uint64_t (*step_ps)(const ConfigVariant *workload,
                        const struct TrainingConfig *training,
                        const PlanLimits *limits, const WorkloadPlan *plan,
                        const PlanTimes *samples, uint64_t bytes_per_s);
    /* Appends changes of the plan of the file to @ret, whose elements are
     * char **: lists of "KEY=VALUE", with keys of the workload.  Only changes
     * that are valid and fit the memory are listed: smaller micro-batches,
     * gradients beside kernels, the other exchange of cp, other schedules, and
     * other divisions among tp, pp and dp. */
    void (*list_alternatives)(const ConfigVariant *workload,
                              const struct TrainingConfig *training,
                              const WorkloadSite *site, GPtrArray *ret);
} PlanOps;

#endif
