/*
 * quantity.c - exact decimal arithmetic on numbers with units
 *
 * A number is digits d0 d1 ... with the point after the first p of them.  The
 * part before the point is summed from the left.  The part behind it, times
 * the unit, is summed from the right, where each step must divide by ten: that
 * finds out whether the value is a whole number of base units at any length.
 */
#include "sim/core/quantity.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "sim/core/config_impl.h"

typedef unsigned __int128 u128;

/* Past this a number is too large or too fine whatever its digits are: no text
 * has as many of them (CONFIG_MAX_FILE_BYTES). */
#define MAX_EXPONENT 100000000

typedef struct {
    const char *name;
    uint64_t scale;  /* base units in one */
    gboolean binary; /* a power of 1024 */
    gboolean alias;  /* read, but never written */
} Unit;

/* By rising scale, base unit first; ends with a NULL name. */
static const Unit byte_units[] = {
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
    { .name = NULL },
};

static const Unit time_units[] = {
    { .name = "ps", .scale = 1 },
    { .name = "ns", .scale = 1000 },
    { .name = "us", .scale = 1000000 },
    { .name = "\xc2\xb5s", .scale = 1000000, .alias = TRUE }, /* micro sign */
    { .name = "\xce\xbcs", .scale = 1000000, .alias = TRUE }, /* Greek mu */
    { .name = "ms", .scale = 1000000000 },
    { .name = "s", .scale = UINT64_C(1000000000000) },
    { .name = NULL },
};

