/*
 * link_graph.h - the links between a few ranks, on which rings and trees are
 * packed
 *
 * A directed multigraph with a number of links from each rank to each other,
 * all of one rate.  Alternatively, all ranks are connected to one switch with
 * the same number of links each; then .links is not used.  Ranks are numbers:
 * the caller knows which NPUs they are.
 *
 * Units    links, all of one rate
 * Range    1 to PACK_MAX_RANKS ranks, 0 to PACK_MAX_LINKS links per pair
 */
#ifndef MODELS_PACKING_LINK_GRAPH_H
#define MODELS_PACKING_LINK_GRAPH_H

#include <glib.h>
#include <stdint.h>

#define PACK_MAX_RANKS 96 /* the largest rack that is built has 72 */
#define PACK_MAX_LINKS 1024

typedef struct {
    uint32_t n;
    /* Number of links of each rank to the switch, in each direction; 0: there
     * is no switch. */
    uint32_t n_ports;
    /* Number of links from one rank to another, at [from][to]. */
    uint32_t links[PACK_MAX_RANKS][PACK_MAX_RANKS];
} PackGraph;

/* A fraction in lowest terms; numerator 0 to G_MAXUINT32, denominator 1 to
 * G_MAXUINT32. */
typedef struct {
    uint32_t num, den;
} PackRatio;

PackRatio pack_ratio_in_lowest_terms(uint64_t num, uint64_t den);
gboolean pack_ratio_is_less(PackRatio a, PackRatio b);
static inline double pack_ratio_to_double(PackRatio ratio)
{
    return (double)ratio.num / ratio.den;
}

/* Adds @n_links in each direction between the ranks @a and @b. */
void pack_graph_add_links(PackGraph *graph, uint32_t a, uint32_t b,
                          uint32_t n_links);

/* Sets @ret to the subgraph of @graph with the ranks @ranks[0 .. n-1]. */
void pack_graph_subgraph(const PackGraph *graph, const uint32_t *ranks,
                         uint32_t n, PackGraph *ret);

/* Sets @ret to @graph with all links reversed. */
void pack_graph_transpose(const PackGraph *graph, PackGraph *ret);

/* Returns whether paths lead from rank 0 to all others. */
gboolean pack_graph_is_connected(const PackGraph *graph);

/* Returns the number of links that exist in both directions; on a switch, the
 * number of links to it. */
uint32_t pack_graph_n_links(const PackGraph *graph);

#endif
