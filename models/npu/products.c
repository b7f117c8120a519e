/* products.c - chooses the fastest tiles of a matrix product by trying all
 * sizes */
#include "models/npu/products.h"

#define PPM    UINT64_C(1000000)
#define NARROW 16 /* largest shorter side of a narrow product */
/* The number of parts per SM of a narrow product.  It is large so that the time
 * varies smoothly. */
#define NARROW_PARTS 64
/* The minimum number of terms of a part of a sum. */
#define LEAST_PART 64
/* The bytes moved for a partial result: an FP32 number, written and read. */
#define PART_BYTES 8
/* The number of kernels that transform the input, the filter and the output for
 * Winograd's algorithm. */
#define N_TRANSFORMS  3
#define WINOGRAD_SIDE 3 /* side of filters that can be transformed */
#define MAX_SUM       (UINT64_C(1) << 53)

static const uint64_t tile_sides[] = { 32, 64, 128, 256 };
static const uint64_t n_parts_of_a_sum[] = { 1, 2, 4, 8, 16, 32, 64 };

/* Parallel products, and the data moved for them. */
typedef struct {
    uint64_t m, n, k, n_products;
    uint64_t part_ppm;   /* share of the efficiency that these products reach */
    uint64_t least_tile; /* smallest side of a tile */
    uint64_t value_bytes;
    uint64_t bytes; /* size of operands and results */
    uint64_t phase_bytes, more_ps;
    gboolean is_whole; /* the sums over k must not be split into parts */
} Task;

typedef struct {
    const ProductNpu *npu;
    OpCut best;
    SimTime least_ps;
} Search;

static uint64_t saturated(SimWide value)
{
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

static uint64_t mul(uint64_t a, uint64_t b)
{
    return saturated((SimWide)a * b);
}

static uint64_t ceil_div(uint64_t n, uint64_t by)
{
    return n / by + (n % by > 0);
}

static SimTime wide_div_up(SimWide n, SimWide by)
{
    return saturated(n / by + (n % by > 0));
}

static SimTime moved_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    if (bytes == 0)
        return 0;
    return bytes_per_s == 0 ? SIM_TIME_MAX
                            : sim_time_from_bytes(bytes, bytes_per_s);
}

SimTime product_arithmetic_ps(const WaveConfig *waves, uint64_t n_all,
                              const OpCut *cut, uint64_t n_sms)
{
    return n_sms == 0 ? SIM_TIME_MAX
                      : waves_of_tiles_ps(waves, n_all, cut->tile_ps,
                                          cut->n_tiles, n_sms);
}

/* Keeps @cut as the best result of @search if it is the fastest so far. */
static void consider(Search *search, const OpCut *cut, uint64_t bytes)
{
    const ProductNpu *npu = search->npu;
    uint64_t all_bytes = sim_time_add(bytes, cut->more_bytes);
    SimTime ps =
        MAX(product_arithmetic_ps(npu->waves, npu->n_sms, cut, npu->n_sms),
            moved_ps(all_bytes, npu->bytes_per_s));

    ps = sim_time_add(ps, moved_ps(cut->phase_bytes, npu->bytes_per_s));
    ps = sim_time_add(ps, cut->more_ps);
    if (ps >= search->least_ps)
        return;
    search->least_ps = ps;
    search->best = *cut;
}

/* Returns the time of a tile of @x x @y results for sums over @k, as products.h
 * defines it.  The caller keeps @k below 2^53, so products stay below 2^127. */
static SimTime time_of_tile_ps(const ProductNpu *npu, const Task *task,
                               uint64_t x, uint64_t y, uint64_t k)
{
    SimWide per_s = (SimWide)npu->precision->flop_per_s *
                    npu->precision->efficiency_ppm / PPM * task->part_ppm / PPM;
    SimWide flop = (SimWide)(2 * x * y) * k * npu->n_sms * SIM_PS_PER_SEC;
    SimWide bytes = (SimWide)((x + y) * task->value_bytes) * k * SIM_PS_PER_SEC;

    return sim_time_add(MAX(wide_div_up(flop, MAX(per_s, 1)), 1),
                        wide_div_up(bytes, MAX(npu->operand_bytes_per_s, 1)));
}

