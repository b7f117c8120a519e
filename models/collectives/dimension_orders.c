/* dimension_orders.c - the sequence in which chunks use the orders of
 * dimensions */
#include "models/collectives/dimension_orders.h"

#include "models/collectives/planning/dimension_phases.h"
#include "sim/core/time.h"

const char *const coll_order_names[] = { "fixed", "rotated", "auto", NULL };

/* Time that the links of each dimension need, summed over the chunks. */
typedef struct {
    uint64_t ps[COLL_MAX_DIMS];
} DimLoad;

/* ---- loads ------------------------------------------------------------ */

static uint64_t dim_bytes_per_s(const Topology *topology, uint32_t dim)
{
    uint64_t sum = 0;

    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_get_port(topology, p);

        if (port->dim == dim)
            sum += port->n_links * port->payload_bytes_per_s;
    }
    return sum;
}

static DimLoad dim_load_of_plan(const CollPlan *plan, const Topology *topology,
                                uint64_t chunk_bytes)
{
    DimLoad load = { 0 };

    for (uint32_t p = 0; p < plan->n_phases; p++) {
        const CollPhase *phase = &plan->phases[p];

        if (plan->by_dims)
            load.ps[phase->dim] = sim_time_add(
                load.ps[phase->dim],
                sim_time_from_bytes(coll_sent_bytes(phase, chunk_bytes),
                                    dim_bytes_per_s(topology, phase->dim)));
    }
    return load;
}

static DimLoad add_dim_loads(const DimLoad *given, const DimLoad *load)
{
    DimLoad sum;

    for (uint32_t d = 0; d < COLL_MAX_DIMS; d++)
        sum.ps[d] = sim_time_add(given->ps[d], load->ps[d]);
    return sum;
}

/* Returns @load sorted with the busiest dimension first. */
static DimLoad sort_dim_load(const DimLoad *load)
{
    DimLoad by = *load;

    for (uint32_t i = 1; i < COLL_MAX_DIMS; i++)
        for (uint32_t j = i; j > 0 && by.ps[j] > by.ps[j - 1]; j--) {
            uint64_t more = by.ps[j];

            by.ps[j] = by.ps[j - 1];
            by.ps[j - 1] = more;
        }
    return by;
}

/* Compares two sorted loads, the busiest dimension first. */
static gboolean dim_load_is_less(const DimLoad *a, const DimLoad *b)
{
    uint32_t d = 0;

    while (d + 1 < COLL_MAX_DIMS && a->ps[d] == b->ps[d])
        d++;
    return a->ps[d] < b->ps[d];
}

/* Returns the index of the load in @loads that keeps the busiest dimension
 * least loaded if added to @given. */
static uint32_t find_least_loaded_order(const DimLoad *loads, uint32_t n,
                                        const DimLoad *given)
{
    DimLoad best_load = { 0 };
    uint32_t best = 0;

    for (uint32_t o = 0; o < n; o++) {
        DimLoad load = add_dim_loads(given, &loads[o]);

        load = sort_dim_load(&load);
        if (o > 0 && !dim_load_is_less(&load, &best_load))
            continue;
        best = o;
        best_load = load;
    }
    return best;
}

/* ---- construction ----------------------------------------------------- */

static void append_dim_order(CollOrders *orders, const CollPlan *plan)
{
    g_assert(orders->n < COLL_MAX_ORDERS);
    orders->plans[orders->n++] = *plan;
}

/* Replaces @order by the next permutation in lexicographic order.  Returns
 * FALSE after the last one. */
