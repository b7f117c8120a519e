/* throttle.h - why a GPU lowered its clock, in words */
#ifndef VALIDATE_GPU_HOST_THROTTLE_H
#define VALIDATE_GPU_HOST_THROTTLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "power-cap hw-thermal", or "" for none; idling is no reason. */
void throttle_text(uint64_t throttle, char *ret, size_t size);

#ifdef __cplusplus
}
#endif

#endif
