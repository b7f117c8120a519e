/* matrix_products.c - chooses the fastest tiles of a matrix product by trying
 * all sizes */
#include "models/npu/matrix_products.h"

#include "sim/core/integer_math.h"

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
#define N_TRANSFORMS 3
/* Sides of filters that can be transformed. */
#define FUSED_WINOGRAD_SIDE  3
#define WIDEST_WINOGRAD_SIDE 5
/* With fewer channels, the gradient of a weight is computed directly. */
#define LEAST_WEIGHT_CHANNELS 128
#define MAX_SUM               (UINT64_C(1) << 53)

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
    ProductTiles best;
    SimTime least_ps;
} Search;

static uint64_t saturate_to_uint64(SimWide value)
{
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

static uint64_t multiply_saturating(uint64_t a, uint64_t b)
{
    return saturate_to_uint64((SimWide)a * b);
}

static SimTime divide_wide_rounding_up(SimWide n, SimWide by)
{
    return saturate_to_uint64(n / by + (n % by > 0));
}

static SimTime memory_time_of_bytes_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    if (bytes == 0)
        return 0;
    return bytes_per_s == 0 ? SIM_TIME_MAX
                            : sim_time_from_bytes(bytes, bytes_per_s);
}

SimTime product_arithmetic_ps(const WaveConfig *waves, uint64_t n_all,
                              const ProductTiles *cut, uint64_t n_sms)
{
    return n_sms == 0 ? SIM_TIME_MAX
                      : waves_time_of_tiles_ps(waves, n_all, cut->tile_ps,
                                               cut->n_tiles, n_sms);
}

/* Keeps @cut as the best result of @search if it is the fastest so far. */
static void keep_tiles_if_fastest(Search *search, const ProductTiles *cut,
                                  uint64_t bytes)
{
    const ProductNpu *npu = search->npu;
    uint64_t all_bytes = sim_time_add(bytes, cut->more_bytes);
    SimTime ps =
        MAX(product_arithmetic_ps(npu->waves, npu->n_sms, cut, npu->n_sms),
            memory_time_of_bytes_ps(all_bytes, npu->bytes_per_s));

    ps = sim_time_add(
        ps, memory_time_of_bytes_ps(cut->phase_bytes, npu->bytes_per_s));
    ps = sim_time_add(ps, cut->more_ps);
    if (ps >= search->least_ps)
        return;
    search->least_ps = ps;
    search->best = *cut;
}

/* Returns the time of a tile of @x x @y results for sums over @k, as
 * matrix_products.h defines it.  The caller keeps @k below 2^53, so products
 * stay below 2^127. */
static SimTime time_of_tile_ps(const ProductNpu *npu, const Task *task,
                               uint64_t x, uint64_t y, uint64_t k)
{
    SimWide per_s = (SimWide)npu->precision->flop_per_s *
                    npu->precision->efficiency_ppm / PPM * task->part_ppm / PPM;
    SimWide flop = (SimWide)(2 * x * y) * k * npu->n_sms * SIM_PS_PER_SEC;
    SimWide bytes = (SimWide)((x + y) * task->value_bytes) * k * SIM_PS_PER_SEC;
    SimTime compute_ps = MAX(divide_wide_rounding_up(flop, MAX(per_s, 1)), 1);
    SimTime operand_ps =
        divide_wide_rounding_up(bytes, MAX(npu->operand_bytes_per_s, 1));

    return npu->precision->operands_overlap
               ? MAX(compute_ps, operand_ps)
               : sim_time_add(compute_ps, operand_ps);
}

static void try_tile_with_split_sum(Search *search, const Task *task,
                                    uint64_t x, uint64_t y, uint64_t n_parts)
{
    uint64_t n_results = multiply_saturating(
        multiply_saturating(task->m, task->n), task->n_products);
    uint64_t n_tiles =
        multiply_saturating(multiply_saturating(divide_rounding_up(task->m, x),
                                                divide_rounding_up(task->n, y)),
                            task->n_products);
    ProductTiles cut = {
        .n_tiles = multiply_saturating(n_tiles, n_parts),
        .tile_ps =
            time_of_tile_ps(search->npu, task, x, y,
                            MIN(divide_rounding_up(task->k, n_parts), MAX_SUM)),
        .phase_bytes = task->phase_bytes,
        .more_ps = task->more_ps
    };

    if (n_parts > 1) {
        cut.more_bytes = multiply_saturating(
            multiply_saturating(PART_BYTES, n_results), n_parts);
        cut.more_ps = sim_time_add(
            cut.more_ps, sim_time_add(search->npu->launch_ps,
                                      search->npu->precision->parts_ps));
    }
    keep_tiles_if_fastest(search, &cut, task->bytes);
}

static void try_product_tile_size(Search *search, const Task *task, uint64_t x,
                                  uint64_t y)
{
    if (MIN(x, y) < task->least_tile)
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(n_parts_of_a_sum); i++) {
        uint64_t n_parts = n_parts_of_a_sum[i];

        if (n_parts == 1 ||
            (!task->is_whole && task->k / n_parts >= LEAST_PART))
            try_tile_with_split_sum(search, task, x, y, n_parts);
    }
}

