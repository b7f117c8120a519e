/* memory.c - bytes that a rank of a language model holds; see memory.h */
#include "workloads/transformer/memory.h"

#include "workloads/transformer/modules/modules.h"

/* Returns what @module keeps: its input and the mask of a dropout if it is
 * recomputed. */
static ModuleKept activations_kept_by_module(const Transformer *t,
                                             const ModuleOps *module)
{
    if (!module->kept)
        return (ModuleKept){ 0 };
    return module_is_recomputed(t, module)
               ? (ModuleKept){ .by_token = transformer_tp_group_values(t) *
                                           (t->value_bytes +
                                            (t->model.has_dropout ? 1 : 0)) }
               : module->kept(t);
}

/* Returns the activations that one layer keeps for one micro-batch. */
static uint64_t transformer_layer_activations(const Transformer *t,
                                              uint64_t layer)
{
    uint64_t tp = transformer_tp_ranks(t),
             of_tokens = t->divides_sequence ? tp : 1;
    const ModuleOps *modules[MODULES_MAX];
    guint n = modules_of_layer(&t->model, layer, modules);
    uint64_t bytes = 0;

    if (recompute_has(t->recompute, RECOMPUTE_FULL))
        return transformer_tp_group_values(t) * t->value_bytes / of_tokens;
    for (guint i = 0; i < n; i++) {
        ModuleKept kept = activations_kept_by_module(t, modules[i]);

        bytes += kept.by_token / of_tokens + kept.divided / tp;
    }
    return bytes;
}

/* Returns the activations that @part keeps for a micro-batch. */
static uint64_t activations_kept_by_part(const Transformer *t,
                                         const TransformerPart *part)
{
    uint64_t bytes = 0;

    for (uint64_t layer = part->first; layer < part->end; layer++)
        bytes += transformer_layer_activations(t, layer);
    return bytes;
}

/* Adds the weights of @part, of which @n_copies stages have a copy.  Sets
 * *@group_bytes to the bytes of its groups that are whole at a time, if that is
 * more. */
static void add_part_weights(RankMemory *memory, const Transformer *t,
                             const TransformerPart *part, uint32_t n_copies,
                             const WeightBytes *of_weight,
                             uint64_t *group_bytes)
{
    g_autoptr(GArray) groups =
        g_array_new(FALSE, FALSE, sizeof(TransformerGroup));
    g_autofree uint64_t *n_of_groups = NULL;
    uint64_t n_dense = 0, n_experts = 0;

    transformer_list_groups(t, part, groups);
    n_of_groups = g_new(uint64_t, groups->len);
    for (guint i = 0; i < groups->len; i++) {
        const TransformerGroup *group =
            &g_array_index(groups, TransformerGroup, i);

        n_dense += group->n_dense;
        n_experts += group->n_experts;
        n_of_groups[i] = group->n_dense + group->n_experts;
    }
    sharding_add_memory(&t->sharding, of_weight, n_dense,
                        n_copies * transformer_shard_ranks(t, FALSE).n_ranks,
                        memory);
    sharding_add_memory(&t->sharding, of_weight, n_experts,
                        n_copies * transformer_shard_ranks(t, TRUE).n_ranks,
                        memory);
    *group_bytes =
        MAX(*group_bytes, sharding_whole_group_bytes(&t->sharding, of_weight,
                                                     n_of_groups, groups->len));
}

#define LOSS_BYTES UINT64_C(4)

/* Returns how many neighbours of virtual stage @v are on another stage. */
static uint64_t count_remote_neighbours(const Schedule *schedule, uint32_t v)
{
    uint32_t stage = schedule_place(schedule, v, 0).stage;
    uint64_t n = 0;

    if (v > 0 && schedule_place(schedule, v - 1, 0).stage != stage)
        n++;
    if (v + 1 < schedule->n_virtual_stages &&
        schedule_place(schedule, v + 1, 0).stage != stage)
        n++;
    return n;
}

/* Returns the most bytes of communication buffers of a module of @part. */
static uint64_t most_buffer_bytes_of_module(const Transformer *t,
                                            const TransformerPart *part)
{
    uint64_t most = 0;

    for (uint64_t layer = part->first; layer < part->end; layer++) {
        const ModuleOps *modules[MODULES_MAX];
        guint n = modules_of_layer(&t->model, layer, modules);

        for (guint i = 0; i < n; i++)
            if (modules[i]->buffer_bytes)
                most = MAX(most, modules[i]->buffer_bytes(t));
    }
    return most;
}

/* Returns the bytes of the buffers of @stage, of which one virtual stage works
 * at a time. */
