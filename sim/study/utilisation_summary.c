/* utilisation_summary.c - how much of each resource of NPU 0 and of its links
 * was in use during a run */
#include "sim/study/utilisation_summary.h"

#include <string.h>

#include "network/symmetry_classes.h"
#include "sim/config/quantity.h"

/* A resource that is in use for at least this share of the time counts as the
 * bottleneck (assumed). */
#define BUSY_SHARE 0.8
/* The window counts as the bottleneck if chunks wait for it during at least
 * this share of the time (assumed). */
#define WAITING_SHARE 0.5

typedef struct {
    const SystemConfig *config;
    const System *system;
    SystemResult r;
    guint n_listed;    /* number of resources of the system's list that are
                        * included */
    GArray *resources; /* owned: of ResourceUtilisation */
} UtilisationListBuilder;

static double ratio_or_zero_if_no_capacity(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void add_utilisation_entry(UtilisationListBuilder *builder, char *name,
                                  double share, char *detail,
                                  gboolean communicates)
{
    const ResourceUtilisation resource = {
        .name = name,
        .detail = detail,
        .share = share,
        .communicates = communicates,
    };

    g_array_append_val(builder->resources, resource);
}

static void add_resource_share(UtilisationListBuilder *builder, char *name,
                               double share, char *detail)
{
    add_utilisation_entry(builder, name, share, detail, TRUE);
}

static void clear_resource_utilisation(gpointer data)
{
    ResourceUtilisation *resource = data;

    g_free(resource->name);
    g_free(resource->detail);
}

/* Returns the share of the run for which @n units were in use, @busy_ps
 * together. */
static double busy_share_of_run(const UtilisationListBuilder *builder,
                                SimTime busy_ps, uint64_t n)
{
    return ratio_or_zero_if_no_capacity((double)busy_ps,
                                        (double)n * (double)builder->r.span_ps);
}

/* Adds all links of a dimension as one resource.  All NPUs have the same links,
 * and their names are equal. */
static void add_dimension_links(UtilisationListBuilder *builder, uint32_t dim)
{
    const Topology *topology = system_topology(builder->system);
    SimTime busy_ps = 0;
    uint64_t n_links = 0;

    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_get_port(topology, p);

        if (port->dim != dim)
            continue;
        busy_ps += system_port_stats(builder->system, p).busy_ps;
        n_links += port->n_links;
    }
    if (n_links > 0)
        add_resource_share(builder,
                           topology_n_dims(topology) > 1
                               ? g_strdup_printf("%s of dimension %u",
                                                 resource_links.title, dim)
                               : g_strdup(resource_links.title),
                           busy_share_of_run(builder, busy_ps, n_links),
                           g_strdup_printf("%" G_GUINT64_FORMAT " link%s",
                                           n_links, n_links == 1 ? "" : "s"));
}

/* Adds the busiest link.  It represents all links if several NPUs and switches
 * have different ones, because a link that is always busy holds up the
 * others. */
static void add_busiest_link_resource(UtilisationListBuilder *builder)
{
    const Topology *topology = system_topology(builder->system);
    uint32_t n = topology_n_ports(topology), best = 0;
    double most = -1;

    for (uint32_t p = 0; p < n; p++) {
        double share = busy_share_of_run(
            builder, system_port_stats(builder->system, p).busy_ps,
            topology_get_port(topology, p)->n_links);

        best = share > most ? p : best;
        most = MAX(most, share);
    }
    if (n > 0)
        add_resource_share(
            builder, g_strdup_printf("%s, the busiest", resource_links.title),
            most,
            g_strdup_printf("%s of %u", topology_get_port(topology, best)->name,
                            n));
}

static void add_link_resources(UtilisationListBuilder *builder)
{
    const Topology *topology = system_topology(builder->system);

    if (topology_get_symmetry(topology)->unit_ends > 1)
        add_busiest_link_resource(builder);
    else
        for (uint32_t dim = 0; dim < topology_n_dims(topology); dim++)
            add_dimension_links(builder, dim);
    for (uint32_t l = 0; l < topology_n_limits(topology); l++) {
        const TopologyLimit *limit = topology_get_limit(topology, l);
        g_autofree char *rate =
            quantity_format(limit->bytes_per_s, CONFIG_BANDWIDTH);

        add_resource_share(
            builder, g_strdup_printf("limit %s", limit->name),
            busy_share_of_run(builder, system_limit_busy_ps(builder->system, l),
                              1),
            g_strdup_printf("%s for %u links", rate, limit->n_ports));
    }
}

/* Returns the mean share of the capacity in use during a run of @total_ps: the
 * use integrated over time / (capacity x total). */
static double mean_share_of_capacity(const ResourceKind *kind,
                                     const ResourceUse *use, SimTime total_ps)
{
    if (kind->unit == CONFIG_BYTES)
        return ratio_or_zero_if_no_capacity((double)use->unit_us * 1e6,
                                            (double)use->capacity *
                                                (double)total_ps);
    return ratio_or_zero_if_no_capacity(
        (double)use->busy_ps, (double)use->capacity * (double)total_ps);
}

