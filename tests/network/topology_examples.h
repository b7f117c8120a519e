/* topology_examples.h - examples of every kind of topology */
#ifndef TESTS_NETWORK_TOPOLOGY_EXAMPLES_H
#define TESTS_NETWORK_TOPOLOGY_EXAMPLES_H

#include "tests/network/topology_fixture.h"

#define LINK "bandwidth: 25 GB/s, latency: 10 ns"

#define BOTH(size)        "{ size: " #size ", links: 2, " LINK " }"
#define ONE(size)         "{ size: " #size ", direction: one, " LINK " }"
#define TORUS(dims)       "{ kind: torus, dims: [" dims "] }"
#define GROUP(kind, npus) "{ kind: " kind ", npus: " #npus ", " LINK " }"

typedef struct {
    const char *kind;
    const char *text;
    /* The sizes of the dimensions end with the first 0. */
    uint32_t sizes[TOPOLOGY_MAX_DIMS];
    uint32_t one_way; /* Bit d is set if dimension d has one direction. */
} Example;

#define SHAPED(shape, size)                                                    \
    "{ shape: " #shape ", size: " #size ", links: 2, " LINK " }"
#define GRID(dims) "{ kind: grid, dims: [" dims "] }"
#define LINE(size) "{ size: " #size ", links: 2, " LINK " }"
#define MESH(dims) "{ kind: mesh, dims: [" dims "] }"

/* A ring of three NPUs, two of which are joined to a switch with two NICs. */
#define NODE                                                                   \
    "{ kind: graph, nodes: [{ name: a, kind: npu }, { name: b, kind: npu }, "  \
    "{ name: c, kind: npu }, { name: sw, kind: switch }, "                     \
    "{ name: n, kind: nic }, { name: m, kind: nic }], links: ["                \
    "{ from: a, to: b, " LINK " }, { from: b, to: c, " LINK " }, "             \
    "{ from: c, to: a, " LINK " }, { from: a, to: sw, " LINK " }, "            \
    "{ from: c, to: sw, " LINK " }, { from: sw, to: n, " LINK " }, "           \
    "{ from: sw, to: m, " LINK " }] }"
/* Four NPUs, two leaves and two spines. */
#define CLOS                                                                   \
    "{ kind: graph, nodes: [{ name: a, kind: npu }, { name: b, kind: npu }, "  \
    "{ name: c, kind: npu }, { name: d, kind: npu }, "                         \
    "{ name: l0, kind: switch }, { name: l1, kind: switch }, "                 \
    "{ name: s0, kind: switch }, { name: s1, kind: switch }], links: ["        \
    "{ from: a, to: l0, " LINK " }, { from: b, to: l0, " LINK " }, "           \
    "{ from: c, to: l1, " LINK " }, { from: d, to: l1, " LINK " }, "           \
    "{ from: l0, to: s0, " LINK " }, { from: l0, to: s1, " LINK " }, "         \
    "{ from: l1, to: s0, " LINK " }, { from: l1, to: s1, " LINK " }] }"
#define FAT(npus, more)                                                        \
    "{ kind: fat-tree, npus: " #npus ", " more ", " LINK " }"
#define NESTED(count, inner, nics, rails, outer)                               \
    "{ kind: nested, count: " #count ", inner: " inner ", " nics               \
    ", rails: " #rails ", outer: " outer " }"
#define NICS(n) "nics: " #n ", nic: { " LINK " }"

