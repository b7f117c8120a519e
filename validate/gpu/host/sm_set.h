/*
 * sm_set.h - the set of SMs on which the blocks of a kernel ran
 *
 * Errors   SMs from SM_SET_SIZE on are left out
 */
#ifndef VALIDATE_GPU_HOST_SM_SET_H
#define VALIDATE_GPU_HOST_SM_SET_H

#include <stddef.h>
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

/* Sets that have no SM in common, each of at least two SMs. */
#define MAX_SM_GROUPS (SM_SET_SIZE / 2)

typedef struct {
    SmSet sets[MAX_SM_GROUPS];
    size_t n;
} SmGroups;

/* Joins the SMs of @together, and all sets that have an SM in common with it,
 * to one set. */
void sm_groups_add(SmGroups *groups, SmSet together);

#ifdef __cplusplus
}
#endif

#endif