/* Adds a storage resource with its mean and its largest filling. */
static void add_storage_resource(UtilisationListBuilder *builder,
                                 const ResourceKind *kind,
                                 const ResourceUse *use)
{
    g_autofree char *size = quantity_format(use->capacity, kind->unit);

    add_resource_share(
        builder, g_strdup_printf("%s, mean", kind->title),
        mean_share_of_capacity(kind, use, builder->r.span_ps),
        g_strdup_printf("%s; peak %.1f %%", size,
                        100 * ratio_or_zero_if_no_capacity(
                                  (double)use->peak, (double)use->capacity)));
}

/* Adds a resource that consists of counted units, such as SMs. */
static void add_counted_resource(UtilisationListBuilder *builder,
                                 const ResourceKind *kind,
                                 const ResourceUse *use)
{
    add_resource_share(
        builder, g_strdup(kind->title),
        mean_share_of_capacity(kind, use, builder->r.span_ps),
        kind->detail ? g_strdup(kind->detail)
                     : g_strdup_printf("%" G_GUINT64_FORMAT, use->capacity));
}

/* Returns whether the resource has no figures for reports. */
static gboolean is_resource_without_figures(const ResourceKind *kind,
                                            const ResourceUse *use)
{
    return !kind->title || use->capacity == 0;
}

/* Adds the resources of the system's list, counted units first. */
static void add_listed_resources(UtilisationListBuilder *builder)
{
    const ResourceKind *own = system_endpoint_resources(builder->system);

    for (guint filled = 0; filled <= 1; filled++)
        for (guint i = 0; i < builder->n_listed; i++) {
            const ResourceKind *kind = resource_kind(own, i);
            const ResourceUse *use = &builder->r.uses[i];

            if (is_resource_without_figures(kind, use) ||
                (kind->unit == CONFIG_BYTES) != (filled == 1))
                continue;
            if (filled)
                add_storage_resource(builder, kind, use);
            else
                add_counted_resource(builder, kind, use);
        }
}

static void add_all_resources(UtilisationListBuilder *builder)
{
    const NpuConfig *npu = &builder->config->platform.npu;
    double n_iterations = (double)builder->r.n_iterations;

    add_link_resources(builder);
    add_listed_resources(builder);
    add_utilisation_entry(
        builder, g_strdup("SMs computing"),
        ratio_or_zero_if_no_capacity(
            (double)builder->r.sm_compute_ns * n_iterations * 1000,
            (double)npu->n_sms * (double)builder->r.span_ps),
        g_strdup_printf("%" G_GUINT64_FORMAT, npu->n_sms), FALSE);
}

/* Returns the links, the first @n_listed resources of the system's list, and
 * the SMs. */
static GArray *list_utilised_resources(const SystemConfig *config,
                                       const System *system, guint n_listed)
{
    UtilisationListBuilder b = {
        .config = config,
        .system = system,
        .r = system_result(system),
        .n_listed = n_listed,
        .resources = g_array_new(FALSE, FALSE, sizeof(ResourceUtilisation)),
    };

    g_array_set_clear_func(b.resources, clear_resource_utilisation);
    add_all_resources(&b);
    return b.resources;
}

GArray *utilisation_summary(const SystemConfig *config, const System *system)
{
    return list_utilised_resources(
        config, system, resource_count(system_endpoint_resources(system)));
}

/* Converts a share of the run to a share of the time with an active collective,
 * because a resource that communicates is in use only then.  A server may still
 * pass on the last messages of an NPU after its collectives have ended: it was
 * busy all the time then. */
static double share_while_active(double share, double active_share)
{
    return active_share > 0 ? MIN(share / active_share, 1) : share;
}

UtilisationParts utilisation_collect_parts(const SystemConfig *config,
                                           const System *system)
{
    g_autoptr(GArray) others =
        list_utilised_resources(config, system, RESOURCE_OWN);
    SystemResult r = system_result(system);
    UtilisationParts parts = {
        .active_share = ratio_or_zero_if_no_capacity(
            (double)r.comm_ps * (double)r.n_iterations, (double)r.span_ps),
        .total_ps = r.span_ps,
        .own = system_endpoint_resources(system),
    };

    memcpy(parts.uses, r.uses + RESOURCE_OWN, sizeof parts.uses);
    for (guint i = 0; i < others->len; i++) {
        const ResourceUtilisation *resource =
            &g_array_index(others, ResourceUtilisation, i);
        double share = resource->share;

        if (resource->communicates)
            share = share_while_active(share, parts.active_share);
        parts.most = MAX(parts.most, share);
    }
    return parts;
}

double utilisation_max_share_of_parts(const UtilisationParts *parts)
{
    double most = parts->most;

    for (guint i = RESOURCE_OWN; i < resource_count(parts->own); i++) {
        const ResourceKind *kind = resource_kind(parts->own, i);
        const ResourceUse *use = &parts->uses[i - RESOURCE_OWN];
        double share;

        if (is_resource_without_figures(kind, use))
            continue;
        share = mean_share_of_capacity(kind, use, parts->total_ps);
        most = MAX(most, share_while_active(share, parts->active_share));
    }
    return most;
}

double utilisation_max_share(const SystemConfig *config, const System *system)
{
    const UtilisationParts parts = utilisation_collect_parts(config, system);

    return utilisation_max_share_of_parts(&parts);
}

/* A full window does no harm while a resource is busy whenever collectives are
 * active.  If no resource is, the window holds up everything. */
gboolean utilisation_is_window_bound(double window_share, double most)
{
    return window_share >= WAITING_SHARE && most <= BUSY_SHARE;
}
