/* kernel_demands.c - the demands and times of distinct kernels; see
 * kernel_demands.h */
#include "models/npu/kernel_demands.h"

void kernel_works_set_tiles(const NpuConfig *config, OpGraph *graph)
{
    /* The works are about to differ from the keys. */
    g_hash_table_remove_all(graph->work_set);
    for (guint i = 0; i < graph->works->len; i++) {
        OpWork *work = g_ptr_array_index(graph->works, i);

        work->cut = compute_tiles_of_work(config, work);
    }
}

/* Two numbers of SMs: while the NPU communicates, and while it does not. */
#define N_DEMANDS 2
/* Shares of the NPU with and without communication, of which `shared` has
 * several, and the whole NPU; assumed: others seldom repeat. */
#define N_TIMES 8

/* The time of a work on some resources. */
typedef struct {
    ComputeScale scale;
    uint64_t n_sms, bytes_per_s;
    SimTime time_ps;
} RememberedTime;

/* The last results for a work; the oldest is replaced first. */
typedef struct {
    KernelDemand demands[N_DEMANDS];
    RememberedTime times[N_TIMES];
    guint n_demands, n_times; /* computed so far */
} RememberedWork;

struct KernelDemands {
    const NpuConfig *config; /* borrowed */
    RememberedWork *of_work; /* owned: by OpWork.id */
    uint32_t n_works;
};

KernelDemands *kernel_demands_new(const NpuConfig *config, uint32_t n_works)
{
    KernelDemands *demands = g_new(KernelDemands, 1);

    *demands =
        (KernelDemands){ config, g_new0(RememberedWork, n_works), n_works };
    return demands;
}

void kernel_demands_free(KernelDemands *demands)
{
    if (demands)
        g_free(demands->of_work);
    g_free(demands);
}

static RememberedWork *get_memoised_work(KernelDemands *demands,
                                         const OpWork *work)
{
    g_assert(work->id < demands->n_works);
    return &demands->of_work[work->id];
}

const KernelDemand *kernel_demands_get(KernelDemands *demands,
                                       const OpWork *work, uint64_t n_sms)
{
    RememberedWork *known = get_memoised_work(demands, work);
    KernelDemand *demand;

    for (guint i = 0; i < MIN(known->n_demands, N_DEMANDS); i++)
        if (known->demands[i].n_sms == n_sms)
            return &known->demands[i];
    demand = &known->demands[known->n_demands++ % N_DEMANDS];
    *demand = (KernelDemand){
        .n_sms = n_sms,
        .bytes_per_s = kernel_demand_bytes_per_s(demands->config, work, n_sms),
        .supply_bytes_per_s =
            npu_supply_of_sms_bytes_per_s(demands->config, work, n_sms),
        .read_ppm = op_work_read_ppm(work),
    };
    return demand;
}

static gboolean scales_are_equal(ComputeScale a, ComputeScale b)
{
    return a.num == b.num && a.den == b.den && a.is_measured == b.is_measured;
}

SimTime kernel_demands_time_ps(KernelDemands *demands, const OpWork *work,
                               ComputeScale scale, uint64_t n_sms,
                               uint64_t bytes_per_s)
{
    RememberedWork *known = get_memoised_work(demands, work);
    RememberedTime *time;

    for (guint i = 0; i < MIN(known->n_times, N_TIMES); i++) {
        time = &known->times[i];
        if (time->n_sms == n_sms && time->bytes_per_s == bytes_per_s &&
            scales_are_equal(time->scale, scale))
            return time->time_ps;
    }
    time = &known->times[known->n_times++ % N_TIMES];
    *time = (RememberedTime){ scale, n_sms, bytes_per_s,
                              kernel_time_ps(demands->config, work, scale,
                                             n_sms, bytes_per_s) };
    return time->time_ps;
}
