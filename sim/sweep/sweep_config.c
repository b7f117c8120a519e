/* sweep_config.c - the keys of a sweep file, as tables; see sweep_config.h */
#include "sim/sweep/sweep_config.h"

static const ConfigField name_item = { .key = "name",
                                       .help = "of an endpoint",
                                       .type = CONFIG_NAME };

static const ConfigField axis_name_item = { .key = "axis",
                                            .help = "of this sweep",
                                            .type = CONFIG_NAME };

static const ConfigField compare_fields[] = {
    { .key = "baselines",
      .help = "endpoints that offload is compared with",
      .type = CONFIG_LIST,
      .offset = offsetof(CompareConfig, baselines),
      .item = &name_item,
      .item_size = sizeof(char *),
      .fallback = "[]" },
    { .key = "best",
      .help = "endpoints that stand, with the baselines, for the best that "
              "could be built; [] is those that were tuned",
      .type = CONFIG_LIST,
      .offset = offsetof(CompareConfig, best),
      .item = &name_item,
      .item_size = sizeof(char *),
      .fallback = "[]" },
    { .key = "offload",
      .help = "endpoints that are compared with them",
      .type = CONFIG_LIST,
      .offset = offsetof(CompareConfig, offload),
      .item = &name_item,
      .item_size = sizeof(char *),
      .fallback = "[]" },
    { .key = "fastest_over",
      .help = "axes of which each endpoint takes its fastest value, such as "
              "plans",
      .type = CONFIG_LIST,
      .offset = offsetof(CompareConfig, fastest_over),
      .item = &axis_name_item,
      .item_size = sizeof(char *),
      .fallback = "[]" },
    CONFIG_END,
};

/* The keys in axes: and exclude:, only for documentation: sweep_axes_read() and
 * sweep_exclude_read_rules() read them. */
static const ConfigField axis_fields[] = {
    { .key = "KEY",
      .help =
          "a key of a run as --set takes it, and a list: each of its values "
          "with each of the other axes",
      .type = CONFIG_LIST,
      .min = 1,
      .item = &(const ConfigField){ .key = "value", .type = CONFIG_RAW },
      .fallback = "none" },
    { .key = "zip",
      .help = "{KEY: [A, B], KEY: [C, D]}, lists of one length that go on "
              "together: A with C, B with D",
      .type = CONFIG_RAW,
      .fallback = "none" },
    { .key = "cases",
      .help = "{NAME: {CASE: {KEY: VALUE}}}, an axis NAME whose values are "
              "cases, each of which sets any keys",
      .type = CONFIG_RAW,
      .fallback = "none" },
    CONFIG_END,
};

static const ConfigField exclude_fields[] = {
    { .key = "AXIS",
      .help = "a value of an axis, as a point's name has it; a point with all "
              "values of a map is left out",
      .type = CONFIG_NAME,
      .fallback = "none" },
    CONFIG_END,
};

const ConfigField sweep_fields[] = {
    { .key = "base",
      .help = "a run file, or what would stand in one",
      .type = CONFIG_RAW,
      .offset = offsetof(SweepConfig, base) },
    { .key = "axes",
      .help = "what is varied",
      .type = CONFIG_RAW,
      .item = &(const ConfigField){ .key = "axis",
                                    .type = CONFIG_SECTION,
                                    .fields = axis_fields },
      .offset = offsetof(SweepConfig, axes) },
    { .key = "exclude",
      .help = "points that are left out",
      .type = CONFIG_RAW,
      .item = &(const ConfigField){ .key = "rule",
                                    .type = CONFIG_SECTION,
                                    .fields = exclude_fields },
      .offset = offsetof(SweepConfig, exclude),
      .fallback = "[]" },
    { .key = "compare",
      .help = "what acesim compare compares",
      .type = CONFIG_SECTION,
      .offset = offsetof(SweepConfig, compare),
      .fields = compare_fields,
      .fallback = "{}" },
    CONFIG_END,
};
