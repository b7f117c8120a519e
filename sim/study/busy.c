/* busy.c - what of NPU 0 and its links was in use during a run */
#include "sim/study/busy.h"

#include "sim/config/quantity.h"

#define BUSY    0.8 /* of the time (assumed): then a resource binds */
#define WAITING 0.5 /* of the time (assumed): then the window does */

typedef struct {
    const SystemConfig *config;
    const System *system;
    SystemResult r;
    GArray *resources; /* of BusyResource */
} Busy;

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void add_any(Busy *b, char *name, double share, char *detail,
                    gboolean communicates)
{
    const BusyResource resource = {
        .name = name,
        .detail = detail,
        .share = share,
        .communicates = communicates,
    };

    g_array_append_val(b->resources, resource);
}

static void add_resource(Busy *b, char *name, double share, char *detail)
{
    add_any(b, name, share, detail, TRUE);
}

static void clear_resource(gpointer data)
{
    BusyResource *resource = data;

    g_free(resource->name);
    g_free(resource->detail);
}

/* @busy_ps of @n units over the whole run. */
static double share_of_run(const Busy *b, SimTime busy_ps, uint64_t n)
{
    return ratio((double)busy_ps, (double)n * (double)b->r.total_ps);
}

static void add_links(Busy *b)
{
    const Topology *topology = system_topology(b->system);

    for (uint32_t dim = 0; dim < topology_n_dims(topology); dim++) {
        SimTime busy_ps = 0;
        uint64_t n_links = 0;

        for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
            const TopologyPort *port = topology_port(topology, p);

            if (port->dim != dim)
                continue;
            busy_ps += system_port_stats(b->system, p).busy_ps;
            n_links += port->n_links;
        }
        if (n_links > 0)
            add_resource(
                b,
                topology_n_dims(topology) > 1
                    ? g_strdup_printf("links of dimension %u", dim)
                    : g_strdup("links"),
                share_of_run(b, busy_ps, n_links),
                g_strdup_printf("%" G_GUINT64_FORMAT " an NPU", n_links));
    }
}

static void add_engine(Busy *b)
{
    const EndpointStats *e = &b->r.endpoint;

    if (e->n_alus > 0)
        add_resource(b, g_strdup("ALUs"),
                     share_of_run(b, e->alu_busy_ps, e->n_alus),
                     g_strdup_printf("%" G_GUINT64_FORMAT, e->n_alus));
    if (e->n_fsm_slots > 0)
        add_resource(b, g_strdup("FSM slots"),
                     share_of_run(b, e->fsm_busy_ps, e->n_fsm_slots),
                     g_strdup_printf("%" G_GUINT64_FORMAT, e->n_fsm_slots));
    if (e->sram_bytes > 0) {
        g_autofree char *size = quantity_format(e->sram_bytes, CONFIG_BYTES);

        add_resource(b, g_strdup("SRAM, mean"),
                     ratio((double)e->sram_byte_us * 1e6,
                           (double)e->sram_bytes * (double)b->r.total_ps),
                     g_strdup_printf("%s, at most %.1f %% full", size,
                                     100 * ratio((double)e->sram_peak_bytes,
                                                 (double)e->sram_bytes)));
    }
}

static void add_all(Busy *b)
{
    const NpuConfig *npu = &b->config->platform.npu;
    const EndpointStats *e = &b->r.endpoint;
    double n_iterations = (double)b->r.n_iterations;

    add_links(b);
    add_resource(b, g_strdup("HBM for communication"),
                 share_of_run(b, e->hbm_busy_ps, 1),
                 g_strdup("the reading side"));
    add_resource(b, g_strdup("NPU-to-fabric bus"),
                 share_of_run(b, e->bus_busy_ps, 1), g_strdup("outward"));
    add_engine(b);
    add_any(b, g_strdup("SMs computing"),
            ratio((double)b->r.sm_compute_ns * n_iterations * 1000,
                  (double)npu->n_sms * (double)b->r.total_ps),
            g_strdup_printf("%" G_GUINT64_FORMAT, npu->n_sms), FALSE);
}

GArray *busy_resources(const SystemConfig *config, const System *system)
{
    Busy b = {
        .config = config,
        .system = system,
        .r = system_result(system),
        .resources = g_array_new(FALSE, FALSE, sizeof(BusyResource)),
    };

    g_array_set_clear_func(b.resources, clear_resource);
    add_all(&b);
    return b.resources;
}

double busy_most(const SystemConfig *config, const System *system)
{
    g_autoptr(GArray) resources = busy_resources(config, system);
    SystemResult r = system_result(system);
    double under_way = ratio((double)r.comm_ps, (double)r.iteration_ps);
    double most = 0;

    for (guint i = 0; i < resources->len; i++) {
        const BusyResource *resource =
            &g_array_index(resources, BusyResource, i);

        most = MAX(most, resource->communicates && under_way > 0
                             ? resource->share / under_way
                             : resource->share);
    }
    return most;
}

/* A full window is no fault where something is busy as long as collectives are
 * under way; where nothing is, it is what holds everything up. */
gboolean busy_is_window_bound(double window_share, double most)
{
    return window_share >= WAITING && most <= BUSY;
}
