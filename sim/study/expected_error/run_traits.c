/* run_traits.c - the properties of a run; see run_traits.h */
#include "sim/study/expected_error/run_traits.h"

#include <string.h>

#include "sim/config/config_node.h"

#define GIGA(n) (UINT64_C(1000000000) * (n))
#define TERA(n) (UINT64_C(1000000000000) * (n))

/* ---- what is timed ------------------------------------------------------- */

static const struct {
    const char *workload;
    ErrorSubject subject;
} subjects[] = {
    { "transformer", ERROR_OF_LANGUAGE_MODEL },
    { "collective", ERROR_OF_COLLECTIVE },
    { "beside", ERROR_OF_KERNEL_BESIDE },
    { "jobs", ERROR_OF_JOBS },
};

/* All other workloads train. */
static ErrorSubject error_subject_of_workload(const char *workload)
{
    for (guint i = 0; i < G_N_ELEMENTS(subjects); i++)
        if (g_str_equal(subjects[i].workload, workload))
            return subjects[i].subject;
    return ERROR_OF_TRAINING;
}

/* ---- how far it spans ---------------------------------------------------- */

static gboolean topology_connects_machines(const Topology *topology)
{
    const TopologyDim *outer =
        topology_dimension(topology, topology_n_dims(topology) - 1);

    if (g_str_equal(topology_kind(topology), "nested"))
        return outer->size > 1;
    for (uint32_t p = 0; p < topology_n_ports(topology); p++)
        if (topology_get_port(topology, p)->reach == TOPOLOGY_NETWORK)
            return TRUE;
    return FALSE;
}

static ErrorSpan error_span_of_topology(const Topology *topology)
{
    if (topology_n_npus(topology) == 1)
        return SPAN_ONE_NPU;
    return topology_connects_machines(topology) ? SPAN_MACHINES : SPAN_MACHINE;
}

/* ---- the software that communicates -------------------------------------- */

/* Words in the name of a stack of rules that say what software it is. */
static const struct {
    const char *word;
    ErrorSoftware software;
} library_words[] = {
    { "nccl", SOFTWARE_NCCL },
    { "mpi", SOFTWARE_MPI },
    { "grpc", SOFTWARE_SERVERS },
    { "byteps", SOFTWARE_SERVERS },
};

static const struct {
    const char *kind;
    ErrorSoftware software;
} stack_software[] = {
    { "none", SOFTWARE_NONE },
    { "nccl", SOFTWARE_NCCL },
    { "msccl", SOFTWARE_NCCL },
    { "blink", SOFTWARE_BLINK },
};

static ErrorSoftware error_software_of_run(const SystemConfig *config,
                                           const char *stack)
{
    const ConfigKind *exchange = config->training.exchange.kind;
    const char *kind = config->stack.kind->name;

    if (exchange && g_str_equal(exchange->name, "parameter-server"))
        return SOFTWARE_SERVERS;
    for (guint i = 0; i < G_N_ELEMENTS(stack_software); i++)
        if (g_str_equal(stack_software[i].kind, kind))
            return stack_software[i].software;
    for (guint i = 0; i < G_N_ELEMENTS(library_words); i++)
        if (strstr(stack, library_words[i].word))
            return library_words[i].software;
    return SOFTWARE_OTHER;
}

/* ---- the size of payloads ------------------------------------------------ */

static gint compare_sizes(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Returns the payload such that half of the bytes of all collectives are in
 * payloads of at most this size; 0 if there is no collective. */
static double median_payload_bytes(const OpGraph *graph)
{
    g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    double sum = 0, half = 0;

    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COLLECTIVE)
            continue;
        g_array_append_val(sizes, op->payload_bytes);
        sum += (double)op->payload_bytes;
    }
    g_array_sort(sizes, compare_sizes);
    for (guint i = 0; i < sizes->len; i++) {
        half += (double)g_array_index(sizes, uint64_t, i);
        if (half >= sum / 2)
            return (double)g_array_index(sizes, uint64_t, i);
    }
    return 0;
}

/* ---- all traits ---------------------------------------------------------- */

/* GPUs by the numbers of their data sheets (configs/npus). */
static const struct {
    const char *chip;
    uint64_t n_sms, flop_per_s, bytes_per_s;
} chips[] = {
    { "A100", 108, TERA(312), GIGA(1555) },
    { "A100", 108, TERA(312), GIGA(2039) },
    { "H100", 114, TERA(756), GIGA(2039) },
    { "H100", 132, TERA(989), GIGA(3350) },
    { "H200", 132, TERA(989), GIGA(4800) },
    { "Blackwell", 148, TERA(2250), GIGA(8000) },
    { "Blackwell", 160, TERA(2250), GIGA(8000) },
    { "Blackwell", 152, TERA(2500), GIGA(8000) },
    { "Blackwell", 160, TERA(2500), GIGA(8000) },
};

/* Returns NULL if no GPU of the table has the numbers of @npu. */
static const char *gpu_chip_of_npu(const NpuConfig *npu)
{
    for (guint i = 0; i < G_N_ELEMENTS(chips); i++)
        if (chips[i].n_sms == npu->n_sms &&
            chips[i].flop_per_s == npu->flop_per_s &&
            chips[i].bytes_per_s == npu->hbm.bandwidth_bytes_per_s)
            return chips[i].chip;
    return NULL;
}

static const char *precision_of_products(const TrainingConfig *training)
{
    return training->products > 0 ? product_precision_names[training->products]
                                  : precision_names[training->precision];
}

RunTraits run_traits(const SystemConfig *config, const System *system)
{
    const OpGraph *graph = system_graph(system);
    const char *stack = config_map_text(config->stack.node, "name");
    const char *workload = config->workload.kind->name;
    RunTraits traits = {
        .subject = error_subject_of_workload(workload),
        .workload = workload,
        .span = error_span_of_topology(system_topology(system)),
        .endpoint = config->endpoint.kind->name,
        .chip = gpu_chip_of_npu(&config->platform.npu),
        .payload_bytes = median_payload_bytes(graph),
        .precision = precision_of_products(&config->training),
        .has_experts =
            graph->n_tokens > 0 && graph->n_active_weights < graph->n_weights,
        .from_shapes = config->training.compute == COMPUTE_ROOFLINE,
        .stack = stack ? stack : config->stack.kind->name,
        .platform = config->platform.name,
    };
    traits.software = error_software_of_run(config, traits.stack);
    return traits;
}
