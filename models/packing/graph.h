/*
 * graph.h - the links between a few ranks, as rings and trees are packed
 *
 * A directed multigraph: so many links of one rate from each rank to each
 * other.  Or all ranks hang on one switch, each by as many links, and no pair
 * has any of its own; then .links is not looked at.  Ranks do not stand for
 * NPUs: whoever makes the graph knows which are meant.
 *
 * Units    links, all of one rate
 * Range    1 to PACK_MAX_RANKS ranks, 0 to PACK_MAX_LINKS links of a pair
 */
#ifndef MODELS_PACKING_GRAPH_H
#define MODELS_PACKING_GRAPH_H

#include <glib.h>
#include <stdint.h>

#define PACK_MAX_RANKS 96 /* a rack of 72 is the largest that is built */
#define PACK_MAX_LINKS 1024

typedef struct {
    uint32_t n;
    uint32_t n_ports; /* each rank's to the switch, each way; 0: no switch */
    uint32_t links[PACK_MAX_RANKS][PACK_MAX_RANKS]; /* [from][to] */
} PackGraph;

/* A fraction, 0 to G_MAXUINT32 by 1 to G_MAXUINT32, in lowest terms. */
typedef struct {
    uint32_t num, den;
} PackRatio;

PackRatio pack_ratio(uint64_t num, uint64_t den);
gboolean pack_ratio_is_less(PackRatio a, PackRatio b);
static inline double pack_ratio_value(PackRatio ratio)
{
    return (double)ratio.num / ratio.den;
}

/* As many links back as there. */
void pack_graph_join(PackGraph *graph, uint32_t a, uint32_t b,
                     uint32_t n_links);

/* @ret: the ranks @ranks[0 .. n-1] of @graph and what joins them. */
void pack_graph_pick(const PackGraph *graph, const uint32_t *ranks, uint32_t n,
                     PackGraph *ret);

/* Every link turned round. */
void pack_graph_transpose(const PackGraph *graph, PackGraph *ret);

/* TRUE when ways lead from rank 0 to all others. */
gboolean pack_graph_is_connected(const PackGraph *graph);

/* Those that are there both ways, of all pairs; on a switch those to it. */
uint32_t pack_graph_n_links(const PackGraph *graph);

#endif
