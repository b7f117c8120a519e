/* soak_case.c - draws random systems as structs of numbers */
#include "tests/soak/soak_case.h"

#include "models/collectives/dimension_orders.h"
#include "sim/core/rng.h"

/* ---- drawing of random numbers ------------------------------------------- */

/* Returns a number in [@min, @max].  @i distinguishes numbers of one
 * name. */
static uint64_t draw_soak_number(const SoakCase *c, const char *name,
                                 uint64_t i, uint64_t min, uint64_t max)
{
    return min + rng_value_at_indices(rng_new_stream(c->seed, name), i, 0, 0) %
                     (max - min + 1);
}

/* Returns a number in [@min, @max]; all orders of magnitude have the same
 * probability. */
static uint64_t draw_log_uniform_number(const SoakCase *c, const char *name,
                                        uint64_t i, uint64_t min, uint64_t max)
{
    uint64_t doublings = 0;

    while (min << (doublings + 1) <= max)
        doublings++;
    min <<= draw_soak_number(c, name, 2 * i, 0, doublings);
    return draw_soak_number(c, name, 2 * i + 1, min, MIN(max, 2 * min - 1));
}

static gboolean draw_with_chance(const SoakCase *c, const char *name,
                                 uint64_t percent)
{
    return draw_soak_number(c, name, 0, 1, 100) <= percent;
}

/* Returns a number like draw_log_uniform_number(), or with a probability of 50
 * % a power of two.  Powers of two make many events happen at the same time. */
static uint64_t draw_round_number(const SoakCase *c, const char *name,
                                  uint64_t i, uint64_t min, uint64_t max)
{
    uint64_t value = draw_log_uniform_number(c, name, i, min, max);
    uint64_t power = 1;

    while (2 * power <= value)
        power *= 2;
    return power >= min && (value + i) % 2 ? power : value;
}

/* ---- drawing of the parts of a system ------------------------------------ */

static void draw_soak_topology(SoakCase *c)
{
    uint64_t shape = draw_soak_number(c, "topology", 0, 0, 9);

    c->topology = shape == 0   ? SOAK_SWITCH
                  : shape == 1 ? SOAK_FULL
                               : SOAK_TORUS;
    c->n_dims =
        c->topology == SOAK_TORUS ? draw_soak_number(c, "dims", 0, 1, 3) : 1;
    for (uint64_t d = 0; d < c->n_dims; d++) {
        SoakDim *dim = &c->dims[d];

        dim->size = draw_soak_number(c, "size", d, d == 0 ? 2 : 1,
                                     c->n_dims == 1   ? 12
                                     : c->n_dims == 2 ? 5
                                                      : 4);
        dim->one_way = draw_soak_number(c, "one_way", d, 0, 2) == 0;
        dim->n_links = draw_soak_number(c, "links", d, 1, 3) *
                       (c->topology == SOAK_TORUS && !dim->one_way ? 2 : 1);
        dim->mb_per_s = draw_round_number(c, "bandwidth", d, 1000, 400000);
        dim->latency_ns = draw_soak_number(c, "latency", d, 0, 4) * 200;
        dim->efficiency_percent =
            draw_soak_number(c, "efficiency", d, 0, 1) ? 100 : 94;
    }
}

static void draw_soak_npu(SoakCase *c)
{
    c->n_sms = draw_soak_number(c, "sms", 0, 8, 128);
    c->clock_mhz = draw_soak_number(c, "clock", 0, 0, 1) ? 1000 : 1245;
    c->gflops = draw_log_uniform_number(c, "flops", 0, 1000, 300000);
    c->launch_ns = draw_soak_number(c, "launch", 0, 0, 2) * 1000;
    c->bus_mb_per_s = draw_log_uniform_number(c, "bus", 0, 50000, 1000000);
    c->hbm_mb_per_s = draw_log_uniform_number(c, "hbm", 0, 100000, 3000000);
    c->side_mb_per_s = c->hbm_mb_per_s / 10;
    c->shared = draw_with_chance(c, "policy", 40);
    c->turnaround_percent = draw_with_chance(c, "turns", 30) ? 20 : 0;
    c->comm_weight = draw_soak_number(c, "weight", 0, 1, 3);
    c->tile = draw_with_chance(c, "tiles", 20) ? 128 : 0;
}

/* SMs and bandwidth of the endpoint leave some for computation and for the side
 * stream. */
