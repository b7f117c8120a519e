/* setting_values.c - reads and changes quantities in settings */
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/study/optimise/moves/setting_values_impl.h"

gboolean read_setting_value(const char *sets, const char *key, ConfigType type,
                            uint64_t *ret)
{
    g_autofree char *wanted = g_strconcat(key, ": ", NULL);
    const char *at = sets ? strstr(sets, wanted) : NULL;
    g_autofree char *text = NULL;

    if (!at)
        return FALSE;
    at += strlen(wanted);
    text = g_strndup(at, strcspn(at, ",}]\n"));
    return quantity_parse(text, type, ret, NULL);
}

/* Rounds to two digits unless @value is a power of two.  Short values are
 * easier to read, and fewer distinct ones are tried. */
static uint64_t round_to_two_digits(uint64_t value)
{
    uint64_t unit = 1;

    if ((value & (value - 1)) == 0)
        return value;
    while (value / unit >= 100)
        unit *= 10;
    return (value + unit / 2) / unit * unit;
}

uint64_t draw_value_near_current(uint64_t value, uint64_t least, uint64_t most,
                                 RandomDraw *draw)
{
    static const struct {
        uint64_t num, den;
    } factors[] = { { 2, 1 }, { 1, 2 }, { 141, 100 }, { 100, 141 } };
    guint i = draw_integer_below(draw, G_N_ELEMENTS(factors));
    uint64_t near = value / factors[i].den * factors[i].num;

    if (value < factors[i].den)
        near = value * factors[i].num / factors[i].den;
    return CLAMP(round_to_two_digits(MAX(near, 1)), least, most);
}

char *make_candidate_setting(const char *key, uint64_t value, ConfigType type)
{
    g_autofree char *text = quantity_format(value, type);

    return g_strdup_printf("%s=%s", key, text);
}

gboolean candidate_settings_use_exchange(const char *sets, const char *kind)
{
    g_autofree char *begin =
        g_strdup_printf("training.exchange={kind: %s,", kind);

    return sets && g_str_has_prefix(sets, begin);
}
