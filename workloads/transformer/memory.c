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

static void add_bytes_of_weights(RankMemory *memory, const Sharding *sharding,
                                 const MemoryRules *rules, uint64_t n_weights,
                                 uint64_t n_ranks)
{
    uint64_t n_own = (n_weights + n_ranks - 1) / n_ranks;

    memory->bytes[MEMORY_WEIGHTS] +=
        (sharding->weights ? n_own : n_weights) * rules->weight_bytes;
    memory->bytes[MEMORY_GRADIENTS] +=
        (sharding->gradients ? n_own : n_weights) * rules->gradient_bytes;
    memory->bytes[MEMORY_OPTIMISER] +=
        (sharding->states ? n_own : n_weights) * rules->state_bytes;
}

/* Returns the most weights of @n consecutive items of @groups, an array of
 * TransformerGroup. */
static uint64_t most_weights_of_groups(const GArray *groups, uint64_t n)
{
    uint64_t most = 0;

    for (guint first = 0; first < groups->len; first++) {
        uint64_t sum = 0;

        for (guint i = first; i < groups->len && i - first < n; i++) {
            const TransformerGroup *group =
                &g_array_index(groups, TransformerGroup, i);

            sum += group->n_dense + group->n_experts;
        }
        most = MAX(most, sum);
    }
    return most;
}

/* Adds the weights of @part, of which @n_copies stages have a copy.  Sets
 * *@group_bytes to the bytes of its groups that are whole at a time, if that is
 * more: weights that are gathered for the group in work and for those that are
 * prefetched, and gradients of a group that are not divided yet. */
static void add_part_weights(RankMemory *memory, const Transformer *t,
                             const TransformerPart *part, uint64_t n_copies,
                             const MemoryRules *rules, uint64_t *group_bytes)
{
    g_autoptr(GArray) groups =
        g_array_new(FALSE, FALSE, sizeof(TransformerGroup));
    uint64_t n_dense = 0, n_experts = 0, bytes = 0;

    transformer_list_groups(t, part, groups);
    for (guint i = 0; i < groups->len; i++) {
        const TransformerGroup *group =
            &g_array_index(groups, TransformerGroup, i);

        n_dense += group->n_dense;
        n_experts += group->n_experts;
    }
    add_bytes_of_weights(memory, &t->sharding, rules, n_dense,
                         n_copies * transformer_shard_ranks(t, FALSE).n_ranks);
    add_bytes_of_weights(memory, &t->sharding, rules, n_experts,
                         n_copies * transformer_shard_ranks(t, TRUE).n_ranks);
    if (t->sharding.weights)
        bytes += most_weights_of_groups(groups, t->sharding.n_prefetched + 1) *
                 rules->weight_bytes;
    if (t->sharding.gradients)
        bytes += most_weights_of_groups(groups, 1) * rules->gradient_bytes;
    *group_bytes = MAX(*group_bytes, bytes);
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
                                             const MemoryRules *rules)
{
    RankMemory memory = { 0 };
    uint64_t group_bytes = 0;

    for (uint32_t v = 0; v < schedule->n_virtual_stages; v++) {
        if (!schedule_stage_holds(schedule, stage, v))
            continue;
        add_part_weights(&memory, t, &parts[v],
                         schedule->ops->has_two_directions ? 2 : 1, rules,
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
                                     uint32_t stage, const MemoryRules *rules)
{
    g_autofree uint64_t *bytes =
        bytes_kept_by_chunks(t, schedule, parts, stage);
    RankMemory memory =
        memory_without_activations(t, schedule, parts, stage, rules);
    uint32_t unit;
    uint64_t activations = schedule_peak_bytes(schedule, stage, bytes, &unit);

    return memory_during_unit(schedule, stage, &memory, unit, activations);
}

void transformer_list_unit_memory(const Transformer *t,
                                  const Schedule *schedule,
                                  const TransformerPart *parts, uint32_t stage,
                                  const MemoryRules *rules, GArray *ret)
{
    g_autofree uint64_t *bytes =
        bytes_kept_by_chunks(t, schedule, parts, stage);
    RankMemory memory =
        memory_without_activations(t, schedule, parts, stage, rules);
    guint n = schedule->units[stage]->len;
    g_autofree uint64_t *held = g_new0(uint64_t, n + 1);

    schedule_list_held_bytes(schedule, stage, bytes, held);
    for (guint i = 0; i < n; i++) {
        StageMemory one =
            memory_during_unit(schedule, stage, &memory, i, held[i]);

        g_array_append_val(ret, one);
    }
}
