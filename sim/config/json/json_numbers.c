/*
 * json_numbers.c - exact conversion of decimal numbers
 *
 * A number is digits x 10^exponent.  The significant digits are held in 128
 * bits.  The scale is multiplied in before the division by the power of ten, so
 * only the final rounding loses precision.
 */
#include "sim/config/json/pull_parser.h"

/* Largest number of significant digits: 10^27 x the largest scale, 10^9, x 10
 * for one more digit is below 2^127. */
#define MAX_DIGITS 27
#define MAX_SCALE  UINT64_C(1000000000)
/* Largest exponent.  A number with a larger exponent does not fit; one with a
 * smaller exponent is 0. */
#define MAX_EXPONENT 1000

typedef struct {
    const char *next_char, *end;
} NumberText;

typedef struct {
    /* .overflows: there are too many digits before the point. */
    gboolean is_negative, overflows;
    __int128 digits;
    guint n_digits; /* number of digits without leading zeros */
    int exponent;
} Decimal;

static gboolean accept_character(NumberText *text, char c)
{
    if (text->next_char == text->end || *text->next_char != c)
        return FALSE;
    text->next_char++;
    return TRUE;
}

/* Reads digits and adds @step to the exponent for each: 0 before the point, -1
 * after it.  Returns FALSE if there is no digit. */
static gboolean read_decimal_digits(NumberText *text, Decimal *decimal,
                                    int step)
{
    const char *begin = text->next_char;

    for (; text->next_char < text->end && g_ascii_isdigit(*text->next_char);
         text->next_char++) {
        if (decimal->n_digits == MAX_DIGITS) {
            /* Further digits after the point are below the precision. */
            decimal->overflows = decimal->overflows || step == 0;
            continue;
        }
        decimal->digits = decimal->digits * 10 + (*text->next_char - '0');
        decimal->n_digits += decimal->digits > 0;
        decimal->exponent += step;
    }
    return text->next_char > begin;
}

static gboolean read_exponent(NumberText *text, Decimal *decimal)
{
    Decimal shift = { 0 };
    gboolean is_negative;

    if (!accept_character(text, 'e') && !accept_character(text, 'E'))
        return TRUE;
    is_negative = accept_character(text, '-');
    if (!is_negative)
        accept_character(text, '+');
    if (!read_decimal_digits(text, &shift, 0))
        return FALSE;
    if (shift.overflows || shift.digits > MAX_EXPONENT)
        shift.digits = MAX_EXPONENT;
    decimal->exponent += is_negative ? -(int)shift.digits : (int)shift.digits;
    return TRUE;
}

static gboolean read_decimal_from_text(NumberText *text, Decimal *ret)
{
    *ret = (Decimal){ .is_negative = accept_character(text, '-') };
    if (!read_decimal_digits(text, ret, 0))
        return FALSE;
    if (accept_character(text, '.') && !read_decimal_digits(text, ret, -1))
        return FALSE;
    return read_exponent(text, ret) && text->next_char == text->end;
}

gboolean json_pull_scale_text(const char *text, gsize n_bytes, uint64_t scale,
                              __int128 *ret)
{
    NumberText rest = { text, text + n_bytes };
    Decimal decimal;
    __int128 value, most = 1;
    int last = 0;

    g_assert(scale > 0 && scale <= MAX_SCALE);
    if (!read_decimal_from_text(&rest, &decimal) || decimal.overflows)
        return FALSE;
    for (guint i = 0; i < MAX_DIGITS; i++)
        most *= 10;
    value = decimal.digits * (__int128)scale;
    for (; decimal.exponent > 0 && value > 0; decimal.exponent--) {
        if (value >= most)
            return FALSE;
        value *= 10;
    }
    for (; decimal.exponent < 0 && value > 0; decimal.exponent++) {
        last = (int)(value % 10);
        value /= 10;
    }
    value += last >= 5;
    if (value >= most)
        return FALSE;
    *ret = decimal.is_negative ? -value : value;
    return TRUE;
}

gboolean json_pull_scaled_decimal(const JsonPull *pull, uint64_t scale,
                                  __int128 *ret)
{
    gsize n;
    const char *text = json_pull_text(pull, &n);

    return json_pull_token(pull) == PULL_NUMBER &&
           json_pull_scale_text(text, n, scale, ret);
}

gboolean json_pull_u64(const JsonPull *pull, uint64_t *ret)
{
    __int128 value;

    if (!json_pull_scaled_decimal(pull, 1, &value) || value < 0 ||
        value > UINT64_MAX)
        return FALSE;
    *ret = (uint64_t)value;
    return TRUE;
}

gboolean json_pull_i64(const JsonPull *pull, int64_t *ret)
{
    __int128 value;

    if (!json_pull_scaled_decimal(pull, 1, &value) || value < INT64_MIN ||
        value > INT64_MAX)
        return FALSE;
    *ret = (int64_t)value;
    return TRUE;
}