static const Example examples[] = {
    { "torus", TORUS(BOTH(1)), { 1 }, 0 },
    { "torus", TORUS(BOTH(2)), { 2 }, 0 },
    { "torus", TORUS(BOTH(3)), { 3 }, 0 },
    { "torus", TORUS(BOTH(4)), { 4 }, 0 },
    { "torus", TORUS(BOTH(9)), { 9 }, 0 },
    { "torus", TORUS(ONE(1)), { 1 }, 1 },
    { "torus", TORUS(ONE(2)), { 2 }, 1 },
    { "torus", TORUS(ONE(7)), { 7 }, 1 },
    { "torus", TORUS(BOTH(4) ", " BOTH(3)), { 4, 3 }, 0 },
    { "torus", TORUS(BOTH(3) ", " BOTH(4) ", " BOTH(2)), { 3, 4, 2 }, 0 },
    { "torus", TORUS(BOTH(1) ", " BOTH(5) ", " BOTH(1)), { 1, 5, 1 }, 0 },
    { "torus", TORUS(ONE(4) ", " BOTH(1) ", " BOTH(4)), { 4, 1, 4 }, 1 },
    { "torus", TORUS(BOTH(3) ", " ONE(2) ", " ONE(3)), { 3, 2, 3 }, 6 },
    { "torus",
      TORUS(BOTH(2) ", " BOTH(2) ", " BOTH(2) ", " BOTH(2) ", " BOTH(2)),
      { 2, 2, 2, 2, 2 },
      0 },
    { "mesh", MESH(LINE(1)), { 1 }, 0 },
    { "mesh", MESH(LINE(8)), { 8 }, 0 },
    { "mesh", MESH(LINE(3) ", " LINE(4)), { 3, 4 }, 0 },
    { "mesh", MESH(LINE(2) ", " LINE(1) ", " LINE(5)), { 2, 1, 5 }, 0 },
    { "grid", GRID(SHAPED(ring, 4) ", " SHAPED(ring, 3)), { 4, 3 }, 0 },
    { "grid", GRID(SHAPED(line, 3) ", " SHAPED(ring, 4)), { 3, 4 }, 0 },
    { "grid", GRID(SHAPED(switch, 4) ", " SHAPED(switch, 3)), { 4, 3 }, 0 },
    { "grid", GRID(SHAPED(full, 3) ", " SHAPED(full, 5)), { 3, 5 }, 0 },
    { "grid",
      GRID(SHAPED(ring, 3) ", " SHAPED(switch, 2) ", " SHAPED(full, 3)),
      { 3, 2, 3 },
      0 },
    { "grid",
      GRID(SHAPED(switch, 2) ", " SHAPED(line, 3) ", " SHAPED(switch, 3)),
      { 2, 3, 3 },
      0 },
    { "fat-tree", FAT(8, "radix: 4"), { 8 }, 0 },
    { "fat-tree", FAT(7, "radix: 4, equal_cost: destination"), { 7 }, 0 },
    { "fat-tree", FAT(16, "radix: 4, levels: 3"), { 16 }, 0 },
    { "fat-tree", FAT(9, "radix: 4, levels: 4"), { 9 }, 0 },
    { "fat-tree", FAT(12, "radix: 6, oversubscription: 2"), { 12 }, 0 },
    { "fat-tree", FAT(5, "levels: 1"), { 5 }, 0 },
    { "graph", NODE, { 3 }, 0 },
    { "graph", CLOS, { 4 }, 0 },
    { "nested",
      NESTED(4, GROUP("switch", 4), NICS(1), false, GROUP("switch", 4)),
      { 4, 4 },
      0 },
    { "nested",
      NESTED(3, GROUP("fully-connected", 4), NICS(2), false,
             GROUP("switch", 6)),
      { 4, 3 },
      0 },
    { "nested",
      NESTED(3, TORUS(BOTH(2) ", " BOTH(3)), NICS(3), true, TORUS(BOTH(3))),
      { 2, 3, 3 },
      0 },
    { "nested",
      NESTED(6, GROUP("switch", 2), NICS(2), false,
             TORUS(BOTH(4) ", " BOTH(3))),
      { 2, 6 },
      0 },
    { "nested",
      NESTED(4, GROUP("switch", 2), NICS(1), false, MESH(LINE(4))),
      { 2, 4 },
      0 },
    { "nested",
      NESTED(4, GROUP("switch", 2), NICS(1), false, CLOS),
      { 2, 4 },
      0 },
    { "nested",
      NESTED(2, NODE, "nics: 0", false, GROUP("switch", 4)),
      { 3, 2 },
      0 },
    { "nested",
      NESTED(3, NODE, "nics: 0", true, GROUP("switch", 3)),
      { 3, 3 },
      0 },
    { "nested",
      NESTED(3, GROUP("switch", 4), NICS(2), false,
             "{ kind: fat-tree, radix: 4, " LINK " }"),
      { 4, 3 },
      0 },
    /* Two nodes below each leaf, on one tree and on one for each rail. */
    { "nested",
      NESTED(6, GROUP("switch", 2), NICS(1), false,
             "{ kind: fat-tree, radix: 4, " LINK " }"),
      { 2, 6 },
      0 },
    { "nested",
      NESTED(4, GROUP("switch", 3), NICS(3), true,
             "{ kind: fat-tree, radix: 4, " LINK " }"),
      { 3, 4 },
      0 },
    { "nested",
      NESTED(5, GROUP("switch", 3), NICS(3), true,
             "{ kind: fat-tree, radix: 4, " LINK " }"),
      { 3, 5 },
      0 },
    /* Half of a node below each leaf. */
    { "nested",
      NESTED(3, GROUP("switch", 4), NICS(4), false,
             "{ kind: fat-tree, radix: 4, levels: 3, " LINK " }"),
      { 4, 3 },
      0 },
    { "switch", GROUP("switch", 1), { 1 }, 0 },
    { "switch", GROUP("switch", 2), { 2 }, 0 },
    { "switch", GROUP("switch", 9), { 9 }, 0 },
    { "switch", "{kind: switch, npus: 4, reduces: true, " LINK "}", { 4 }, 0 },
    { "fully-connected", GROUP("fully-connected", 1), { 1 }, 0 },
    { "fully-connected", GROUP("fully-connected", 2), { 2 }, 0 },
    { "fully-connected", GROUP("fully-connected", 9), { 9 }, 0 },
};

#endif