static void consider_parts(Search *search, const Task *task, uint64_t x,
                           uint64_t y, uint64_t n_parts)
{
    uint64_t n_results = mul(mul(task->m, task->n), task->n_products);
    uint64_t n_tiles =
        mul(mul(ceil_div(task->m, x), ceil_div(task->n, y)), task->n_products);
    OpCut cut = { .n_tiles = mul(n_tiles, n_parts),
                  .tile_ps =
                      time_of_tile_ps(search->npu, task, x, y,
                                      MIN(ceil_div(task->k, n_parts), MAX_SUM)),
                  .phase_bytes = task->phase_bytes,
                  .more_ps = task->more_ps };

    if (n_parts > 1) {
        cut.more_bytes = mul(mul(PART_BYTES, n_results), n_parts);
        cut.more_ps = sim_time_add(
            cut.more_ps, sim_time_add(search->npu->launch_ps,
                                      search->npu->precision->parts_ps));
    }
    consider(search, &cut, task->bytes);
}

static void consider_tile(Search *search, const Task *task, uint64_t x,
                          uint64_t y)
{
    if (MIN(x, y) < task->least_tile)
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(n_parts_of_a_sum); i++) {
        uint64_t n_parts = n_parts_of_a_sum[i];

        if (n_parts == 1 ||
            (!task->is_whole && task->k / n_parts >= LEAST_PART))
            consider_parts(search, task, x, y, n_parts);
    }
}

static void consider_task(Search *search, const Task *task)
{
    for (gsize x = 0; x < G_N_ELEMENTS(tile_sides); x++)
        for (gsize y = 0; y < G_N_ELEMENTS(tile_sides); y++)
            consider_tile(search, task, tile_sides[x], tile_sides[y]);
}

/* Returns the cut of a special kernel for narrow products, which divides freely
 * and is far from the peak. */
static OpCut narrow_cut(const ProductNpu *npu, const Task *task)
{
    SimWide per_s =
        (SimWide)npu->precision->flop_per_s * npu->precision->narrow_ppm / PPM;
    uint64_t flop =
        mul(mul(2 * task->m, task->n), mul(task->k, task->n_products));

    return (OpCut){
        .n_tiles = npu->n_sms * NARROW_PARTS,
        .tile_ps = MAX(wide_div_up((SimWide)flop * SIM_PS_PER_SEC,
                                   MAX(per_s * NARROW_PARTS, 1)),
                       1),
    };
}

static uint64_t n_image_tiles(const OpProduct *p, uint64_t side)
{
    uint64_t n_pixels = p->image_height * p->image_width;
    uint64_t n_rows = p->cuts_sum ? p->k : p->m;

    return mul(ceil_div(p->image_height, side) * ceil_div(p->image_width, side),
               n_rows / n_pixels);
}

/* Returns the products of transformed images, with tiles of @side x @side
 * pixels. */
static Task winograd(const ProductNpu *npu, const OpProduct *p,
                     const Task *plain, uint64_t side)
{
    uint64_t filter = WINOGRAD_SIDE * WINOGRAD_SIDE;
    uint64_t points = (side + WINOGRAD_SIDE - 1) * (side + WINOGRAD_SIDE - 1);
    uint64_t n_tiles = n_image_tiles(p, side);
    Task task = *plain;

    task.n_products = mul(points, plain->n_products);
    task.part_ppm = PPM;
    if (p->cuts_sum) {
        task.m = ceil_div(plain->m, filter);
        task.k = n_tiles;
    } else {
        task.m = n_tiles;
        task.k = ceil_div(plain->k, filter);
    }
    if (side == 2) {
        task.part_ppm = npu->precision->convolution.winograd_ppm;
        return task;
    }
    task.bytes =
        mul(mul(task.value_bytes, task.n_products),
            sim_time_add(sim_time_add(mul(task.m, task.k), mul(task.n, task.k)),
                         mul(task.m, task.n)));
    task.phase_bytes = sim_time_add(task.bytes, plain->bytes);
    task.more_ps = mul(N_TRANSFORMS, npu->launch_ps);
    return task;
}

static gboolean has_winograd(const ProductNpu *npu, const OpProduct *p)
{
    return !p->is_unsearched && npu->precision->convolution.winograd_ppm > 0 &&
           npu->precision->granule == 1 && p->window_height == WINOGRAD_SIDE &&
           p->window_width == WINOGRAD_SIDE && p->stride_height == 1 &&
           p->stride_width == 1;
}