static void try_all_tiles_of_task(Search *search, const Task *task)
{
    for (gsize x = 0; x < G_N_ELEMENTS(tile_sides); x++)
        for (gsize y = 0; y < G_N_ELEMENTS(tile_sides); y++)
            try_product_tile_size(search, task, tile_sides[x], tile_sides[y]);
}

/* Returns the cut of a special kernel for narrow products, which divides freely
 * and is far from the peak. */
static ProductTiles tiles_of_narrow_product(const ProductNpu *npu,
                                            const Task *task)
{
    SimWide per_s =
        (SimWide)npu->precision->flop_per_s * npu->precision->narrow_ppm / PPM;
    uint64_t flop =
        multiply_saturating(multiply_saturating(2 * task->m, task->n),
                            multiply_saturating(task->k, task->n_products));

    return (ProductTiles){
        .n_tiles = npu->n_sms * NARROW_PARTS,
        .tile_ps = MAX(divide_wide_rounding_up((SimWide)flop * SIM_PS_PER_SEC,
                                               MAX(per_s * NARROW_PARTS, 1)),
                       1),
    };
}

static uint64_t n_winograd_image_tiles(const OpProduct *product, uint64_t side)
{
    uint64_t n_pixels = product->image_height * product->image_width;
    uint64_t n_rows = product->cuts_sum ? product->k : product->m;

    return multiply_saturating(
        divide_rounding_up(product->image_height, side) *
            divide_rounding_up(product->image_width, side),
        n_rows / n_pixels);
}

/* Returns the products of transformed images, with tiles of @side x @side
 * pixels. */
static Task winograd_products_of_task(const ProductNpu *npu,
                                      const OpProduct *product,
                                      const Task *plain, uint64_t side)
{
    uint64_t filter = product->window_height * product->window_width;
    uint64_t points = (side + product->window_height - 1) *
                      (side + product->window_width - 1);
    uint64_t n_tiles = n_winograd_image_tiles(product, side);
    Task task = *plain;

    task.n_products = multiply_saturating(points, plain->n_products);
    task.part_ppm = PPM;
    if (product->cuts_sum) {
        task.m = divide_rounding_up(plain->m, filter);
        task.k = n_tiles;
    } else {
        task.m = n_tiles;
        task.k = divide_rounding_up(plain->k, filter);
    }
    if (side == 2) {
        task.part_ppm = npu->precision->convolution.winograd_ppm;
        return task;
    }
    task.bytes = multiply_saturating(
        multiply_saturating(task.value_bytes, task.n_products),
        sim_time_add(sim_time_add(multiply_saturating(task.m, task.k),
                                  multiply_saturating(task.n, task.k)),
                     multiply_saturating(task.m, task.n)));
    task.phase_bytes = sim_time_add(task.bytes, plain->bytes);
    task.more_ps = multiply_saturating(N_TRANSFORMS, npu->launch_ps);
    return task;
}

static gboolean library_has_winograd_for_filter(const OpProduct *product)
{
    return product->window_height == product->window_width &&
           (product->window_height == FUSED_WINOGRAD_SIDE ||
            product->window_height == WIDEST_WINOGRAD_SIDE) &&
           product->stride_height == 1 && product->stride_width == 1;
}

/* Returns whether the images and channels of @product are large enough for a
 * library to choose Winograd's algorithm. */
static gboolean winograd_is_worthwhile(const OpProduct *product)
{
    uint64_t channels =
        MAX(product->m / (product->window_height * product->window_width),
            product->n);

    return MIN(product->image_height, product->image_width) >=
               2 * product->window_height &&
           (!product->cuts_sum ||
            product->window_height != FUSED_WINOGRAD_SIDE ||
            channels >= LEAST_WEIGHT_CHANNELS);
}

static gboolean product_can_use_winograd(const ProductNpu *npu,
                                         const OpProduct *product)
{
    return !product->is_unsearched &&
           npu->precision->convolution.winograd_ppm > 0 &&
           npu->precision->granule == 1 &&
           library_has_winograd_for_filter(product) &&
           winograd_is_worthwhile(product);
}

/* Returns the smallest tile of an image for which a library has Winograd's
 * algorithm.  Those of 2 x 2 pixels are transformed in the kernel itself, which
 * is a kernel for 3 x 3, and not for the gradient of a weight. */
static uint64_t least_winograd_side(const OpProduct *product)
{
    return product->cuts_sum || product->window_height > FUSED_WINOGRAD_SIDE
               ? 4
               : 2;
}

/* Pads channels to granules.  The pixels of a filter belong to its channel.
 * Returns FALSE if padding was necessary. */
