/* quantity_units.c - the table of units */
#include "sim/config/quantity/quantity_impl.h"

#include <string.h>

#include "sim/config/quantity.h"
#include "sim/core/word_suggestions.h"

/* ---- the tables of units ------------------------------------------------- */

/* The units of sizes in ascending order, the base unit first; the table ends
 * with a NULL name. */
static const QuantityUnit byte_units[] = {
    { .name = "B", .scale = 1 },
    { .name = "kB", .scale = 1000 },
    { .name = "KiB", .scale = UINT64_C(1) << 10, .binary = TRUE },
    { .name = "MB", .scale = 1000000 },
    { .name = "MiB", .scale = UINT64_C(1) << 20, .binary = TRUE },
    { .name = "GB", .scale = 1000000000 },
    { .name = "GiB", .scale = UINT64_C(1) << 30, .binary = TRUE },
    { .name = "TB", .scale = UINT64_C(1000000000000) },
    { .name = "TiB", .scale = UINT64_C(1) << 40, .binary = TRUE },
    { .name = "PB", .scale = UINT64_C(1000000000000000) },
    { .name = "PiB", .scale = UINT64_C(1) << 50, .binary = TRUE },
    { .name = "EB", .scale = UINT64_C(1000000000000000000) },
    { .name = "EiB", .scale = UINT64_C(1) << 60, .binary = TRUE },
    { .name = NULL },
};

static const QuantityUnit time_units[] = {
    { .name = "ps", .scale = 1 },
    { .name = "ns", .scale = 1000 },
    { .name = "us", .scale = 1000000 },
    { .name = "\xc2\xb5s", .scale = 1000000, .alias = TRUE }, /* micro sign */
    { .name = "\xce\xbcs", .scale = 1000000, .alias = TRUE }, /* Greek mu */
    { .name = "ms", .scale = 1000000000 },
    { .name = "s", .scale = UINT64_C(1000000000000) },
    { .name = NULL },
};

/* Link rates are marketed in powers of ten, so these are written. */
static const QuantityUnit bandwidth_units[] = {
    { .name = "B/s", .scale = 1 },
    { .name = "kB/s", .scale = 1000 },
    { .name = "KiB/s", .scale = UINT64_C(1) << 10, .alias = TRUE },
    { .name = "MB/s", .scale = 1000000 },
    { .name = "MiB/s", .scale = UINT64_C(1) << 20, .alias = TRUE },
    { .name = "GB/s", .scale = 1000000000 },
    { .name = "GiB/s", .scale = UINT64_C(1) << 30, .alias = TRUE },
    { .name = "TB/s", .scale = UINT64_C(1000000000000) },
    { .name = "TiB/s", .scale = UINT64_C(1) << 40, .alias = TRUE },
    { .name = "kBps", .scale = 1000, .alias = TRUE },
    { .name = "MBps", .scale = 1000000, .alias = TRUE },
    { .name = "GBps", .scale = 1000000000, .alias = TRUE },
    { .name = "TBps", .scale = UINT64_C(1000000000000), .alias = TRUE },
    /* Units of networks.  They come after the units of bytes, so that a unit
     * with wrong capitals is taken for bytes.  `bps` is bits with any
     * capitals of its prefix. */
    { .name = "kbps", .scale = 125, .alias = TRUE },
    { .name = "mbps", .scale = 125000, .alias = TRUE },
    { .name = "Mbps", .scale = 125000, .alias = TRUE },
    { .name = "gbps", .scale = 125000000, .alias = TRUE },
    { .name = "Gbps", .scale = 125000000, .alias = TRUE },
    { .name = "tbps", .scale = UINT64_C(125000000000), .alias = TRUE },
    { .name = "Tbps", .scale = UINT64_C(125000000000), .alias = TRUE },
    { .name = "kb/s", .scale = 125, .alias = TRUE },
    { .name = "kbit/s", .scale = 125, .alias = TRUE },
    { .name = "Mb/s", .scale = 125000, .alias = TRUE },
    { .name = "Mbit/s", .scale = 125000, .alias = TRUE },
    { .name = "Gb/s", .scale = 125000000, .alias = TRUE },
    { .name = "Gbit/s", .scale = 125000000, .alias = TRUE },
    { .name = "Tb/s", .scale = UINT64_C(125000000000), .alias = TRUE },
    { .name = "Tbit/s", .scale = UINT64_C(125000000000), .alias = TRUE },
    { .name = NULL },
};

static const QuantityUnit frequency_units[] = {
    { .name = "Hz", .scale = 1 },
    { .name = "kHz", .scale = 1000 },
    { .name = "MHz", .scale = 1000000 },
    { .name = "GHz", .scale = 1000000000 },
    { .name = NULL },
};

