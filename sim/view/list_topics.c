/* list_topics.c - the table of topics; see list_topics.h */
#include "sim/view/list_topics.h"

#include "models/run/system.h"
#include "sim/sensitivity/assumptions_file.h"
#include "sim/study/collectives/library_calls.h"
#include "sim/study/kernel_timing.h"
#include "sim/sweep/sweep_plan.h"
#include "workloads/exchange/exchange.h"
#include "workloads/layer.h"
#include "workloads/program.h"
#include "workloads/readers/reader_table.h"
#include "workloads/schedules/schedule.h"
#include "workloads/sharding/sharding.h"
#include "workloads/transformer/language_model.h"

const ListTopic topics[] = {
    { "run", "run", "a run file", NULL, system_fields, TRUE },
    { "sweep", "sweep", "a sweep file", NULL, sweep_fields, FALSE },
    { "sensitivity", "sensitivity", "what acesim sensitivity varies", NULL,
      assumptions_fields, FALSE },
    { "endpoints", "endpoint", "what carries out collectives",
      &endpoint_registry, NULL, FALSE },
    { "stacks", "stack", "the library that decides on collectives",
      &stack_registry, NULL, FALSE },
    { "topologies", "topology", "how NPUs are joined", &topology_registry, NULL,
      FALSE },
    { "workloads", "workload", "what is trained", &workload_registry, NULL,
      FALSE },
    { "layers", "layer", "what a data-parallel workload is made of",
      &layer_registry, NULL, FALSE },
    { "exchanges", "exchange", "as which messages gradients are summed",
      &exchange_registry, NULL, FALSE },
    { "compressions", "compression", "of gradients on their way",
      &compression_registry, NULL, FALSE },
    { "operations", "operation", "what a role of a program does",
      &program_op_registry, NULL, FALSE },
    { "schedules", "schedule", "the order of pipeline units",
      &schedule_registry, NULL, FALSE },
    { "shardings", "shard", "where gradients and weights lie",
      &sharding_registry, NULL, FALSE },
    { "model", "model", "the shape of a language model", NULL,
      language_model_fields, FALSE },
    { "readers", NULL, "formats of traces that can be read", &read_registry,
      NULL, FALSE },
    { "kernel-file", "kernels", "what acesim kernels times", NULL,
      kernels_fields, FALSE },
    { "kernels", "kernel", "a single kernel", &kernel_registry, NULL, FALSE },
    { "algorithms", NULL, "how ranks carry out a collective", NULL, NULL,
      FALSE },
    { "platform", "platform", "section platform: of a run", NULL,
      platform_fields, FALSE },
    { "npu", "npu", "section npu: of a platform", NULL, npu_fields, FALSE },
    { "language", "language", "section language: of an npu", NULL,
      language_kernel_fields, FALSE },
    { "training", "training", "section training: of a run", NULL,
      training_fields, FALSE },
    { "collectives", "collectives", "section collectives: of a run", NULL,
      collective_fields, FALSE },
    { "calls", "calls", "section calls: of acesim collectives", NULL,
      library_calls_fields, FALSE },
    { "perturb", "perturb", "section perturb: of a run", NULL, perturb_fields,
      FALSE },
    { .name = NULL },
};

const ListTopic *topic_find_file(const char *file)
{
    for (const ListTopic *topic = topics; topic->name; topic++)
        if (topic->file && g_str_equal(topic->file, file))
            return topic;
    return NULL;
}

const char **topic_files(void)
{
    const char **names = g_new0(const char *, G_N_ELEMENTS(topics));
    guint n = 0;

    for (const ListTopic *topic = topics; topic->name; topic++)
        if (topic->file)
            names[n++] = topic->file;
    return names;
}
