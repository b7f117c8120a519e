/*
 * chart_label_text.c - words for the columns of a sweep: labels, units, values;
 * see chart_label_text.h
 */
#include "sim/view/plots/chart_label_text.h"

#include <string.h>

#include "sim/study/column_descriptions.h"

#define KIB 1024.0

/* The units at the end of names, and what values of them are drawn in, largest
 * first. */
static const struct {
    const char *suffix;
    ChartUnit units[4]; /* ends with a name of NULL or at its last element */
} known_units[] = {
    { "_us", { { "s", 1e6 }, { "ms", 1e3 }, { "us", 1 } } },
    { "_bytes",
      { { "GiB", KIB *KIB *KIB },
        { "MiB", KIB *KIB },
        { "KiB", KIB },
        { "B", 1 } } },
    { "_gb_per_s", { { "GB/s", 1 } } },
    { "_flop_per_s", { { "TFLOP/s", 1e12 }, { "FLOP/s", 1 } } },
    { "_tflop_per_s", { { "TFLOP/s", 1 } } },
    { "_tokens_per_s", { { "tokens/s", 1 } } },
    { "_per_s", { { "per second", 1 } } },
    { "_ghz", { { "GHz", 1 } } },
    { "_hz", { { "GHz", 1e9 }, { "MHz", 1e6 }, { "Hz", 1 } } },
    { "_percent", { { "%", 1 } } },
};

/* Returns the index of the unit at the end of @name, or the number of units if
 * there is none. */
static guint find_unit_of_name(const char *name)
{
    guint i = 0;

    while (i < G_N_ELEMENTS(known_units) &&
           !g_str_has_suffix(name, known_units[i].suffix))
        i++;
    return i;
}

ChartUnit chart_unit_for(const char *name, double max)
{
    guint of = find_unit_of_name(name);
    guint i = 0;

    if (of == G_N_ELEMENTS(known_units))
        return (ChartUnit){ "", 1 };
    while (i + 1 < G_N_ELEMENTS(known_units[of].units) &&
           known_units[of].units[i + 1].name &&
           max < known_units[of].units[i].size)
        i++;
    return known_units[of].units[i];
}

gsize chart_name_length_without_unit(const char *name)
{
    guint of = find_unit_of_name(name);

    return strlen(name) - (of < G_N_ELEMENTS(known_units)
                               ? strlen(known_units[of].suffix)
                               : 0);
}

/* Appends the word of a name as it is written in a text. */
static void append_label_word(GString *out, const char *word)
{
    static const struct {
        const char *word, *text;
    } table[] = {
        { "alu", "ALU" },          { "bw", "bandwidth" },
        { "cap", "limit" },        { "comm", "communication" },
        { "dp", "data-parallel" }, { "fsm", "FSM" },
        { "fsms", "FSMs" },        { "hbm", "HBM" },
        { "mfu", "MFU" },          { "n", "number of" },
        { "net", "network" },      { "npu", "NPU" },
        { "npus", "NPUs" },        { "sm", "SM" },
        { "sms", "SMs" },          { "sram", "SRAM" },
    };

    if (*word == '\0')
        return;
    if (out->len > 0)
        g_string_append_c(out, ' ');
    if (strspn(word, "0123456789") == strlen(word)) {
        g_string_append_printf(out, "dimension %s", word);
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
        if (!g_str_equal(table[i].word, word))
            continue;
        g_string_append(out, table[i].text);
        return;
    }
    g_string_append(out, word);
}

char *chart_column_label(const char *name)
{
    g_autofree char *base =
        g_strndup(name, chart_name_length_without_unit(name));
    g_auto(GStrv) parts = g_strsplit(base, ".", -1);
    guint n = g_strv_length(parts);
    GString *out = g_string_new(NULL);

    /* The last two parts of a key name the quantity. */
    for (guint i = n > 2 ? n - 2 : 0; i < n; i++) {
        g_auto(GStrv) words = g_strsplit(parts[i], "_", -1);

        for (guint k = 0; words[k]; k++)
            append_label_word(out, words[k]);
    }
    return g_string_free(out, FALSE);
}

char *chart_value_text(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    return g_strdup(
        g_ascii_formatd(text, sizeof text,
                        value >= 1e3 && value < 1e6 ? "%.0f" : "%.4g", value));
}

ChartBetter chart_better_direction(const char *name)
{
    const ColumnDescription *column = column_description(name);

    return !column || !column->better            ? CHART_NONE_IS_BETTER
           : g_str_equal(column->better, "more") ? CHART_MORE_IS_BETTER
                                                 : CHART_LESS_IS_BETTER;
}