static const QuantityUnit flops_units[] = {
    { .name = "FLOPS", .scale = 1 },
    { .name = "kFLOPS", .scale = 1000 },
    { .name = "MFLOPS", .scale = 1000000 },
    { .name = "GFLOPS", .scale = 1000000000 },
    { .name = "TFLOPS", .scale = UINT64_C(1000000000000) },
    { .name = "PFLOPS", .scale = UINT64_C(1000000000000000) },
    { .name = NULL },
};

/* A number without a unit is a fraction of one. */
static const QuantityUnit fraction_units[] = {
    { .name = "%", .scale = 10000 },
    { .name = "", .scale = 1000000, .alias = TRUE },
    { .name = NULL },
};

static const QuantityUnit count_units[] = {
    { .name = "", .scale = 1 },
    { .name = NULL },
};

/* The units and the example text of each type of quantity, indexed by
 * ConfigType. */
const QuantityDimension quantity_dimensions[QUANTITY_N_DIMENSIONS] = {
    [CONFIG_COUNT] = { "whole number", "8", "1", count_units },
    [CONFIG_BYTES] = { "size", "64 KiB", "1 B", byte_units },
    [CONFIG_TIME] = { "time", "72 ns", "1 ps", time_units },
    [CONFIG_BANDWIDTH] = { "bandwidth", "200 GB/s", "1 B/s", bandwidth_units },
    [CONFIG_FREQUENCY] = { "frequency", "1245 MHz", "1 Hz", frequency_units },
    [CONFIG_FLOPS] = { "compute rate", "120 TFLOPS", "1 FLOPS", flops_units },
    [CONFIG_FRACTION] = { "fraction", "94 %", "one part per million",
                          fraction_units },
};

/* ---- looking up a unit by its name --------------------------------------- */

const QuantityUnit *quantity_find_unit(ConfigType type, const char *name)
{
    for (const QuantityUnit *unit = quantity_dimensions[type].units; unit->name;
         unit++) {
        if (g_str_equal(unit->name, name))
            return unit;
    }
    return NULL;
}

gboolean quantity_is_unit_of_another(const char *name)
{
    for (gsize t = CONFIG_BYTES; t < QUANTITY_N_DIMENSIONS; t++) {
        if (quantity_find_unit((ConfigType)t, name))
            return TRUE;
    }
    return FALSE;
}

gboolean quantity_unit_is_in_bits(ConfigType type, const char *unit)
{
    const char *b = strchr(unit, 'b');

    if (!b || b - unit > 2 ||
        (type != CONFIG_BYTES && type != CONFIG_BANDWIDTH))
        return FALSE;
    if (g_str_has_prefix(b, "bit"))
        return TRUE;
    return b[1] == '\0' || g_str_equal(b, "b/s") || g_str_equal(b, "bps") ||
           g_str_equal(b, "bs");
}

/* Returns whether @unit is @name without its slash, in any case: "gbs". */
static gboolean is_unit_name_without_slash(const char *unit, const char *name)
{
    g_auto(GStrv) parts = g_strsplit(name, "/", -1);
    g_autofree char *joined = g_strjoinv("", parts);

    return g_ascii_strcasecmp(joined, unit) == 0;
}

const char *quantity_nearest_unit(ConfigType type, const char *unit)
{
    const char *names[G_N_ELEMENTS(byte_units)];
    guint n = 0;

    for (const QuantityUnit *quantity_unit = quantity_dimensions[type].units;
         quantity_unit->name; quantity_unit++) {
        if (g_ascii_strcasecmp(quantity_unit->name, unit) == 0 ||
            is_unit_name_without_slash(unit, quantity_unit->name))
            return quantity_unit->name;
        if (!quantity_unit->alias)
            names[n++] = quantity_unit->name;
    }
    names[n] = NULL;
    return strlen(unit) > 1 ? words_find_nearest(unit, names) : NULL;
}

char *quantity_describe_expected(ConfigType type)
{
    const QuantityDimension *dimension = &quantity_dimensions[type];

    if (type == CONFIG_COUNT)
        return g_strdup("a whole number");
    return g_strdup_printf("a %s such as '%s'", dimension->noun,
                           dimension->example);
}

/* ---- a regular expression for quantities --------------------------------- */

/* Names of units contain no special characters of patterns. */
char *quantity_regex_pattern(ConfigType type)
{
    GString *out;

    g_return_val_if_fail(type <= CONFIG_FRACTION, NULL);

    if (type == CONFIG_COUNT)
        return g_strdup("^[0-9]+$");
    out = g_string_new("^([0-9]+(\\.[0-9]+)?|\\.[0-9]+)([eE][-+]?[0-9]+)? *(");
    for (const QuantityUnit *unit = quantity_dimensions[type].units; unit->name;
         unit++)
        g_string_append_printf(
            out, "%s%s", unit == quantity_dimensions[type].units ? "" : "|",
            unit->name);
    g_string_append(out, ")$");
    return g_string_free(out, FALSE);
}
