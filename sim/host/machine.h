/*
 * machine.h - what the machine has
 */
#ifndef SIM_HOST_MACHINE_H
#define SIM_HOST_MACHINE_H

#include <stdint.h>

/* Memory of the machine, or address space that this process may have, if that
 * is less.  Never 0. */
uint64_t machine_memory_bytes(void);

#endif