static void draw_soak_endpoint(SoakCase *c)
{
    uint64_t kind = draw_soak_number(c, "endpoint", 0, 0, 9);

    c->endpoint = kind == 0 ? SOAK_IDEAL : kind < 6 ? SOAK_ACE : SOAK_BASELINE;
    c->message_cycles = draw_soak_number(c, "cycles", 0, 0, 2);
    c->share_mb_per_s =
        draw_soak_number(c, "share", 0, 5, 80) * c->hbm_mb_per_s / 100;
    c->endpoint_sms = draw_soak_number(c, "endpoint_sms", 0, 1, c->n_sms - 4);
    c->sram_bytes =
        c->chunk_bytes * draw_log_uniform_number(c, "sram", 0, 8, 128);
    c->n_fsms = draw_soak_number(c, "fsms", 0, 6, 16);
    c->chunks_per_fsm = draw_soak_number(c, "chunks_per_fsm", 0, 1, 4);
    c->n_alus = draw_soak_number(c, "alus", 0, 1, 4);
    c->alu_bytes = UINT64_C(1) << draw_soak_number(c, "alu", 0, 3, 7);
    if (draw_with_chance(c, "splits", 50)) {
        c->sram_split = draw_soak_number(c, "sram_split", 0, 0, 3);
        c->fsm_split = draw_soak_number(c, "fsm_split", 0, 0, 1);
    }
    c->only_while_communicating = draw_with_chance(c, "gives_back", 30);
}

/* Returns a collective in which all ranks do the same, without a root. */
static CollKind draw_unrooted_kind(const SoakCase *c)
{
    return (CollKind)draw_soak_number(c, "kind", 0, 0, COLL_ALL_TO_ALL);
}

/* Makes each layer take the outputs of the previous one. */
static void make_layers_a_chain(SoakCase *c)
{
    for (uint64_t i = 1; i < c->n_layers; i++)
        c->layers[i].a = c->layers[i - 1].b;
}

static void draw_soak_workload(SoakCase *c)
{
    c->work = (SoakWork)draw_soak_number(c, "work", 0, 0, 3);
    if (c->work != SOAK_COLLECTIVE && draw_with_chance(c, "shards", 40))
        c->sharding =
            draw_soak_number(c, "sharding", 0, 1, SOAK_N_SHARDINGS - 1);
    c->kind = draw_unrooted_kind(c);
    if (draw_with_chance(c, "rooted", 25))
        c->kind = (CollKind)draw_soak_number(c, "rooted", 1, COLL_BROADCAST,
                                             COLL_SCATTER);
    c->payload_bytes =
        c->chunk_bytes * draw_log_uniform_number(c, "payload", 0, 1, 12) -
        draw_soak_number(c, "odd", 0, 0, 1) *
            draw_soak_number(c, "odd", 1, 0, 63);
    c->repeat = draw_soak_number(c, "repeat", 0, 1, 4);
    c->batch = draw_soak_number(c, "batch", 0, 1, 64);
    c->n_layers = draw_soak_number(c, "layers", 0, 1, SOAK_MAX_LAYERS);
    for (uint64_t i = 0; i < c->n_layers; i++) {
        SoakLayer *layer = &c->layers[i];

        layer->a = draw_log_uniform_number(c, "in", i, 32, 512);
        layer->b = draw_log_uniform_number(c, "out", i, 32, 256);
        for (uint64_t t = 0; t < 3; t++)
            layer->time_ns[t] =
                draw_log_uniform_number(c, "time", 3 * i + t, 200, 40000);
    }
    if (c->work == SOAK_LINEAR)
        make_layers_a_chain(c);
    c->n_iterations = draw_soak_number(c, "iterations", 0, 1, 3);
    /* A sharding needs overlap. */
    c->overlap = c->sharding > 0 || draw_with_chance(c, "overlap", 75);
    c->optimised = draw_with_chance(c, "optimised", 50);
    c->drain = draw_with_chance(c, "drain", 70);
}

static void draw_soak_collectives(SoakCase *c)
{
    c->chunk_bytes = draw_round_number(c, "chunk", 0, 4096, 65536);
    c->message_bytes = draw_round_number(c, "message", 0, 1024, 32768);
    c->packet_bytes = draw_round_number(c, "packet", 0, 64, 1024);
    c->window = draw_log_uniform_number(c, "window", 0, 1, 128);
    c->scheduler = draw_soak_number(c, "scheduler", 0, 0, 2);
    c->preempt = draw_with_chance(c, "preempt", 60);
    c->packet_fidelity = draw_with_chance(c, "fidelity", 8);
    c->order = draw_soak_number(c, "order", 0, 0, 2);
    c->algorithm = draw_soak_number(c, "algorithm", 0, 0, 5);
    if (c->algorithm > 3)
        c->algorithm = COLL_AUTO;
    /* The algorithm halving-doubling needs a power of two and no torus. */
    if (c->algorithm == 2 && (c->topology == SOAK_TORUS ||
                              (c->dims[0].size & (c->dims[0].size - 1)) != 0))
        c->algorithm = COLL_AUTO;
}

static void draw_soak_perturbations(SoakCase *c)
{
    c->perturbed = draw_with_chance(c, "perturb", 30);
    c->jitter_percent = draw_with_chance(c, "jitters", 50)
                            ? draw_soak_number(c, "jitter", 0, 1, 100)
                            : 0;
    c->distribution = draw_soak_number(c, "distribution", 0, 0, 2);
    c->slow_npu_percent = draw_soak_number(c, "slow_npu", 0, 100, 300);
    c->slow_link_percent = draw_soak_number(c, "slow_link", 0, 20, 100);
}

