/* kernel_demands.c - classes of equal kernels, and their demands; see
 * kernel_demands.h */
#include "models/npu/kernel_demands.h"

#include <string.h>

/* ---- classes ------------------------------------------------------------- */

/* Works are compared byte by byte.  If the padding differs, equal works are in
 * two classes, which takes time but changes no result. */
static guint hash_work(gconstpointer data)
{
    uint64_t words[sizeof(OpWork) / sizeof(uint64_t)], hash = 0;

    G_STATIC_ASSERT(sizeof(OpWork) == sizeof words);
    memcpy(words, data, sizeof words);
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

static gboolean works_are_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(OpWork)) == 0;
}

typedef struct {
    OpWork whole; /* the key: the work before it is cut */
    uint32_t id;
    OpCut cut;
} WorkClass;

uint32_t *kernel_classes_divide_into_tiles(const NpuConfig *config,
                                           OpGraph *graph)
{
    uint32_t *classes = g_new0(uint32_t, graph->ops->len);
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(hash_work, works_are_equal, NULL, g_free);

    for (guint i = 0; i < graph->ops->len; i++) {
        Op *op = &g_array_index(graph->ops, Op, i);
        WorkClass *class;

        if (op->type != OP_COMPUTE)
            continue;
        class = g_hash_table_lookup(known, &op->work);
        if (!class) {
            class = g_new(WorkClass, 1);
            class->whole = op->work;
            class->id = g_hash_table_size(known);
            class->cut = compute_tiles_of_work(config, &op->work);
            g_hash_table_insert(known, &class->whole, class);
        }
        classes[i] = class->id;
        op->work.cut = class->cut;
    }
    return classes;
}

/* ---- demands ------------------------------------------------------------- */

#define N_REMEMBERED 2 /* while the NPU communicates, and while it does not */

typedef struct {
    KernelDemand remembered[N_REMEMBERED]; /* .n_sms is UINT64_MAX: none yet */
    guint oldest;
} ClassDemands;

struct KernelDemands {
    const NpuConfig *config; /* borrowed */
    const OpGraph *graph;    /* borrowed */
    const uint32_t *classes; /* borrowed */
    ClassDemands *of_class;  /* owned */
};

KernelDemands *kernel_demands_new(const NpuConfig *config, const OpGraph *graph,
                                  const uint32_t *classes)
{
    KernelDemands *demands = g_new(KernelDemands, 1);
    uint32_t n = 1;

    for (guint i = 0; i < graph->ops->len; i++)
        n = MAX(n, classes[i] + 1);
    *demands =
        (KernelDemands){ config, graph, classes, g_new0(ClassDemands, n) };
    for (uint32_t c = 0; c < n; c++)
        for (guint i = 0; i < N_REMEMBERED; i++)
            demands->of_class[c].remembered[i].n_sms = UINT64_MAX;
    return demands;
}

void kernel_demands_free(KernelDemands *demands)
{
    if (demands)
        g_free(demands->of_class);
    g_free(demands);
}

const KernelDemand *kernel_demands_get(KernelDemands *demands, uint32_t op,
                                       uint64_t n_sms)
{
    ClassDemands *class = &demands->of_class[demands->classes[op]];
    const OpWork *work = &op_graph_op(demands->graph, op)->work;
    KernelDemand *demand;

    for (guint i = 0; i < N_REMEMBERED; i++)
        if (class->remembered[i].n_sms == n_sms)
            return &class->remembered[i];
    demand = &class->remembered[class->oldest];
    class->oldest = (class->oldest + 1) % N_REMEMBERED;
    *demand = (KernelDemand){
        .n_sms = n_sms,
        .bytes_per_s = kernel_demand_bytes_per_s(demands->config, work, n_sms),
        .supply_bytes_per_s =
            npu_supply_of_sms_bytes_per_s(demands->config, work, n_sms),
        .read_ppm = op_work_read_ppm(work),
    };
    return demand;
}
