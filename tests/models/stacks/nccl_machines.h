/*
 * nccl_machines.h - the machines of NCCL's test of its search [NCCLTOPO]
 *
 * Each topology has two machines, so that their NICs lead somewhere.  A
 * machine's host is described by a text.  A bracket at the top level is a CPU,
 * and a bracket inside another is a PCIe switch.  Numbers are GPUs, and numbers
 * after an n are
 * NICs. */
#ifndef TESTS_MODELS_STACKS_NCCL_MACHINES_H
#define TESTS_MODELS_STACKS_NCCL_MACHINES_H

#include "network/topology.h"

/* Rates that the search plans with, in GB/s. */
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
    /* The table of links between GPUs ends at the first unused row. */
    uint32_t nvlinks[24][3];
    /* Each row has a GPU, a CPU and the number of NVLinks between them. */
    uint32_t to_cpu[8][3];
} Machine;

/* Returns the machine called @name.  The test fails if there is none. */
const Machine *find_machine_by_name(const char *name);

/* Returns the topology of @machine, which the caller owns. */
Topology *build_machine_topology(const Machine *machine);

#endif
