/* workload_fixture.h - the `workload` and `training` sections of a YAML text */
#ifndef TESTS_WORKLOADS_WORKLOAD_FIXTURE_H
#define TESTS_WORKLOADS_WORKLOAD_FIXTURE_H

#include "tests/test.h"

#include "workloads/workload.h"

typedef struct {
    ConfigVariant workload;
    TrainingConfig training;
} WorkloadRoot;

static const ConfigField workload_root_fields[] = {
    { .key = "workload",
      .help = "the one to test",
      .type = CONFIG_KIND,
      .offset = offsetof(WorkloadRoot, workload),
      .registry = &workload_registry },
    { .key = "training",
      .help = "how it is trained",
      .type = CONFIG_SECTION,
      .offset = offsetof(WorkloadRoot, training),
      .fields = training_fields,
      .fallback = "{}" },
    CONFIG_END,
};

#endif
