/*
 * quantity.c - exact decimal arithmetic on numbers with units
 *
 * A number consists of the digits d0 d1 ... with the decimal point after the
 * first p digits.  The integer part is summed from the left.  The fractional
 * part, times the unit, is summed from the right: each step must be divisible
 * by ten.  So it is known, for any number of digits, whether the value is a
 * whole number of base units.
 */
#include "sim/config/quantity.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "sim/config/quantity/quantity_impl.h"
#include "sim/core/word_suggestions.h"

typedef unsigned __int128 u128;

/* With a larger exponent, a number is too large or too fine whatever its digits
 * are, because no text has that many digits (CONFIG_MAX_FILE_BYTES). */
#define MAX_EXPONENT 100000000

/* ---- exact arithmetic on decimal numbers --------------------------------- */

typedef struct {
    gboolean negative;
    /* The digits before and behind the decimal point (borrowed from the
     * text). */
    const char *before, *behind;
    gsize n_before, n_behind;
    /* The number of digits before the point after the exponent is applied.  It
     * may be negative or exceed the number of digits. */
    gint64 point;
    const char *unit; /* borrowed: the text after the number and blanks */
} DecimalNumber;

static gsize count_decimal_digits(const char *text)
{
    gsize n = 0;

    while (g_ascii_isdigit(text[n]))
        n++;
    return n;
}

/* Parses the exponent at *@text, such as "e-3", and advances *@text.  Returns 0
 * if there is none: an 'e' without digits begins a unit. */
static gint64 parse_exponent(const char **text)
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

static gboolean parse_decimal_number(const char *text, DecimalNumber *ret)
{
    const char *p = text;

    *ret = (DecimalNumber){ .negative = *p == '-' };
    if (ret->negative)
        p++;
    ret->before = p;
    ret->n_before = count_decimal_digits(p);
    p += ret->n_before;
    if (*p == '.') {
        ret->behind = p + 1;
        ret->n_behind = count_decimal_digits(p + 1);
        p += ret->n_behind > 0 ? 1 + ret->n_behind : 0;
    }
    if (ret->n_before + ret->n_behind == 0)
        return FALSE;
    ret->point = (gint64)ret->n_before + parse_exponent(&p);
    while (*p == ' ')
        p++;
    ret->unit = p;
    return TRUE;
}

static guint decimal_digit_of_fraction_at(const DecimalNumber *number, gint64 i)
{
    gint64 n_before = (gint64)number->n_before;
    char c = i < n_before ? number->before[i] : number->behind[i - n_before];

    return (guint)(c - '0');
}

typedef enum { EXACT, ROUNDED, TOO_LARGE, TOO_FINE } RoundingOutcome;

