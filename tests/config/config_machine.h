/*
 * config_machine.h - tables that describe a machine, as an example to configure
 */
#ifndef TESTS_CONFIG_CONFIG_MACHINE_H
#define TESTS_CONFIG_CONFIG_MACHINE_H

#include "sim/config/config.h"
#include "tests/config/config_parse.h"

typedef struct {
    uint64_t clock_hz;
    uint64_t width_bytes;
} Pipe;

static const ConfigField pipe_fields[] = {
    { .key = "clock",
      .help = "of the pipe",
      .type = CONFIG_FREQUENCY,
      .offset = offsetof(Pipe, clock_hz),
      .min = 1000000,
      .max = 10000000000 },
    { .key = "width",
      .help = "per cycle",
      .type = CONFIG_BYTES,
      .offset = offsetof(Pipe, width_bytes),
      .min = 1,
      .max = UINT64_MAX,
      .fallback = "64 B" },
    CONFIG_END,
};

static const ConfigKind ace = { .name = "ace",
                                .summary = "offloads",
                                .fields = pipe_fields,
                                .size = sizeof(Pipe) };
static const ConfigKind ideal = {
    .name = "ideal", .summary = "costs nothing", .fields = NULL, .size = 0
};
static const ConfigKind *const endpoint_kinds[] = { &ace, &ideal, NULL };
static const ConfigRegistry endpoints = { .noun = "endpoint",
                                          .kinds = endpoint_kinds };

static const char *const policies[] = { "shared", "partitioned", NULL };

typedef struct {
    uint64_t n_sms, time_ps, bandwidth_bytes_per_s, rate_flops, share_ppm;
    gboolean overlap;
    const char *name;
    int policy;
    Pipe pipe;
    ConfigList sizes;
    ConfigList pipes;
    ConfigVariant endpoint;
    const ConfigNode *raw;
} All;

static const ConfigField size_item = { .type = CONFIG_COUNT, .min = 1 };
static const ConfigField pipe_item = { .type = CONFIG_SECTION,
                                       .fields = pipe_fields };

static const ConfigField all_fields[] = {
    { .key = "sms",
      .type = CONFIG_COUNT,
      .offset = offsetof(All, n_sms),
      .max = 256,
      .fallback = "80" },
    { .key = "time",
      .type = CONFIG_TIME,
      .offset = offsetof(All, time_ps),
      .fallback = "0 ns" },
    { .key = "bandwidth",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(All, bandwidth_bytes_per_s),
      .min = 1000,
      .fallback = "200 GB/s" },
    { .key = "rate",
      .type = CONFIG_FLOPS,
      .offset = offsetof(All, rate_flops),
      .fallback = "120 TFLOPS" },
    { .key = "share",
      .type = CONFIG_FRACTION,
      .offset = offsetof(All, share_ppm),
      .max = 1000000,
      .fallback = "94 %" },
    { .key = "overlap",
      .type = CONFIG_BOOL,
      .offset = offsetof(All, overlap),
      .fallback = "true" },
    { .key = "name",
      .type = CONFIG_NAME,
      .offset = offsetof(All, name),
      .fallback = "v100" },
    { .key = "policy",
      .type = CONFIG_ENUM,
      .offset = offsetof(All, policy),
      .names = policies,
      .fallback = "partitioned" },
    { .key = "pipe",
      .type = CONFIG_SECTION,
      .offset = offsetof(All, pipe),
      .fields = pipe_fields,
      .fallback = "{clock: 1 GHz}" },
    { .key = "sizes",
      .type = CONFIG_LIST,
      .offset = offsetof(All, sizes),
      .item = &size_item,
      .item_size = sizeof(uint64_t),
      .max = 3,
      .fallback = "[]" },
    { .key = "pipes",
      .type = CONFIG_LIST,
      .offset = offsetof(All, pipes),
      .item = &pipe_item,
      .item_size = sizeof(Pipe),
      .fallback = "[]" },
    { .key = "endpoint",
      .type = CONFIG_KIND,
      .offset = offsetof(All, endpoint),
      .registry = &endpoints,
      .fallback = "{kind: ideal}" },
    { .key = "raw",
      .type = CONFIG_RAW,
      .offset = offsetof(All, raw),
      .fallback = "{}" },
    CONFIG_END,
};

typedef struct {
    const char *yaml;
    ConfigErrorCode code;
    const char *message;
} InvalidConfig;

static inline void check_invalid_configs(const ConfigField *fields,
                                         const InvalidConfig *cases, gsize n)
{
    for (gsize i = 0; i < n; i++) {
        All all = { 0 };
        GError *error = NULL;
        g_autoptr(ConfigDoc) doc = parse_yaml("t.yaml", cases[i].yaml, &error);

        if (doc)
            assert_false(config_doc_read(doc, fields, &all, &error));
        assert_config_error(error, cases[i].code, cases[i].message);
    }
}

#endif
