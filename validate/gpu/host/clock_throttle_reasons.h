/* clock_throttle_reasons.h - names of the reasons why a GPU lowered
 * its clock */
#ifndef VALIDATE_GPU_HOST_CLOCK_THROTTLE_REASONS_H
#define VALIDATE_GPU_HOST_CLOCK_THROTTLE_REASONS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the reasons, such as "power-cap hw-thermal", or "" if there are none.
 * The bit for an idle GPU is no reason. */
void throttle_text(uint64_t throttle, char *ret, size_t size);

#ifdef __cplusplus
}
#endif

#endif