/* Sums the integer part.  Returns FALSE if it exceeds 2^64 - 1. */
static gboolean integer_value_of_digits(const DecimalNumber *number, gint64 n,
                                        u128 *ret)
{
    u128 sum = 0;

    for (gint64 i = 0; i < MIN(n, number->point); i++) {
        sum = sum * 10 + decimal_digit_of_fraction_at(number, i);
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

/* Sums the fractional part times @scale.  Returns FALSE if the result is not a
 * whole number. */
static gboolean fraction_value_of_digits(const DecimalNumber *number, gint64 n,
                                         uint64_t scale, uint64_t *ret)
{
    uint64_t sum = 0;

    for (gint64 i = n - 1; i >= MAX(number->point, 0); i--) {
        sum += decimal_digit_of_fraction_at(number, i) * scale;
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

/* The number of digits of the fractional part that are used; further digits
 * have no effect. */
#define MOST_DIGITS 18
/* Rounding may change a value by at most 1 / LEAST_QUALITY of itself
 * (chosen). */
#define LEAST_QUALITY 1000

/* Returns the fractional part times @scale, rounded to nearest.  The rounding
 * error is *@ret_lost / *@ret_denominator. */
static uint64_t round_scaled_fraction(const DecimalNumber *number, gint64 n,
                                      uint64_t scale, u128 *ret_lost,
                                      u128 *ret_denominator)
{
    u128 sum = 0, denominator = 1, rounded, exact;
    guint k = 0;

    for (gint64 i = number->point; i < n && k < MOST_DIGITS; i++, k++) {
        sum = sum * 10 + (i >= 0 ? decimal_digit_of_fraction_at(number, i) : 0);
        denominator *= 10;
    }
    exact = sum * scale;
    rounded = (exact + denominator / 2) / denominator;
    *ret_lost = exact > rounded * denominator ? exact - rounded * denominator
                                              : rounded * denominator - exact;
    *ret_denominator = denominator;
    return (uint64_t)rounded;
}

/* Rounds the value to base units, because programs write all digits of a
 * double. */
static RoundingOutcome round_to_base_units(const DecimalNumber *number,
                                           u128 whole, uint64_t scale,
                                           uint64_t *ret)
{
    gint64 n = (gint64)(number->n_before + number->n_behind);
    u128 lost, denominator, value;

    value = whole * scale +
            round_scaled_fraction(number, n, scale, &lost, &denominator);
    if (value > UINT64_MAX)
        return TOO_LARGE;
    if (value == 0 || lost * LEAST_QUALITY > value * denominator)
        return TOO_FINE;
    *ret = (uint64_t)value;
    return ROUNDED;
}

static RoundingOutcome evaluate_quantity(const DecimalNumber *number,
                                         uint64_t scale, uint64_t *ret)
{
    gint64 n = (gint64)(number->n_before + number->n_behind);
    u128 whole;
    uint64_t fraction;

    if (!integer_value_of_digits(number, n, &whole))
        return TOO_LARGE;
    if (!fraction_value_of_digits(number, n, scale, &fraction))
        return round_to_base_units(number, whole, scale, ret);
    whole = whole * scale + fraction;
    if (whole > UINT64_MAX)
        return TOO_LARGE;
    *ret = (uint64_t)whole;
    return EXACT;
}

/* ---- parsing quantities with units --------------------------------------- */

G_GNUC_PRINTF(4, 5)
static gboolean set_quantity_error(GError **error, ConfigErrorCode code,
                                   const char *text, const char *format, ...)
{
    g_autofree char *quoted = words_quote_text(text);
    g_autofree char *why = NULL;
    va_list args;

    va_start(args, format);
    why = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, (gint)code, "%s %s", quoted, why);
    return FALSE;
}

/* Returns the unit of bits whose name corresponds to @bytes, or NULL if it is
 * not accepted. */
static const QuantityUnit *find_bit_unit(ConfigType type, const char *bytes)
{
    g_autofree char *name = g_strdelimit(g_strdup(bytes), "B", 'b');

    return quantity_find_unit(type, name);
}

static gboolean set_bits_unit_error(const char *text, ConfigType type,
                                    const char *nearest, GError **error)
{
    const QuantityUnit *bits = nearest ? find_bit_unit(type, nearest) : NULL;

    if (bits)
        return set_quantity_error(
            error, CONFIG_ERROR_UNIT, text,
            "is unclear; did you mean bits, '%s', or bytes, '%s'?", bits->name,
            nearest);
    return set_quantity_error(error, CONFIG_ERROR_UNIT, text,
                              nearest ? "is in bits, which are not accepted; "
                                        "did you mean '%s'?"
                                      : "is in bits, which are not accepted; "
                                        "expected bytes such as '%s'",
                              nearest ? nearest
                                      : quantity_dimensions[type].example);
}

static gboolean set_unknown_unit_error(const char *text, ConfigType type,
                                       const char *unit, GError **error)
{
    const QuantityDimension *dimension = &quantity_dimensions[type];
    const char *nearest;

    if (*unit == '\0')
        return set_quantity_error(error, CONFIG_ERROR_UNIT, text,
                                  "has no unit; expected a %s such as '%s'",
                                  dimension->noun, dimension->example);
    nearest = quantity_is_unit_of_another(unit)
                  ? NULL
                  : quantity_nearest_unit(type, unit);
    if (quantity_unit_is_in_bits(type, unit))
        return set_bits_unit_error(text, type, nearest, error);
    if (nearest)
        return set_quantity_error(error, CONFIG_ERROR_UNIT, text,
                                  "is no %s; did you mean '%s'?",
                                  dimension->noun, nearest);
    return set_quantity_error(error, CONFIG_ERROR_UNIT, text,
                              "is no %s; expected one such as '%s'",
                              dimension->noun, dimension->example);
}

static gboolean convert_to_base_units(const char *text,
                                      const DecimalNumber *number,
                                      ConfigType type, uint64_t scale,
                                      uint64_t *ret, GError **error)
{
    uint64_t value = 0;
    RoundingOutcome outcome = evaluate_quantity(number, scale, &value);

    if (number->negative && (outcome != EXACT || value > 0))
        return set_quantity_error(error, CONFIG_ERROR_RANGE, text,
                                  "is negative");
    if (outcome == TOO_LARGE)
        return set_quantity_error(error, CONFIG_ERROR_RANGE, text,
                                  "is too large");
    if (outcome == TOO_FINE)
        return set_quantity_error(error, CONFIG_ERROR_TYPE, text,
                                  "is finer than %s",
                                  quantity_dimensions[type].finest);
    *ret = value;
    return TRUE;
}

/* Parses a whole number, which consists of digits only. */
static gboolean parse_whole_number(const char *text, uint64_t *ret,
                                   GError **error)
{
    const char *digits = *text == '-' ? text + 1 : text;
    g_autofree char *quoted = NULL;
    DecimalNumber number;
    uint64_t value;
    gboolean is_number =
        parse_decimal_number(text, &number) && *number.unit == '\0';

    if (is_number && digits[count_decimal_digits(digits)] == '\0')
        return convert_to_base_units(text, &number, CONFIG_COUNT, 1, ret,
                                     error);
    quoted = words_quote_text(text);
    if (is_number && !number.negative &&
        evaluate_quantity(&number, 1, &value) == EXACT)
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
    const QuantityDimension *dimension;
    const QuantityUnit *unit;
    DecimalNumber number;

    g_return_val_if_fail(text && ret, FALSE);
    g_return_val_if_fail(type <= CONFIG_FRACTION, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    dimension = &quantity_dimensions[type];
    if (*text == '\0') {
        g_autofree char *due = quantity_describe_expected(type);

        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                    "expected %s, got nothing", due);
        return FALSE;
    }
    if (type == CONFIG_COUNT)
        return parse_whole_number(text, ret, error);
    if (!parse_decimal_number(text, &number))
        return set_quantity_error(error, CONFIG_ERROR_TYPE, text,
                                  "is no %s; expected one such as '%s'",
                                  dimension->noun, dimension->example);
    unit = quantity_find_unit(type, number.unit);
    if (!unit)
        return set_unknown_unit_error(text, type, number.unit, error);
    return convert_to_base_units(text, &number, type, unit->scale, ret, error);
}

gboolean quantity_is_rounded(const char *text, ConfigType type)
{
    const QuantityUnit *unit;
    DecimalNumber number;
    uint64_t value;

    if (type == CONFIG_COUNT || !parse_decimal_number(text, &number))
        return FALSE;
    unit = quantity_find_unit(type, number.unit);
    return unit && evaluate_quantity(&number, unit->scale, &value) == ROUNDED;
}

/* ---- formatting quantities with units ------------------------------------ */

/* Returns @value in @unit, with all decimals.  The decimals end, because the
 * scale of a unit is a power of ten or two. */
static char *format_exact_decimal(uint64_t value, const QuantityUnit *unit)
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

/* From this fraction on, in parts per million, a value is no share of anything:
 * it is a factor or a rate, and reads better as a plain number. */
#define LEAST_PLAIN_FRACTION UINT64_C(10000000)

/* Chooses the shortest text.  Among equally short texts the larger unit is
 * easier to read, and a binary unit is preferred. */
char *quantity_format(uint64_t value, ConfigType type)
{
    const QuantityUnit *units, *best_unit = NULL;
    char *best = NULL;

    g_return_val_if_fail(type <= CONFIG_FRACTION, NULL);

    if (type == CONFIG_FRACTION && value >= LEAST_PLAIN_FRACTION)
        return format_exact_decimal(value, quantity_find_unit(type, ""));
    units = quantity_dimensions[type].units;
    for (const QuantityUnit *unit = units; unit->name; unit++) {
        g_autofree char *text = NULL;
        gboolean better;

        if (unit != units && (unit->alias || value < unit->scale))
            continue; /* no "0.2 TB"; but 0 needs the first unit */
        text = format_exact_decimal(value, unit);
        better =
            !best || strlen(text) < strlen(best) ||
            (strlen(text) == strlen(best) && unit->binary >= best_unit->binary);
        if (!better)
            continue;
        g_free(best);
        best = g_steal_pointer(&text);
        best_unit = unit;
    }
    return best;
}

char *quantity_format_like(uint64_t value, ConfigType type, const char *like)
{
    const QuantityUnit *unit;
    DecimalNumber number;

    g_return_val_if_fail(like && type <= CONFIG_FRACTION, NULL);

    if (!parse_decimal_number(like, &number))
        return NULL;
    unit = quantity_find_unit(type, number.unit);
    return unit ? format_exact_decimal(value, unit) : NULL;
}