static uint64_t communication_buffer_bytes(const Transformer *t,
                                           const Schedule *schedule,
                                           const TransformerPart *parts,
                                           uint32_t stage)
{
    uint64_t n = transformer_rank_tokens(t), most = 0;

    for (uint32_t v = 0; v < schedule->n_virtual_stages; v++) {
        uint64_t bytes =
            t->divides_sequence ? n * t->model.hidden * t->value_bytes : 0;

        if (!schedule_stage_holds(schedule, stage, v))
            continue;
        bytes += most_buffer_bytes_of_module(t, &parts[v]);
        bytes += 2 * count_remote_neighbours(schedule, v) *
                 transformer_boundary_bytes(t);
        if (parts[v].has_head)
            bytes += (1 + t->model.mtp_depth) * n * t->model.vocabulary /
                     transformer_tp_ranks(t) * (t->value_bytes + LOSS_BYTES);
        most = MAX(most, bytes);
    }
    return most;
}

/* Returns the bytes that a micro-batch keeps in each chunk of @stage; the
 * caller owns the array. */
static uint64_t *bytes_kept_by_chunks(const Transformer *t,
                                      const Schedule *schedule,
                                      const TransformerPart *parts,
                                      uint32_t stage)
{
    uint64_t *bytes = g_new0(uint64_t, schedule->shape.n_chunks);
    guint n_directions = schedule->ops->has_two_directions ? 2 : 1;

    for (uint32_t v = 0; v < schedule->n_virtual_stages; v++)
        for (guint i = 0; i < n_directions; i++) {
            SchedulePlace at = schedule_place(
                schedule, v, i * (schedule->shape.n_micro_batches - 1));

            if (at.stage == stage)
                bytes[at.chunk] += activations_kept_by_part(t, &parts[v]);
        }
    return bytes;
}

/* Returns the memory of @stage without activations. */
static RankMemory memory_without_activations(const Transformer *t,
                                             const Schedule *schedule,
                                             const TransformerPart *parts,
                                             uint32_t stage,
                                             const WeightBytes *of_weight)
{
    RankMemory memory = { 0 };
    uint64_t group_bytes = 0;

    for (uint32_t v = 0; v < schedule->n_virtual_stages; v++) {
        if (!schedule_stage_holds(schedule, stage, v))
            continue;
        add_part_weights(&memory, t, &parts[v],
                         schedule->ops->has_two_directions ? 2 : 1, of_weight,
                         &group_bytes);
    }
    memory.bytes[MEMORY_BUFFERS] =
        communication_buffer_bytes(t, schedule, parts, stage) + group_bytes;
    return memory;
}

/* Returns @memory with @activations, during unit @i of @stage. */
static StageMemory memory_during_unit(const Schedule *schedule, uint32_t stage,
                                      const RankMemory *memory, uint32_t i,
                                      uint64_t activations)
{
    const ScheduleUnit *unit =
        &g_array_index(schedule->units[stage], ScheduleUnit, i);
    StageMemory ret = { .peak = *memory,
                        .stage = stage,
                        .pass = unit_pass_names[unit->pass],
                        .unit = i,
                        .chunk = unit->chunk,
                        .micro_batch = unit->micro_batch };

    ret.peak.bytes[MEMORY_ACTIVATIONS] = activations;
    return ret;
}

StageMemory transformer_stage_memory(const Transformer *t,
                                     const Schedule *schedule,
                                     const TransformerPart *parts,
                                     uint32_t stage,
                                     const WeightBytes *of_weight)
{
    g_autofree uint64_t *bytes =
        bytes_kept_by_chunks(t, schedule, parts, stage);
    RankMemory memory =
        memory_without_activations(t, schedule, parts, stage, of_weight);
    uint32_t unit;
    uint64_t activations = schedule_peak_bytes(schedule, stage, bytes, &unit);

    return memory_during_unit(schedule, stage, &memory, unit, activations);
}

void transformer_list_unit_memory(const Transformer *t,
                                  const Schedule *schedule,
                                  const TransformerPart *parts, uint32_t stage,
                                  const WeightBytes *of_weight, GArray *ret)
{
    g_autofree uint64_t *bytes =
        bytes_kept_by_chunks(t, schedule, parts, stage);
    RankMemory memory =
        memory_without_activations(t, schedule, parts, stage, of_weight);
    guint n = schedule->units[stage]->len;
    g_autofree uint64_t *held = g_new0(uint64_t, n + 1);

    schedule_list_held_bytes(schedule, stage, bytes, held);
    for (guint i = 0; i < n; i++) {
        StageMemory one =
            memory_during_unit(schedule, stage, &memory, i, held[i]);

        g_array_append_val(ret, one);
    }
}
