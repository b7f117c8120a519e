/*
 * version.h - which release of NCCL, as its own numbers have it
 *
 * What a release brought is off before it.  Without a number it is the latest
 * one, which has all.
 *
 * Sources  release notes [NCCLNOTES], where not said otherwise
 */
#ifndef MODELS_STACKS_NCCL_VERSION_H
#define MODELS_STACKS_NCCL_VERSION_H

#include <glib.h>
#include <stdint.h>

#define NCCL_VERSION(major, minor, patch)                                      \
    ((uint32_t)((major)*10000 + (minor)*100 + (patch)))
#define NCCL_LATEST_VERSION UINT32_MAX

/* Double binary trees. */
#define NCCL_HAS_TREES NCCL_VERSION(2, 4, 2)
/* LL128; recalled. */
#define NCCL_HAS_LL128 NCCL_VERSION(2, 5, 6)
/* SHARP between machines. */
#define NCCL_HAS_COLLNET NCCL_VERSION(2, 6, 4)
/* From it on SHARP is by Simple alone, with a switch or along a chain in a
 * machine; before along a chain, by LL, too [NCCLTUNING]; recalled. */
#define NCCL_COLLNET_APART NCCL_VERSION(2, 14, 3)
/* NVLS in a machine. */
#define NCCL_HAS_NVLS NCCL_VERSION(2, 17, 1)
/* NVLS in each of several machines, with trees or SHARP between them. */
#define NCCL_HAS_NVLS_TREE NCCL_VERSION(2, 18, 1)
/* From it on no flush of what a NIC has written to Hopper [AWSOFI]. */
#define NCCL_NEEDS_NO_FLUSH NCCL_VERSION(2, 19, 1)
/* Small pieces of NVLSTree from four machines on [NCCLTUNING]. */
#define NCCL_TREE_PIECES_SMALL NCCL_VERSION(2, 19, 3)
/* Pieces of NVLSTree no larger than those of NVLS [NCCLTUNING]. */
#define NCCL_TREE_PIECES_AS_NVLS NCCL_VERSION(2, 20, 3)
/* All-gathers and reduce-scatters of one GPU a machine. */
#define NCCL_HAS_PAT NCCL_VERSION(2, 23, 4)

/* Of "2.18", "2.18.5" or "latest"; 0: it is none of these. */
uint32_t nccl_version(const char *text);

#endif
