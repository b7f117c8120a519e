/*
 * path_id.h - how far a link leads, and path ids
 *
 * A machine has links of several kinds between the same NPUs: some are direct,
 * others go through the host.  The cost of a message depends on the links it
 * takes, and the sender may restrict them.
 *
 * A plane is a set of reaches: bit r is set if links of reach r are allowed.
 * Plane 0 allows all links.
 *
 * A path id is the last argument of topology_next_link().  Its fields are
 *
 *     bit 0       turn: decides between two paths of equal length
 *     bits 1-3    plane
 *     bits 4-...  0, or 1 + the dimension whose switch reduces the message
 *
 * A message that is to be reduced in a switch is addressed to the sending NPU
 * itself. It goes up to the switch; from there on,
 * topology_path_id_after_switch() removes the upper bits, so that the path
 * leads down again.
 */
#ifndef NETWORK_PATH_ID_H
#define NETWORK_PATH_ID_H

#include <stdint.h>

typedef enum {
    /* The link leads to another NPU directly or through a dedicated switch. */
    TOPOLOGY_NEAR,
    TOPOLOGY_HOST,    /* the link leads through the host: PCIe, a CPU */
    TOPOLOGY_NETWORK, /* the link leads out of the machine */
    TOPOLOGY_N_REACHES,
} TopologyReach;

#define TOPOLOGY_PLANE(reach)         (1U << (reach))
#define TOPOLOGY_PATH_ID(plane, turn) ((uint32_t)(plane) << 1 | ((turn)&1))
#define TOPOLOGY_PATH_PLANE(path_id)  ((path_id) >> 1 & 7)
/* Returns the bits that are added to a path id to address a message to the
 * reducing switch of dimension @dim. */
#define TOPOLOGY_PATH_UP(dim)        (((uint32_t)(dim) + 1) << 4)
#define TOPOLOGY_PATH_IS_UP(path_id) ((path_id) >> 4 != 0)
#define TOPOLOGY_PATH_DIM(path_id)   (((path_id) >> 4) - 1)
#define TOPOLOGY_PATH_DOWN(path_id)  ((path_id)&15)

#endif
