/* explanation_html.c - where the time of one run went;
 * see explanation_html.h */
#include "sim/view/report/explanation_html.h"

#include "sim/view/report/attribution_bar.h"
#include "sim/view/report/html_escape.h"
#include "sim/view/text/time_text.h"

/* Changes that gain or lose less than this are only counted. */
#define MIN_CHANGE  0.001
#define MAX_CHANGES 8

static gint compare_part_times(gconstpointer a, gconstpointer b)
{
    const AttributionPart *const *x = a, *const *y = b;

    return ((*x)->time_ps < (*y)->time_ps) - ((*x)->time_ps > (*y)->time_ps);
}

/* Returns the parts by descending time; borrowed. */
static GPtrArray *sort_parts_by_time(const GArray *parts)
{
    GPtrArray *sorted = g_ptr_array_new();

    for (guint i = 0; i < parts->len; i++)
        g_ptr_array_add(sorted, &g_array_index(parts, AttributionPart, i));
    g_ptr_array_sort(sorted, compare_part_times);
    return sorted;
}

static void write_table_of_parts(GString *out, const GArray *parts,
                                 SimTime iteration_ps)
{
    g_autoptr(GPtrArray) sorted = sort_parts_by_time(parts);

    g_string_append(out,
                    "<table>\n<caption>Where the iteration goes</caption>\n"
                    "<thead><tr><th scope=\"col\">part</th>"
                    "<th scope=\"col\">time</th>"
                    "<th scope=\"col\">share</th></tr></thead>\n<tbody>\n");
    for (guint i = 0; i < sorted->len; i++) {
        const AttributionPart *part = g_ptr_array_index(sorted, i);
        g_autofree char *time = time_text(part->time_ps);

        html_append_format(out,
                           "<tr><td><span class=\"swatch g-%s\"></span>%s</td>"
                           "<td>%s</td>",
                           part->group, part->label, time);
        g_string_append_printf(out, "<td>%.1f %%</td></tr>\n",
                               100 * (double)part->time_ps /
                                   (double)iteration_ps);
    }
    g_string_append(out, "</tbody>\n</table>\n");
}

/* Appends the changes that help or hurt most.  They are sorted by ascending
 * time. */
static void write_table_of_what_ifs(GString *out, const GArray *what_ifs,
                                    SimTime iteration_ps)
{
    guint n_shown = 0, n_small = 0;

    g_string_append(out,
                    "<table>\n<caption>Simulated: one resource twice as good"
                    "</caption>\n<thead><tr><th scope=\"col\">change</th>"
                    "<th scope=\"col\">time</th><th scope=\"col\">speed-up</th>"
                    "</tr></thead>\n<tbody>\n");
    for (guint i = 0; i < what_ifs->len; i++) {
        const WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);
        g_autofree char *sets = g_strjoinv(" ", what_if->sets);
        g_autofree char *time =
            what_if->reason ? NULL : time_text(what_if->iteration_ps);
        double speedup;

        if (what_if->reason)
            continue;
        speedup = (double)iteration_ps / (double)what_if->iteration_ps;
        if (n_shown >= MAX_CHANGES ||
            (speedup < 1 + MIN_CHANGE && speedup > 1 - MIN_CHANGE)) {
            n_small++;
            continue;
        }
        n_shown++;
        html_append_format(out, "<tr><td>%s</td><td>%s</td>", sets, time);
        g_string_append_printf(out, "<td>%.3f×%s</td></tr>\n", speedup,
                               speedup < 1 ? " slower" : "");
    }
    g_string_append(out, "</tbody>\n</table>\n");
    if (n_small > 0)
        g_string_append_printf(out,
                               "<p>%u more changes make less than 0.1 %% of "
                               "difference each, or are left out.</p>\n",
                               n_small);
}

GString *explanation_html(const char *title, SimTime iteration_ps,
                          const GArray *parts, const GArray *what_ifs)
{
    GString *out = g_string_new("<div class=\"acesim\">\n<style>\n");
    gconstpointer all[] = { parts };
    g_autofree const AttributionGroup **groups =
        attribution_list_used_groups((gpointer const *)all, 1);
    g_autofree char *time = time_text(iteration_ps);

    g_string_append(out, text_parts_css);
    g_string_append(
        out, ".acesim td + td { white-space: nowrap; text-align: right; }\n"
             ".acesim caption { text-align: left; font-weight: 600; }\n");
    html_append_format(out, "</style>\n<p><b>%s</b>: %s</p>\n", title, time);
    attribution_write_bar(out, groups, parts, 1);
    g_string_append(out, "\n");
    attribution_write_legend(out, groups);
    write_table_of_parts(out, parts, iteration_ps);
    if (what_ifs)
        write_table_of_what_ifs(out, what_ifs, iteration_ps);
    g_string_append(out, "</div>\n");
    return out;
}
