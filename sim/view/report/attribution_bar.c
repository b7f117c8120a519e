/* attribution_bar.c - the parts of an iteration as a stacked bar; see
 * attribution_bar.h */
#include "sim/view/report/attribution_bar.h"

#include "sim/view/report/html_escape.h"

/* A part below this share of a bar is too thin to be seen. */
#define MIN_SHARE  0.001
#define MAX_GROUPS 32

static gboolean is_attribution_group_used(const AttributionGroup *group,
                                          gpointer const *parts, guint n)
{
    for (guint i = 0; i < n; i++) {
        const GArray *of_row = parts[i];

        for (guint k = 0; of_row && k < of_row->len; k++)
            if (g_str_equal(g_array_index(of_row, AttributionPart, k).group,
                            group->name))
                return TRUE;
    }
    return FALSE;
}

const AttributionGroup **attribution_list_used_groups(gpointer const *parts,
                                                      guint n)
{
    GPtrArray *groups = g_ptr_array_new();

    for (const AttributionGroup *group = attribution_groups; group->name;
         group++)
        if (is_attribution_group_used(group, parts, n))
            g_ptr_array_add(groups, (gpointer)group);
    g_assert(groups->len <= MAX_GROUPS);
    g_ptr_array_add(groups, NULL);
    return (const AttributionGroup **)g_ptr_array_free(groups, FALSE);
}

/* Sets the time of each group in @ret and returns their sum. */
static double sum_time_of_part_groups(const AttributionGroup *const *groups,
                                      const GArray *parts, double *ret)
{
    double sum = 0;

    for (guint g = 0; groups[g]; g++)
        ret[g] = 0;
    for (guint i = 0; i < parts->len; i++) {
        const AttributionPart *part = &g_array_index(parts, AttributionPart, i);

        sum += (double)part->time_ps;
        for (guint g = 0; groups[g]; g++)
            if (g_str_equal(groups[g]->name, part->group))
                ret[g] += (double)part->time_ps;
    }
    return sum;
}

void attribution_write_bar(GString *out, const AttributionGroup *const *groups,
                           const GArray *parts, double share)
{
    double times[MAX_GROUPS];
    double sum;

    if (!parts) {
        g_string_append_printf(out,
                               "<span class=\"bar\" style=\"--w:%.2f\">"
                               "<i class=\"g-none\" style=\"--w:100\"></i>"
                               "</span>",
                               100 * share);
        return;
    }
    sum = sum_time_of_part_groups(groups, parts, times);
    g_string_append_printf(
        out,
        "<span class=\"bar\" style=\"--w:%.2f\" role=\"img\" aria-label=\"",
        100 * share);
    for (guint g = 0, n = 0; groups[g]; g++)
        if (times[g] >= MIN_SHARE * sum)
            g_string_append_printf(out, "%s%s %.1f %%", n++ > 0 ? ", " : "",
                                   groups[g]->label, 100 * times[g] / sum);
    g_string_append(out, "\">");
    for (guint g = 0; groups[g]; g++)
        if (times[g] >= MIN_SHARE * sum)
            g_string_append_printf(out,
                                   "<i class=\"g-%s\" style=\"--w:%.2f\"></i>",
                                   groups[g]->name, 100 * times[g] / sum);
    g_string_append(out, "</span>");
}

void attribution_write_legend(GString *out,
                              const AttributionGroup *const *groups)
{
    if (!groups[0])
        return;
    g_string_append(out, "<ul class=\"key\">\n");
    for (guint g = 0; groups[g]; g++)
        html_append_format(out,
                           "<li><span class=\"swatch g-%s\"></span>%s</li>\n",
                           groups[g]->name, groups[g]->label);
    g_string_append(out, "</ul>\n");
}
