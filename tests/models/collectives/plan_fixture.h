/* plan_fixture.h - topologies and plans from one line of text */
#ifndef TESTS_MODELS_COLLECTIVES_PLAN_FIXTURE_H
#define TESTS_MODELS_COLLECTIVES_PLAN_FIXTURE_H

#include "tests/test.h"

#include <string.h>

#include "tests/models/collectives/plan_of_all_npus.h"

static const ConfigField plan_fixture_fields[] = {
    { .key = "topology", .type = CONFIG_KIND, .registry = &topology_registry },
    CONFIG_END,
};

typedef struct {
    ConfigDoc *doc;
    ConfigVariant config;
    Topology *topology;
} Fixture;

#define LINK       "links: 2, bandwidth: 25 GB/s, latency: 10 ns"
#define SIZES(...) ((const uint32_t[TOPOLOGY_MAX_DIMS]){ __VA_ARGS__ })
#define ADDING(npus, what)                                                     \
    "{ kind: switch, npus: " #npus ", " LINK ", reduces: true" what " }"
#define GROUP(kind, npus) "{ kind: " kind ", npus: " #npus ", " LINK " }"

static inline Fixture platform_fixture_new(const char *text)
{
    g_autofree char *yaml = g_strdup_printf("topology: %s\n", text);
    Fixture f = { 0 };
    GError *error = NULL;

    f.doc = config_doc_parse("t.yaml", yaml, strlen(yaml), &error);
    if (f.doc && config_doc_read(f.doc, plan_fixture_fields, &f.config, &error))
        f.topology = topology_new(&f.config, &error);
    if (!f.topology)
        fail_msg("%s", error->message);
    return f;
}

static inline Fixture torus_fixture_new(const uint32_t *sizes,
                                        const char *direction)
{
    g_autoptr(GString) text = g_string_new("{ kind: torus, dims: [");

    for (guint d = 0; d < TOPOLOGY_MAX_DIMS && sizes[d]; d++)
        g_string_append_printf(text, "%s{ size: %u, direction: %s, " LINK " }",
                               d ? ", " : "", sizes[d], direction);
    g_string_append(text, "] }");
    return platform_fixture_new(text->str);
}

static inline void platform_fixture_free(Fixture *f)
{
    topology_free(f->topology);
    config_doc_free(f->doc);
}

static inline gboolean plan_for_fixture(CollPlan *plan, const Fixture *f,
                                        CollKind kind, int algorithm,
                                        GError **error)
{
    return plan_on_topology(plan, f->topology, kind, algorithm, f->config.node,
                            error);
}

#endif
