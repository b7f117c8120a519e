/*
 * release_version.h - release numbers of NCCL
 *
 * Features of later releases are off.  "latest" has all features.
 *
 * Sources  release notes [NCCLNOTES] if no other source is named
 */
#ifndef MODELS_STACKS_NCCL_RELEASE_VERSION_H
#define MODELS_STACKS_NCCL_RELEASE_VERSION_H

#include <glib.h>
#include <stdint.h>

#define NCCL_VERSION(major, minor, patch)                                      \
    ((uint32_t)((major)*10000 + (minor)*100 + (patch)))
#define NCCL_LATEST_VERSION UINT32_MAX

/* The first release with double binary trees between machines. */
#define NCCL_HAS_TREES NCCL_VERSION(2, 4, 2)
/* The first release with the protocol LL128.  From memory. */
#define NCCL_HAS_LL128 NCCL_VERSION(2, 5, 6)
/* The first release with SHARP between machines (CollNet). */
#define NCCL_HAS_COLLNET NCCL_VERSION(2, 6, 4)
/* The first release in which CollNet uses only Simple, with a switch or a chain
 * inside machines.  Earlier releases use a chain, also with LL [NCCLTUNING].
 * From memory. */
#define NCCL_COLLNET_SIMPLE_ONLY NCCL_VERSION(2, 14, 3)
/* The first release with NVLS inside one machine. */
#define NCCL_HAS_NVLS NCCL_VERSION(2, 17, 1)
/* The first release with NVLS in each of several machines, with trees or SHARP
 * between them. */
#define NCCL_HAS_NVLS_TREE NCCL_VERSION(2, 18, 1)
/* The first release in which Hopper needs no flush of data that a NIC has
 * written [AWSOFI]. */
#define NCCL_NEEDS_NO_FLUSH NCCL_VERSION(2, 19, 1)
/* The first release in which NVLSTree uses small pieces for four or more
 * machines [NCCLTUNING]. */
#define NCCL_TREE_PIECES_SMALL NCCL_VERSION(2, 19, 3)
/* The first release in which pieces of NVLSTree are at most as large as those
 * of NVLS [NCCLTUNING]. */
#define NCCL_TREE_PIECES_AS_NVLS NCCL_VERSION(2, 20, 3)
/* The first release whose cost model assumes 25 us of NVLS instead of 23.  The
 * sources of 2.19 have 23 and those of 2.28 have 25 [NCCLTUNING]; the release
 * in between is from memory. */
#define NCCL_NVLS_MODEL_SLOWER NCCL_VERSION(2, 20, 3)
/* The first release with PAT: all-gathers and reduce-scatters with one GPU in
 * each machine. */
#define NCCL_HAS_PAT NCCL_VERSION(2, 23, 4)

/* Returns the number of a version such as "2.18", "2.18.5" or "latest", or 0 if
 * @text is not a version. */
uint32_t nccl_parse_version(const char *text);

#endif
