/* layer_block_fixture.h - layers as YAML text for the tests of layer blocks */
#ifndef TESTS_WORKLOADS_LAYER_BLOCK_FIXTURE_H
#define TESTS_WORKLOADS_LAYER_BLOCK_FIXTURE_H

#include "tests/workloads/workload_fixture.h"

#include <string.h>

#include "sim/cli/completion/completion.h"
#include "sim/sensitivity/config_key_pattern.h"
#include "sim/view/list_topic_text.h"

#define HEAD                                                                   \
    "workload:\n"                                                              \
    "  kind: data-parallel\n"                                                  \
    "  name: x\n"                                                              \
    "  batch: 2\n"                                                             \
    "  optimiser: sgd\n"                                                       \
    "  layers:\n"

#define A "{kind: linear, name: a, in: 3, out: 5}"
#define B "{kind: linear, name: b, in: 5, out: 3}"

#endif