/* Rates of links are sold in powers of ten, so that is how we say them. */
static const Unit bandwidth_units[] = {
    { .name = "B/s", .scale = 1 },
    { .name = "kB/s", .scale = 1000 },
    { .name = "KiB/s", .scale = UINT64_C(1) << 10, .alias = TRUE },
    { .name = "MB/s", .scale = 1000000 },
    { .name = "MiB/s", .scale = UINT64_C(1) << 20, .alias = TRUE },
    { .name = "GB/s", .scale = 1000000000 },
    { .name = "GiB/s", .scale = UINT64_C(1) << 30, .alias = TRUE },
    { .name = "TB/s", .scale = UINT64_C(1000000000000) },
    { .name = "TiB/s", .scale = UINT64_C(1) << 40, .alias = TRUE },
    /* What networks are sold in, behind those that are written: of a wrong
     * case bytes are meant. */
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

static const Unit frequency_units[] = {
    { .name = "Hz", .scale = 1 },
    { .name = "kHz", .scale = 1000 },
    { .name = "MHz", .scale = 1000000 },
    { .name = "GHz", .scale = 1000000000 },
    { .name = NULL },
};

static const Unit flops_units[] = {
    { .name = "FLOPS", .scale = 1 },
    { .name = "kFLOPS", .scale = 1000 },
    { .name = "MFLOPS", .scale = 1000000 },
    { .name = "GFLOPS", .scale = 1000000000 },
    { .name = "TFLOPS", .scale = UINT64_C(1000000000000) },
    { .name = "PFLOPS", .scale = UINT64_C(1000000000000000) },
    { .name = NULL },
};

/* A bare number is a fraction of one. */
static const Unit fraction_units[] = {
    { .name = "%", .scale = 10000 },
    { .name = "", .scale = 1000000, .alias = TRUE },
    { .name = NULL },
};

static const Unit count_units[] = {
    { .name = "", .scale = 1 },
    { .name = NULL },
};

typedef struct {
    const char *noun;
    const char *example;
    const char *finest;
    const Unit *units;
} Dimension;

/* By ConfigType. */
static const Dimension dimensions[] = {
    [CONFIG_COUNT] = { "whole number", "8", "1", count_units },
    [CONFIG_BYTES] = { "size", "64 KiB", "1 B", byte_units },
    [CONFIG_TIME] = { "time", "72 ns", "1 ps", time_units },
    [CONFIG_BANDWIDTH] = { "bandwidth", "200 GB/s", "1 B/s", bandwidth_units },
    [CONFIG_FREQUENCY] = { "frequency", "1245 MHz", "1 Hz", frequency_units },
    [CONFIG_FLOPS] = { "compute rate", "120 TFLOPS", "1 FLOPS", flops_units },
    [CONFIG_FRACTION] = { "fraction", "94 %", "one part per million",
                          fraction_units },
};

/* ---- numbers ---------------------------------------------------------- */

typedef struct {
    gboolean negative;
    const char *before, *behind; /* borrowed: digits around the point */
    gsize n_before, n_behind;
    gint64 point;     /* digits before the point, exponent included; may lie
                         outside of the digits that there are */
    const char *unit; /* borrowed: what follows the number and blanks */
} Number;

static gsize n_digits(const char *text)
{
    gsize n = 0;

    while (g_ascii_isdigit(text[n]))
        n++;
    return n;
}

/* The exponent at *@text, "e-3", which moves behind it.  An 'e' without digits
 * begins a unit. */
static gint64 scan_exponent(const char **text)
{
    const char *p = *text;
    gboolean negative;
    gint64 value = 0;

    if (*p != 'e' && *p != 'E')
        return 0;
    p++;
    negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (!g_ascii_isdigit(*p))
        return 0;
    for (; g_ascii_isdigit(*p); p++)
        value = MIN(value * 10 + (*p - '0'), MAX_EXPONENT);
    *text = p;
    return negative ? -value : value;
}

static gboolean scan_number(const char *text, Number *ret)
{
    const char *p = text;

    *ret = (Number){ .negative = *p == '-' };
    if (ret->negative)
        p++;
    ret->before = p;
    ret->n_before = n_digits(p);
    p += ret->n_before;
    if (*p == '.') {
        ret->behind = p + 1;
        ret->n_behind = n_digits(p + 1);
        p += ret->n_behind > 0 ? 1 + ret->n_behind : 0;
    }
    if (ret->n_before + ret->n_behind == 0)
        return FALSE;
    ret->point = (gint64)ret->n_before + scan_exponent(&p);
    while (*p == ' ')
        p++;
    ret->unit = p;
    return TRUE;
}

static guint digit_at(const Number *number, gint64 i)
{
    gint64 n_before = (gint64)number->n_before;
    char c = i < n_before ? number->before[i] : number->behind[i - n_before];

    return (guint)(c - '0');
}

typedef enum { EXACT, TOO_LARGE, TOO_FINE } Outcome;

/* What stands before the point.  FALSE: more than 2^64 - 1. */
static gboolean sum_whole(const Number *number, gint64 n, u128 *ret)
{
    u128 sum = 0;

    for (gint64 i = 0; i < MIN(n, number->point); i++) {
        sum = sum * 10 + digit_at(number, i);
        if (sum > UINT64_MAX)
            return FALSE;
    }
    for (gint64 i = n; i < number->point && sum > 0; i++) {
        sum *= 10;
        if (sum > UINT64_MAX)
            return FALSE;
    }
    *ret = sum;
    return TRUE;
}

/* What stands behind the point, times @scale.  FALSE: no whole number. */
static gboolean sum_fraction(const Number *number, gint64 n, uint64_t scale,
                             uint64_t *ret)
{
    uint64_t sum = 0;

    for (gint64 i = n - 1; i >= MAX(number->point, 0); i--) {
        sum += digit_at(number, i) * scale;
        if (sum % 10 != 0)
            return FALSE;
        sum /= 10;
    }
    for (gint64 i = number->point; i < 0 && sum > 0; i++) {
        if (sum % 10 != 0)
            return FALSE;
        sum /= 10;
    }
    *ret = sum;
    return TRUE;
}

static Outcome evaluate(const Number *number, uint64_t scale, uint64_t *ret)
{
    gint64 n = (gint64)(number->n_before + number->n_behind);
    u128 whole;
    uint64_t fraction;

    if (!sum_whole(number, n, &whole))
        return TOO_LARGE;
    if (!sum_fraction(number, n, scale, &fraction))
        return TOO_FINE;
    whole = whole * scale + fraction;
    if (whole > UINT64_MAX)
        return TOO_LARGE;
    *ret = (uint64_t)whole;
    return EXACT;
}

/* ---- units ------------------------------------------------------------ */

static const Unit *find_unit(ConfigType type, const char *name)
{
    for (const Unit *u = dimensions[type].units; u->name; u++) {
        if (g_str_equal(u->name, name))
            return u;
    }
    return NULL;
}

static gboolean is_unit_of_another(const char *name)
{
    for (gsize t = CONFIG_BYTES; t < G_N_ELEMENTS(dimensions); t++) {
        if (find_unit((ConfigType)t, name))
            return TRUE;
    }
    return FALSE;
}

/* "Gb", "Gbps", "Gbits": bits where they cannot be meant, or no unit. */
static gboolean is_in_bits(ConfigType type, const char *unit)
{
    const char *b = strchr(unit, 'b');

    if (!b || b - unit > 2 ||
        (type != CONFIG_BYTES && type != CONFIG_BANDWIDTH))
        return FALSE;
    if (g_str_has_prefix(b, "bit"))
        return TRUE;
    return b[1] == '\0' || g_str_equal(b, "b/s") || g_str_equal(b, "bps");
}

static const char *nearest_unit(ConfigType type, const char *unit)
{
    const char *names[G_N_ELEMENTS(byte_units)];
    guint n = 0;

    for (const Unit *u = dimensions[type].units; u->name; u++) {
        if (g_ascii_strcasecmp(u->name, unit) == 0)
            return u->name;
        if (!u->alias)
            names[n++] = u->name;
    }
    names[n] = NULL;
    return strlen(unit) > 1 ? config_nearest(unit, names) : NULL;
}

char *quantity_expectation(ConfigType type)
{
    const Dimension *d = &dimensions[type];

    if (type == CONFIG_COUNT)
        return g_strdup("a whole number");
    return g_strdup_printf("a %s such as '%s'", d->noun, d->example);
}

/* ---- parsing ---------------------------------------------------------- */

G_GNUC_PRINTF(4, 5)
static gboolean refuse(GError **error, ConfigErrorCode code, const char *text,
                       const char *format, ...)
{
    g_autofree char *quoted = config_quote(text);
    g_autofree char *why = NULL;
    va_list args;

    va_start(args, format);
    why = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, (gint)code, "%s %s", quoted, why);
    return FALSE;
}

