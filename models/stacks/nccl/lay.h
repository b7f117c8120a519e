/*
 * lay.h - channels of one speed, laid until links are full
 *
 * Each channel takes its speed of every link on its ways.  The order of GPUs is
 * tried step by step, nearest GPU first, each channel first as the one before
 * it, and taken back where it does not lead on; the most channels that stood at
 * any time are kept.  The search ends when as many stand as can: no GPU and no
 * NIC has links for one more.
 *
 * A GPU's link to the host carries one flow each way, whatever the speed: so
 * what NCCL finds where all goes over PCIe.  In a plain tree what comes from
 * the NIC and goes there does so in turns.
 *
 * Units    bytes per second
 * Owner    the caller owns the NcclLaid
 */
#ifndef MODELS_STACKS_NCCL_LAY_H
#define MODELS_STACKS_NCCL_LAY_H

#include "models/stacks/nccl/system.h"

typedef struct {
    const NcclSystem *system;
    NcclPattern pattern;
    uint64_t bytes_per_s;
    uint32_t most_channels;
    gboolean has_network;
    gboolean near_only;   /* between GPUs */
    gboolean closest_nic; /* only from and to the GPUs nearest to a NIC */
} NcclWish;

typedef struct {
    uint32_t n_channels;
    uint32_t *orders; /* owned: of GPUs, n_gpus each */
    uint32_t *nics;   /* owned: in and out of each, from 0; without: none */
} NcclLaid;

NcclLaid *nccl_lay(const NcclWish *wish);
void nccl_laid_free(NcclLaid *laid);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclLaid, nccl_laid_free)

#endif
