/*
 * matrix_product.c - the kernel kind for a product of two matrices
 *
 *     flop  = 2 m n k count
 *     bytes = v (m k + k n + m n) count
 */
#include "workloads/kernel_impl.h"

typedef struct {
    KernelCommon common;
    uint64_t m, n, k, count;
} ProductParams;

static const ConfigField product_fields[] = {
    KERNEL_COMMON_FIELDS(ProductParams),
    LAYER_COUNT_FIELD(ProductParams, m, "m", NULL, "rows of the result"),
    LAYER_COUNT_FIELD(ProductParams, n, "n", NULL, "columns of the result"),
    LAYER_COUNT_FIELD(ProductParams, k, "k", NULL,
                      "products that a result is the sum of"),
    LAYER_COUNT_FIELD(ProductParams, count, "count", "1",
                      "products side by side in one kernel"),
    CONFIG_END,
};

OpWork kernel_product(uint64_t m, uint64_t n, uint64_t k, uint64_t n_products,
                      uint64_t value_bytes)
{
    uint64_t written = LAYER_PRODUCT(value_bytes, n_products, m, n);
    uint64_t read =
        LAYER_PRODUCT(value_bytes, n_products, k, layer_add_saturating(m, n));

    return (OpWork){
        .flop = LAYER_PRODUCT(2, n_products, m, n, k),
        .bytes = layer_add_saturating(read, written),
        .written_bytes = written,
        .product = { .m = m, .n = n, .k = k, .n_products = n_products },
    };
}

static void product_list_work(gconstpointer params,
                              OpWork ret[KERNEL_MAX_WORKS])
{
    const ProductParams *product_params = params;

    ret[0] = kernel_product(product_params->m, product_params->n,
                            product_params->k, product_params->count,
                            precision_bytes(product_params->common.precision));
}

const KernelOps kernel_matrix_product = {
    .base = { .name = "product",
              .summary = "product of matrices, 2 m n k FLOP",
              .fields = product_fields,
              .size = sizeof(ProductParams) },
    .works = product_list_work,
};
