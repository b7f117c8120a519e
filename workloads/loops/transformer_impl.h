/*
 * transformer_impl.h - the parameters of the loop `transformer`, shared by its
 * two files
 */
#ifndef WORKLOADS_LOOPS_TRANSFORMER_IMPL_H
#define WORKLOADS_LOOPS_TRANSFORMER_IMPL_H

#include "workloads/loop_impl.h"
#include "workloads/parallelism_plans.h"
#include "workloads/schedules/schedule.h"
#include "workloads/sharding/sharding.h"
#include "workloads/transformer/stage_passes.h"

typedef enum {
    CP_ALL_GATHER,
    CP_RING,
} CpExchange;

/* The names of CpExchange, then NULL. */
extern const char *const cp_exchange_names[];

typedef struct {
    MeshConfig mesh;
    gboolean divides_sequence;
    uint64_t n_pieces, n_copies;
    int cp_exchange; /* CpExchange */
} ParallelConfig;

typedef struct {
    uint64_t global, micro;
    const ConfigNode *node;
} BatchConfig;

typedef struct {
    WorkloadCommon common;
    LanguageModel model;
    uint64_t sequence;
    ConfigList documents; /* of PackedDocument */
    ExpertLoadConfig load;
    ExpertExchange exchange;
    BatchConfig batch;
    ParallelConfig parallel;
    ConfigVariant schedule, shard;
    ConfigList recompute; /* of int: RecomputeWord */
    int attention;
    uint64_t elementwise_ppm;
    TransformerHost host;
} TransformerParams;

/* Returns what is recomputed; nothing if the words do not go together. */
static inline RecomputeSet
transformer_recompute(const TransformerParams *params)
{
    RecomputeSet set;

    return recompute_read(&params->recompute, &set, NULL) ? set : 0;
}

/* The layers of a training step by virtual stage, without its operations. */
typedef struct {
    const Schedule *schedule;     /* borrowed by the callback, as all below */
    const TransformerPart *parts; /* by virtual stage */
    uint64_t boundary_bytes;      /* passed on to the next virtual stage */
    uint64_t memory_bytes;        /* of the fullest rank */
} TransformerStages;

/* Divides the step among the stages, and calls @use.  Returns FALSE without a
 * call if @params are not valid. */
G_GNUC_WARN_UNUSED_RESULT
gboolean transformer_visit_stages(
    const TransformerParams *params, const TrainingConfig *training,
    uint32_t n_npus,
    void (*use)(gpointer self, const TransformerStages *stages), gpointer self);

extern const PlanOps transformer_plan_ops;

#endif