static gboolean next_permutation(uint32_t *order, uint32_t n)
{
    uint32_t i = n - 1, j = n - 1, kept;

    while (i > 0 && order[i - 1] > order[i])
        i--;
    if (i == 0)
        return FALSE;
    while (order[j] < order[i - 1])
        j--;
    kept = order[i - 1];
    order[i - 1] = order[j];
    order[j] = kept;
    for (j = n - 1; i < j; i++, j--) {
        kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    return TRUE;
}

static void add_rotated_orders(CollOrders *orders, const CollPlan *given,
                               const Topology *topology)
{
    uint32_t dims[COLL_MAX_DIMS], order[COLL_MAX_DIMS];
    uint32_t n_dims = coll_plan_dims_in_mask(topology, given->dims_mask, dims);
    CollPlan plan;

    for (uint32_t first = 0; first < n_dims; first++) {
        for (uint32_t i = 0; i < n_dims; i++)
            order[i] = dims[(first + i) % n_dims];
        coll_plan_init_rings(&plan, given->kind, topology, order, n_dims);
        append_dim_order(orders, &plan);
    }
}

static void add_permuted_orders(CollOrders *orders, const CollPlan *given,
                                const Topology *topology)
{
    uint32_t order[COLL_MAX_DIMS];
    uint32_t n_dims = coll_plan_dims_in_mask(topology, given->dims_mask, order);
    CollPlan plan;

    do {
        coll_plan_init_rings(&plan, given->kind, topology, order, n_dims);
        append_dim_order(orders, &plan);
    } while (next_permutation(order, n_dims));
}

static void make_order_sequence(CollOrders *orders, CollOrder rule,
                                const Topology *topology, uint64_t chunk_bytes)
{
    g_autofree DimLoad *loads = g_new(DimLoad, orders->n);
    DimLoad given = { 0 };

    for (uint32_t o = 0; o < orders->n; o++)
        loads[o] = dim_load_of_plan(&orders->plans[o], topology, chunk_bytes);
    for (uint32_t i = 0; i < COLL_ORDER_SEQUENCE; i++) {
        uint32_t o = rule == COLL_ORDER_AUTO
                         ? find_least_loaded_order(loads, orders->n, &given)
                         : i % orders->n;

        given = add_dim_loads(&given, &loads[o]);
        orders->sequence[i] = (guint8)o;
        orders->shares[o]++;
    }
}

/* Removes the orders that no chunk uses. */
static void drop_unused_orders(CollOrders *orders)
{
    guint8 moved[COLL_MAX_ORDERS];
    uint32_t n = 0;

    for (uint32_t o = 0; o < orders->n; o++) {
        if (orders->shares[o] == 0)
            continue;
        orders->plans[n] = orders->plans[o];
        orders->shares[n] = orders->shares[o];
        moved[o] = (guint8)n++;
    }
    for (uint32_t i = 0; i < COLL_ORDER_SEQUENCE; i++)
        orders->sequence[i] = moved[orders->sequence[i]];
    orders->n = n;
}

void coll_orders_init(CollOrders *orders, CollOrder rule, const CollPlan *plan,
                      const Topology *topology, uint64_t chunk_bytes)
{
    *orders = (CollOrders){ .rule = rule,
                            .plans = g_new(CollPlan, COLL_MAX_ORDERS),
                            .shares = g_new0(uint32_t, COLL_MAX_ORDERS) };
    if (!plan->may_reorder || rule == COLL_ORDER_FIXED)
        append_dim_order(orders, plan);
    else if (rule == COLL_ORDER_ROTATED || plan->kind == COLL_ALL_REDUCE)
        add_rotated_orders(orders, plan, topology);
    else
        add_permuted_orders(orders, plan, topology);
    make_order_sequence(orders, rule, topology, chunk_bytes);
    drop_unused_orders(orders);
    orders->plans = g_renew(CollPlan, orders->plans, orders->n);
}

/* Returns the channel that is furthest behind its share of the chunks. */
static uint32_t channel_with_least_load(const CollOrders *orders,
                                        const uint32_t *shares, uint64_t sum,
                                        uint64_t n_gone)
{
    int64_t most = INT64_MIN;
    uint32_t first = 0;

    for (uint32_t o = 0; o < orders->n; o++) {
        int64_t behind = (int64_t)((n_gone + 1) * shares[o]) -
                         (int64_t)(orders->shares[o] * sum);

        if (shares[o] == 0 || behind <= most)
            continue;
        most = behind;
        first = o;
    }
    return first;
}

void coll_orders_init_channels(CollOrders *orders, CollPlan *plans,
                               const uint32_t *shares, uint32_t n)
{
    uint64_t sum = 0;

    g_assert(n > 0 && n <= COLL_MAX_ORDERS);
    for (uint32_t o = 0; o < n; o++)
        sum += shares[o];
    g_assert(sum > 0);
    *orders =
        (CollOrders){ .n = n, .plans = plans, .shares = g_new0(uint32_t, n) };
    for (uint32_t i = 0; i < COLL_ORDER_SEQUENCE; i++) {
        uint32_t o = channel_with_least_load(orders, shares, sum, i);

        orders->sequence[i] = (guint8)o;
        orders->shares[o]++;
    }
}

gboolean coll_orders_are_fixed(const CollOrders *orders, const CollPlan *plan)
{
    if (orders->n != 1)
        return FALSE;
    for (uint32_t p = 0; p < plan->n_phases; p++)
        if (orders->plans[0].phases[p].dim != plan->phases[p].dim)
            return FALSE;
    return TRUE;
}

const CollPlan *coll_orders_plan_of_chunk(const CollOrders *orders, uint64_t i)
{
    return &orders->plans[orders->sequence[i % COLL_ORDER_SEQUENCE]];
}

void coll_orders_clear(CollOrders *orders)
{
    g_clear_pointer(&orders->plans, g_free);
    g_clear_pointer(&orders->shares, g_free);
}