static gboolean pad_channels_to_granule(Task *task, const OpProduct *product,
                                        uint64_t granule)
{
    uint64_t filter = product->window_height * product->window_width;
    uint64_t *long_side = product->cuts_sum ? &task->m : &task->k;
    uint64_t channels = divide_rounding_up(*long_side, filter);
    gboolean fits = channels % granule == 0 && task->n % granule == 0;

    task->n =
        multiply_saturating(divide_rounding_up(task->n, granule), granule);
    *long_side = multiply_saturating(
        multiply_saturating(divide_rounding_up(channels, granule), granule),
        filter);
    return fits;
}

/* Returns the terms of each sum that are not zero.  With strides, a pixel meets
 * only some elements of the filter. */
static uint64_t n_nonzero_terms_of_sum(const OpWork *work)
{
    const OpProduct *product = &work->product;
    SimWide n_results =
        (SimWide)product->m * product->n * MAX(product->n_products, 1);
    SimWide k =
        ((SimWide)work->flop / 2 / op_work_n_kernels(work) + (n_results - 1)) /
        n_results;

    return work->flop > 0 ? (uint64_t)MIN(MAX(k, 1), product->k) : product->k;
}

static gboolean product_is_aligned(const OpProduct *product, uint64_t granule)
{
    return granule <= 1 ||
           (product->m % granule == 0 && product->n % granule == 0 &&
            product->k % granule == 0);
}

/* Returns whether each pixel of an input lies in more than one window. */
static gboolean windows_overlap(const OpProduct *product)
{
    return product->window_height > product->stride_height &&
           product->window_width > product->stride_width;
}

static Task product_task_of_work(const ProductNpu *npu, const OpWork *work)
{
    const OpProduct *product = &work->product;
    const ConvolutionConfig *config = &npu->precision->convolution;
    Task task = {
        .m = product->m,
        .n = product->n,
        .k = product->k,
        .n_products = MAX(product->n_products, 1),
        .part_ppm = PPM,
        .least_tile = npu->precision->least_tile,
        .value_bytes = work->precision == PRECISION_FP32  ? 4
                       : work->precision >= PRECISION_FP8 ? 1
                                                          : 2,
        .bytes = work->bytes / op_work_n_kernels(work),
    };

    if (product->window_height == 0) {
        if (!product_is_aligned(product, npu->precision->granule))
            task.part_ppm = npu->precision->unaligned_ppm;
        if (product->is_recurrent && !product->cuts_sum)
            task.part_ppm =
                task.part_ppm * npu->precision->recurrent.products_ppm / PPM;
        return task;
    }
    task.is_whole = !product->cuts_sum;
    if (product->cuts_sum) {
        task.part_ppm = config->weight_gradient_ppm;
        task.least_tile = MAX(task.least_tile, config->weight_tile);
    }
    if (!product->cuts_sum && n_nonzero_terms_of_sum(work) < product->k &&
        product->stride_height * product->stride_width > 1)
        task.part_ppm = windows_overlap(product) ? config->overlapping_ppm
                                                 : config->strided_ppm;
    if (!pad_channels_to_granule(&task, product, npu->precision->granule)) {
        task.part_ppm = MAX(task.part_ppm * config->few_channels_ppm / PPM, 1);
        task.least_tile = 1;
    }
    task.k = divide_wide_rounding_up(
        (SimWide)task.k * n_nonzero_terms_of_sum(work), product->k);
    return task;
}

ProductTiles product_choose_tiles(const ProductNpu *npu, const OpWork *work)
{
    const OpProduct *product = &work->product;
    Search search = { .npu = npu, .least_ps = SIM_TIME_MAX };
    Task task = product_task_of_work(npu, work);
    gboolean is_narrow =
        MIN(product->m, product->n) <= NARROW && npu->precision->narrow_ppm > 0;
    Task transformed;
    ProductTiles narrow;

    g_assert(product->m > 0 && product->n > 0 && product->k > 0);
    narrow = tiles_of_narrow_product(npu, &task);
    if (is_narrow && product->window_height == 0)
        return narrow;
    search.best = (ProductTiles){ 1, SIM_TIME_MAX, 0, 0, 0 };
    try_all_tiles_of_task(&search, &task);
    if (is_narrow)
        keep_tiles_if_fastest(&search, &narrow, task.bytes);
    if (!product_can_use_winograd(npu, product))
        return search.best;
    for (uint64_t side = least_winograd_side(product); side <= 4; side += 2) {
        transformed = winograd_products_of_task(npu, product, &task, side);
        try_all_tiles_of_task(&search, &transformed);
    }
    return search.best;
}

SimTime product_overhead_ps(const PrecisionConfig *precision,
                            const OpWork *work, const ProductTiles *cut)
{
    uint64_t n = op_work_n_kernels(work);
    SimTime each_ps = precision->overhead_ps, once_ps = 0;

    if (work->product.is_recurrent) {
        each_ps = precision->recurrent.step_ps;
        once_ps = precision->recurrent.pass_ps;
    } else if (work->product.window_height > 0) {
        each_ps = precision->convolution.overhead_ps;
    }
    return sim_time_add(
        once_ps, multiply_saturating(sim_time_add(each_ps, cut->more_ps), n));
}
