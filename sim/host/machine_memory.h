/*
 * machine_memory.h - the resources of the machine
 */
#ifndef SIM_HOST_MACHINE_MEMORY_H
#define SIM_HOST_MACHINE_MEMORY_H

#include <stdint.h>

/* Returns the memory of the machine, or the address space limit of this process
 * if that is smaller.  Never 0. */
uint64_t machine_memory_bytes(void);

#endif