void soak_case_init(SoakCase *c, uint64_t seed)
{
    *c = (SoakCase){ .seed = seed };
    draw_soak_topology(c);
    draw_soak_npu(c);
    draw_soak_collectives(c);
    draw_soak_endpoint(c);
    draw_soak_workload(c);
    draw_soak_perturbations(c);
}

void soak_case_make_chain(SoakCase *c)
{
    if (c->work == SOAK_DLRM) {
        c->work = SOAK_LINEAR;
        make_layers_a_chain(c);
    }
    if (c->kind >= COLL_ALL_TO_ALL)
        c->kind = COLL_ALL_REDUCE;
    c->sharding = 0;
    c->algorithm = 1;
    c->repeat = 1;
    c->window = 1;
    /* The scheduler must be fifo. If NPUs are not synchronised, lifo lets a
     * collective overtake another. */
    c->scheduler = 1;
    c->message_bytes = UINT64_C(1) << 40;
    c->overlap = FALSE;
}

void soak_case_make_exact(SoakCase *c)
{
    c->topology = c->topology == SOAK_FULL ? SOAK_FULL : SOAK_TORUS;
    c->n_dims = 1;
    if (c->topology == SOAK_TORUS) {
        c->dims[0].one_way = TRUE;
        c->kind = COLL_ALL_REDUCE;
    } else {
        c->kind = COLL_ALL_TO_ALL;
    }
    c->dims[0].n_links = 1;
    c->dims[0].efficiency_percent = 100;
    c->work = SOAK_COLLECTIVE;
    c->sharding = 0;
    c->repeat = 1;
    c->payload_bytes = c->payload_bytes * c->dims[0].size;
    c->chunk_bytes = c->message_bytes = UINT64_C(1) << 40;
    c->endpoint = SOAK_IDEAL;
    c->message_cycles = 0;
    c->algorithm = 0;
    c->perturbed = c->packet_fidelity = FALSE;
}

/* Sets the fallbacks of the configuration's field tables. */
static void set_default_values(SoakCase *c)
{
    c->kind = draw_unrooted_kind(c);
    c->chunk_bytes = c->message_bytes = c->window = CONFIG_AUTO;
    c->packet_bytes = 256;
    c->scheduler = 0;
    c->preempt = TRUE;
    c->algorithm = COLL_AUTO;
    c->order = COLL_ORDER_AUTO;
    c->packet_fidelity = c->perturbed = FALSE;
    c->message_cycles = 1;
    c->sram_bytes = 4 * 1024 * 1024;
    c->n_fsms = 16;
    c->chunks_per_fsm = 4;
    c->n_alus = 4;
    c->alu_bytes = 64;
    c->sram_split = c->fsm_split = 0;
    c->only_while_communicating = FALSE;
    c->shared = FALSE;
    c->turnaround_percent = c->tile = 0;
    c->comm_weight = 1;
}

void soak_case_make_default(SoakCase *c, SoakVariant variant)
{
    c->defaults = TRUE;
    set_default_values(c);
    if (variant == SOAK_SIZES_GIVEN) {
        c->chunk_bytes = 64 * 1024;
        c->message_bytes = 8 * 1024;
        c->window = 64;
    }
    if (variant == SOAK_SPLIT_BY_LATENCY) {
        c->sram_split = 3;
        c->fsm_split = 1;
    }
    for (uint64_t d = 0; d < c->n_dims; d++)
        c->dims[d].n_links =
            c->topology == SOAK_TORUS && !c->dims[d].one_way ? 2 : 1;
    c->hbm_mb_per_s = draw_log_uniform_number(c, "hbm", 1, 500000, 3000000);
    c->side_mb_per_s = c->hbm_mb_per_s / 10;
    if (c->endpoint == SOAK_ACE)
        c->share_mb_per_s = 128000;
    else
        c->share_mb_per_s =
            draw_soak_number(c, "share", 1, 5, 60) * c->hbm_mb_per_s / 100;
    c->payload_bytes =
        draw_log_uniform_number(c, "payload", 1, 64 * 1024, 16 << 20);
    for (uint64_t i = 0; i < c->n_layers; i++) {
        c->layers[i].a *= c->work == SOAK_MEASURED ? 64 : 8;
        c->layers[i].b *= 8;
        for (uint64_t t = 0; t < 3; t++)
            c->layers[i].time_ns[t] *= 20;
    }
}

uint32_t soak_case_n_npus(const SoakCase *c)
{
    uint64_t n = 1;

    for (uint64_t d = 0; d < c->n_dims; d++)
        n *= c->dims[d].size;
    return (uint32_t)n;
}

gboolean soak_case_only_slows(const SoakCase *c)
{
    return !c->perturbed || c->jitter_percent == 0;
}

gboolean soak_case_is_split_by_rates(const SoakCase *c)
{
    return c->endpoint == SOAK_ACE && c->sram_split + c->fsm_split > 0;
}
