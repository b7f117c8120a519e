/* test_shortest.c - Compares paths through random graphs with a search over all
 * links of each node. */
#include "tests/test.h"

#include "network/routing/shortest_paths.h"
#include "sim/core/rng.h"

#define N_NODES 60
#define N_LINKS 400

typedef struct {
    uint32_t from[N_LINKS], to[N_LINKS];
    gboolean uses[N_LINKS];
    ShortestRoutesInput config;
} RandomGraph;

/* Draws a random graph. In every second graph, one node has a link to each
 * other node, since nodes with many links are treated differently. */
static void draw_random_graph(RandomGraph *d, uint64_t seed, gboolean hashes)
{
    RngStream stream = rng_new_stream(seed, "shortest");
    uint32_t hub = seed % 2 == 0 ? N_NODES - 1 : N_NODES;

    for (uint32_t i = 0; i < N_LINKS; i++) {
        d->from[i] =
            (uint32_t)(rng_value_at_indices(stream, i, 0, 0) % N_NODES);
        d->to[i] = (uint32_t)(rng_value_at_indices(stream, i, 1, 0) % N_NODES);
        if (hub < N_NODES && i < hub)
            d->from[i] = hub;
        if (hub < N_NODES && i < hub)
            d->to[i] = i;
        d->uses[i] = rng_value_at_indices(stream, i, 2, 0) % 8 != 0;
    }
    d->config = (ShortestRoutesInput){ .n_nodes = N_NODES,
                                       .n_targets = 40,
                                       .n_links = N_LINKS,
                                       .n_ends = (uint32_t)(seed % 30),
                                       .from = d->from,
                                       .to = d->to,
                                       .uses = d->uses,
                                       .hashes = hashes,
                                       .seed = seed };
}

static gboolean link_leads_closer(const RandomGraph *d,
                                  const ShortestRoutes *routes, uint32_t link,
                                  uint32_t target)
{
    uint32_t at = d->from[link], next = d->to[link];

    return d->uses[link] && (next >= d->config.n_ends || next == target) &&
           shortest_routes_n_hops(routes, next, target) ==
               shortest_routes_n_hops(routes, at, target) - 1;
}

static uint32_t first_link_that_leads_closer(const RandomGraph *d,
                                             const ShortestRoutes *routes,
                                             uint32_t at, uint32_t target)
{
    for (uint32_t link = 0; link < N_LINKS; link++)
        if (d->from[link] == at && link_leads_closer(d, routes, link, target))
            return link;
    return UINT32_MAX;
}

static void check_shortest_paths(const RandomGraph *d)
{
    ShortestRoutes *routes = shortest_routes_new(&d->config);

    for (uint32_t at = 0; at < N_NODES; at++)
        for (uint32_t target = 0; target < d->config.n_targets; target++) {
            uint32_t link;

            if (at == target ||
                shortest_routes_n_hops(routes, at, target) == UINT32_MAX)
                continue;
            link = shortest_routes_next_link(routes, at, target, 1);
            assert_int_equal(d->from[link], at);
            if (d->config.hashes)
                assert_true(link_leads_closer(d, routes, link, target));
            else
                assert_int_equal(
                    link, first_link_that_leads_closer(d, routes, at, target));
        }
    shortest_routes_free(routes);
}

static void test_the_first_link_that_leads_closer_is_taken(void **state)
{
    RandomGraph d;

    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        draw_random_graph(&d, seed, FALSE);
        check_shortest_paths(&d);
    }
}

static void test_a_hash_chooses_among_the_links_that_lead_closer(void **state)
{
    RandomGraph d;

    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        draw_random_graph(&d, seed, TRUE);
        check_shortest_paths(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_link_that_leads_closer_is_taken),
        cmocka_unit_test(test_a_hash_chooses_among_the_links_that_lead_closer),
    };

    return cmocka_run_group_tests_name("shortest", tests, NULL, NULL);
}