static gboolean refuse_unit(const char *text, ConfigType type, const char *unit,
                            GError **error)
{
    const Dimension *d = &dimensions[type];
    const char *nearest;

    if (*unit == '\0')
        return refuse(error, CONFIG_ERROR_UNIT, text,
                      "has no unit; expected a %s such as '%s'", d->noun,
                      d->example);
    nearest = is_unit_of_another(unit) ? NULL : nearest_unit(type, unit);
    if (is_in_bits(type, unit))
        return refuse(error, CONFIG_ERROR_UNIT, text,
                      nearest ? "is in bits, which are not accepted; "
                                "did you mean '%s'?"
                              : "is in bits, which are not accepted; "
                                "expected bytes such as '%s'",
                      nearest ? nearest : d->example);
    if (nearest)
        return refuse(error, CONFIG_ERROR_UNIT, text,
                      "is no %s; did you mean '%s'?", d->noun, nearest);
    return refuse(error, CONFIG_ERROR_UNIT, text,
                  "is no %s; expected one such as '%s'", d->noun, d->example);
}

static gboolean finish(const char *text, const Number *number, ConfigType type,
                       uint64_t scale, uint64_t *ret, GError **error)
{
    uint64_t value = 0;
    Outcome outcome = evaluate(number, scale, &value);

    if (number->negative && (outcome != EXACT || value > 0))
        return refuse(error, CONFIG_ERROR_RANGE, text, "is negative");
    if (outcome == TOO_LARGE)
        return refuse(error, CONFIG_ERROR_RANGE, text, "is too large");
    if (outcome == TOO_FINE)
        return refuse(error, CONFIG_ERROR_TYPE, text, "is finer than %s",
                      dimensions[type].finest);
    *ret = value;
    return TRUE;
}

