/* topology_fixture.h - a topology from a line of YAML */
#ifndef TESTS_NETWORK_TOPOLOGY_FIXTURE_H
#define TESTS_NETWORK_TOPOLOGY_FIXTURE_H

#include "tests/test.h"

#include <string.h>

#include "network/symmetry_classes.h"

static const ConfigField topology_fixture_fields[] = {
    { .key = "topology",
      .help = "the one to test",
      .type = CONFIG_KIND,
      .registry = &topology_registry },
    CONFIG_END,
};

static inline Topology *topology_from_yaml(const char *text, GError **error)
{
    g_autofree char *yaml = g_strdup_printf("topology: %s\n", text);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", yaml, strlen(yaml), error);
    ConfigVariant config;

    if (!doc || !config_doc_read(doc, topology_fixture_fields, &config, error))
        return NULL;
    return topology_new(&config, error);
}

/* Returns a new topology. Fails the test if @text is not a valid topology. */
static inline Topology *topology_from_valid_yaml(const char *text)
{
    GError *error = NULL;
    Topology *topology = topology_from_yaml(text, &error);

    if (!topology)
        fail_msg("%s", error->message);
    return topology;
}

#endif
