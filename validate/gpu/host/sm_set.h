/*
 * sm_set.h - the set of SMs on which the blocks of a kernel ran
 *
 * Errors   SMs from SM_SET_SIZE on are left out
 */
#ifndef VALIDATE_GPU_HOST_SM_SET_H
#define VALIDATE_GPU_HOST_SM_SET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SM_SET_SIZE 256
/* Size of a buffer for the text of a set: one hexadecimal digit for four SMs
 * and the final zero. */
#define SM_SET_TEXT (SM_SET_SIZE / 4 + 1)

typedef struct {
    uint64_t words[SM_SET_SIZE / 64];
} SmSet;

void sm_set_add(SmSet *set, uint32_t sm);

/* Writes the set as a hexadecimal number without leading zeros, whose bit n
 * stands for SM n: "d" is SMs 0, 2 and 3.  Writes "" for an empty set. */
void sm_set_text(const SmSet *set, char ret[SM_SET_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
