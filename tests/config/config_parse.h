/* config_parse.h - parses a document from a text */
#ifndef TESTS_CONFIG_CONFIG_PARSE_H
#define TESTS_CONFIG_CONFIG_PARSE_H

#include "tests/test.h"

#include <string.h>

#include "sim/config/config.h"
#include "sim/config/config_node.h"

static inline ConfigDoc *parse_yaml(const char *name, const char *yaml,
                                    GError **error)
{
    return config_doc_parse(name, yaml, strlen(yaml), error);
}

static inline ConfigDoc *parse_valid_yaml(const char *name, const char *yaml)
{
    g_autoptr(GError) error = NULL;
    ConfigDoc *doc = parse_yaml(name, yaml, &error);

    assert_no_error(error);
    return doc;
}

#endif
