/*
 * reach.h - how far a link leads, and ways that keep to some links
 *
 * A machine has links of several kinds between the same NPUs: some join them
 * directly, some go through the host.  What a message costs depends on which
 * it takes, and who sends it may say which it may take.
 *
 * A plane is a mask of reaches, bit r standing for reach r; 0 stands for all.
 * The `way` of topology_next() says the plane, and the turn, 0 or 1, that
 * settles ties.  That of an NPU to itself may lead up to the switch that adds
 * along a dimension; behind it, topology_way_on() leads down again.
 */
#ifndef NETWORK_REACH_H
#define NETWORK_REACH_H

#include <stdint.h>

typedef enum {
    TOPOLOGY_NEAR,    /* from NPU to NPU, or over a switch of their own */
    TOPOLOGY_HOST,    /* through the host: PCIe, a CPU */
    TOPOLOGY_NETWORK, /* out of the machine */
    TOPOLOGY_N_REACHES,
} TopologyReach;

#define TOPOLOGY_PLANE(reach)     (1U << (reach))
#define TOPOLOGY_WAY(plane, turn) ((uint32_t)(plane) << 1 | ((turn)&1))
#define TOPOLOGY_WAY_PLANE(way)   ((way) >> 1 & 7)
/* To be added to a way: up to what adds along dimension @dim; 0: nowhere. */
#define TOPOLOGY_WAY_UP(dim)   (((uint32_t)(dim) + 1) << 4)
#define TOPOLOGY_IS_UP(way)    ((way) >> 4 != 0)
#define TOPOLOGY_WAY_DIM(way)  (((way) >> 4) - 1)
#define TOPOLOGY_WAY_DOWN(way) ((way)&15)

#endif