/* A whole number is digits and nothing else. */
static gboolean parse_count(const char *text, uint64_t *ret, GError **error)
{
    const char *digits = *text == '-' ? text + 1 : text;
    g_autofree char *quoted = config_quote(text);
    Number number;
    uint64_t value;
    gboolean is_number = scan_number(text, &number) && *number.unit == '\0';

    if (is_number && digits[n_digits(digits)] == '\0')
        return finish(text, &number, CONFIG_COUNT, 1, ret, error);
    if (is_number && !number.negative && evaluate(&number, 1, &value) == EXACT)
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                    "expected a whole number, got %s; write '%" PRIu64 "'",
                    quoted, value);
    else
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                    "expected a whole number, got %s", quoted);
    return FALSE;
}

gboolean quantity_parse(const char *text, ConfigType type, uint64_t *ret,
                        GError **error)
{
    const Dimension *d;
    const Unit *unit;
    Number number;

    g_return_val_if_fail(text && ret, FALSE);
    g_return_val_if_fail(type <= CONFIG_FRACTION, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    d = &dimensions[type];
    if (*text == '\0') {
        g_autofree char *due = quantity_expectation(type);

        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                    "expected %s, got nothing", due);
        return FALSE;
    }
    if (type == CONFIG_COUNT)
        return parse_count(text, ret, error);
    if (!scan_number(text, &number))
        return refuse(error, CONFIG_ERROR_TYPE, text,
                      "is no %s; expected one such as '%s'", d->noun,
                      d->example);
    unit = find_unit(type, number.unit);
    if (!unit)
        return refuse_unit(text, type, number.unit, error);
    return finish(text, &number, type, unit->scale, ret, error);
}

/* ---- formatting ------------------------------------------------------- */

/* @value in @unit.  The decimals end: a power of ten
 * has as many as zeros, a power of two as many as its exponent. */
static char *exact_decimal(uint64_t value, const Unit *unit)
{
    GString *out = g_string_new(NULL);
    uint64_t rest = value % unit->scale;

    g_string_append_printf(out, "%" PRIu64, value / unit->scale);
    if (rest > 0)
        g_string_append_c(out, '.');
    for (; rest > 0; rest %= unit->scale) {
        rest *= 10;
        g_string_append_c(out, (char)('0' + rest / unit->scale));
    }
    g_string_append_printf(out, "%s%s", *unit->name ? " " : "", unit->name);
    return g_string_free(out, FALSE);
}

/* Of texts of the same length the one with the larger unit is easier to read,
 * and a size that is as short in binary was meant so. */
char *quantity_format(uint64_t value, ConfigType type)
{
    const Unit *units, *best_unit = NULL;
    char *best = NULL;

    g_return_val_if_fail(type <= CONFIG_FRACTION, NULL);

    units = dimensions[type].units;
    for (const Unit *u = units; u->name; u++) {
        g_autofree char *text = NULL;
        gboolean better;

        if (u != units && (u->alias || value < u->scale))
            continue; /* no "0.2 TB"; but the first unit has to do for 0 */
        text = exact_decimal(value, u);
        better =
            !best || strlen(text) < strlen(best) ||
            (strlen(text) == strlen(best) && u->binary >= best_unit->binary);
        if (!better)
            continue;
        g_free(best);
        best = g_steal_pointer(&text);
        best_unit = u;
    }
    return best;
}

char *quantity_format_as(uint64_t value, ConfigType type, const char *like)
{
    const Unit *unit;
    Number number;

    g_return_val_if_fail(like && type <= CONFIG_FRACTION, NULL);

    if (!scan_number(like, &number))
        return NULL;
    unit = find_unit(type, number.unit);
    return unit ? exact_decimal(value, unit) : NULL;
}

/* ---- for others who check --------------------------------------------- */

/* No unit has a character that means something in a pattern. */
char *quantity_pattern(ConfigType type)
{
    GString *out;

    g_return_val_if_fail(type <= CONFIG_FRACTION, NULL);

    if (type == CONFIG_COUNT)
        return g_strdup("^[0-9]+$");
    out = g_string_new("^([0-9]+(\\.[0-9]+)?|\\.[0-9]+)([eE][-+]?[0-9]+)? *(");
    for (const Unit *u = dimensions[type].units; u->name; u++)
        g_string_append_printf(out, "%s%s",
                               u == dimensions[type].units ? "" : "|", u->name);
    g_string_append(out, ")$");
    return g_string_free(out, FALSE);
}
