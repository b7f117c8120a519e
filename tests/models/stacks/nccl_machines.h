/*
 * nccl_machines.h - the machines of NCCL's test of its search, two of each so
 * that their NICs lead somewhere (NCCLTOPO)
 *
 * The host is a text: a bracket at the top is a CPU, one inside another a
 * switch of PCIe; numbers are GPUs, those with an n NICs.
 */
#ifndef TESTS_MODELS_STACKS_NCCL_MACHINES_H
#define TESTS_MODELS_STACKS_NCCL_MACHINES_H

#include "network/topology.h"

/* Planning bandwidths, GB/s. */
#define PLAN_PASCAL  18
#define PLAN_VOLTA   21
#define PLAN_PCIE    12
#define PLAN_QPI     6
#define PLAN_NETWORK 12

typedef struct {
    const char *name;
    const char *host;
    uint32_t n_gpus, n_nics, n_ports;
    uint32_t nvlink_gb_per_s, cpu_gb_per_s;
    uint32_t nvlinks[24][3]; /* as far as there are links */
    uint32_t to_cpu[8][3];   /* GPU, CPU, NVLinks */
} Machine;

/* The test fails where there is none. */
const Machine *machine_named(const char *name);

/* The caller owns it. */
Topology *machine_topology(const Machine *machine);

#endif