/* Pads channels to granules.  The pixels of a filter belong to its channel.
 * Returns FALSE if padding was necessary. */
static gboolean pad_channels(Task *task, const OpProduct *p, uint64_t granule)
{
    uint64_t filter = p->window_height * p->window_width;
    uint64_t *long_side = p->cuts_sum ? &task->m : &task->k;
    uint64_t channels = ceil_div(*long_side, filter);
    gboolean fits = channels % granule == 0 && task->n % granule == 0;

    task->n = mul(ceil_div(task->n, granule), granule);
    *long_side = mul(mul(ceil_div(channels, granule), granule), filter);
    return fits;
}

/* Returns the terms of each sum that are not zero.  With strides, a pixel meets
 * only some elements of the filter. */
static uint64_t n_terms_of_sum(const OpWork *work)
{
    const OpProduct *p = &work->product;
    SimWide n_results = (SimWide)p->m * p->n * MAX(p->n_products, 1);
    SimWide k =
        ((SimWide)work->flop / 2 / op_work_n_kernels(work) + (n_results - 1)) /
        n_results;

    return work->flop > 0 ? (uint64_t)MIN(MAX(k, 1), p->k) : p->k;
}

static Task task_of(const ProductNpu *npu, const OpWork *work)
{
    const OpProduct *p = &work->product;
    const ConvolutionConfig *c = &npu->precision->convolution;
    Task task = {
        .m = p->m,
        .n = p->n,
        .k = p->k,
        .n_products = MAX(p->n_products, 1),
        .part_ppm = PPM,
        .least_tile = npu->precision->least_tile,
        .value_bytes = work->precision == PRECISION_FP32 ? 4 : 2,
        .bytes = work->bytes / op_work_n_kernels(work),
    };

    if (p->window_height == 0)
        return task;
    task.is_whole = !p->cuts_sum;
    if (p->cuts_sum) {
        task.part_ppm = c->weight_gradient_ppm;
        task.least_tile = MAX(task.least_tile, c->weight_tile);
    }
    if (!p->cuts_sum && n_terms_of_sum(work) < p->k &&
        p->stride_height * p->stride_width > 1)
        task.part_ppm = c->strided_ppm;
    if (!pad_channels(&task, p, npu->precision->granule)) {
        task.part_ppm = MAX(task.part_ppm * c->few_channels_ppm / PPM, 1);
        task.least_tile = 1;
    }
    task.k = wide_div_up((SimWide)task.k * n_terms_of_sum(work), p->k);
    return task;
}

OpCut product_cut(const ProductNpu *npu, const OpWork *work)
{
    const OpProduct *p = &work->product;
    Search search = { .npu = npu, .least_ps = SIM_TIME_MAX };
    Task task = task_of(npu, work);
    gboolean is_narrow =
        MIN(p->m, p->n) <= NARROW && npu->precision->narrow_ppm > 0;
    Task transformed;
    OpCut narrow;

    g_assert(p->m > 0 && p->n > 0 && p->k > 0);
    narrow = narrow_cut(npu, &task);
    if (is_narrow && p->window_height == 0)
        return narrow;
    search.best = (OpCut){ 1, SIM_TIME_MAX, 0, 0, 0 };
    consider_task(&search, &task);
    if (is_narrow)
        consider(&search, &narrow, task.bytes);
    if (!has_winograd(npu, p))
        return search.best;
    for (uint64_t side = 2; side <= 4; side += 2) {
        transformed = winograd(npu, p, &task, side);
        consider_task(&search, &transformed);
    }
    return search.best;
}

SimTime product_overhead_ps(const PrecisionConfig *precision,
                            const OpWork *work, const OpCut *cut)
{
    uint64_t n = op_work_n_kernels(work);
    SimTime each_ps = precision->overhead_ps, once_ps = 0;

    if (work->product.is_recurrent) {
        each_ps = precision->recurrent.step_ps;
        once_ps = precision->recurrent.pass_ps;
    } else if (work->product.window_height > 0) {
        each_ps = precision->convolution.overhead_ps;
    }
    return sim_time_add(once_ps, mul(sim_time_add(each_ps, cut->more_ps), n));
}
