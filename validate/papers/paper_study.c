/* paper_study.c - simulates the figures of a paper's claims and writes the
 * page */
#include "validate/papers/paper_study.h"

#include <math.h>

/* ---- simulation of the studies of a paper -------------------------------- */

static gboolean add_results_of_study(const Simulator *simulator,
                                     const PaperClaims *claims,
                                     const PaperStudy *study,
                                     StudyTables *tables, GError **error)
{
    g_autofree char *name = g_strdup_printf("%s/%s", claims->name, study->name);
    g_auto(GStrv) words = NULL;
    g_autoptr(GError) reason = NULL;
    g_autoptr(CsvTable) csv = NULL;

    if (!g_shell_parse_argv(study->command, NULL, &words, &reason) ||
        !words[1]) {
        config_set_error(error, study->node, CONFIG_ERROR_TYPE, "command: %s",
                         reason ? reason->message : "it has one word only");
        return FALSE;
    }
    csv = g_str_equal(words[0], "rows")
              ? csv_table_load(words[1], error)
              : simulator_run_command(simulator, name,
                                      (const char *const *)words, error);
    return csv && study_tables_add(tables, study->name, csv, error);
}

static gboolean add_sql_views(const PaperClaims *claims, StudyTables *tables,
                              GError **error)
{
    const PaperView *views = claims->views.items;

    for (guint i = 0; i < claims->views.n; i++) {
        g_autoptr(GError) reason = NULL;

        if (!study_tables_add_view(tables, views[i].name, views[i].query,
                                   &reason)) {
            config_set_error(error, views[i].node, CONFIG_ERROR_TYPE,
                             "query: %s", reason->message);
            return FALSE;
        }
    }
    return TRUE;
}

StudyTables *paper_study_run(const Simulator *simulator,
                             const PaperClaims *claims, GError **error)
{
    const PaperStudy *studies = claims->studies.items;
    g_autoptr(StudyTables) tables = study_tables_new();

    for (guint i = 0; i < claims->studies.n; i++)
        if (!add_results_of_study(simulator, claims, &studies[i], tables,
                                  error))
            return NULL;
    return add_sql_views(claims, tables, error) ? g_steal_pointer(&tables)
                                                : NULL;
}

GArray *paper_study_figures(StudyTables *tables, const PaperClaims *claims,
                            GError **error)
{
    const PaperClaim *items = claims->claims.items;
    g_autoptr(GArray) figures = g_array_new(FALSE, FALSE, sizeof(StudyFigure));

    for (guint i = 0; i < claims->claims.n; i++) {
        StudyFigure figure;
        g_autoptr(GError) reason = NULL;

        if (!study_tables_query(tables, items[i].figure, &figure, &reason)) {
            config_set_error(error, items[i].node, CONFIG_ERROR_TYPE,
                             "figure: %s", reason->message);
            return NULL;
        }
        g_array_append_val(figures, figure);
    }
    return g_steal_pointer(&figures);
}

/* ---- Markdown page of a paper -------------------------------------------- */

char *paper_difference_text(const char *published, double simulated)
{
    double least, most;

    if (!paper_published_range(published, &least, &most))
        return g_strdup("");
    if (least < most && simulated >= least && simulated <= most)
        return g_strdup("within");
    if (least < most)
        return simulated < least
                   ? g_strdup_printf("%.0f %% below",
                                     100 * (1 - simulated / least))
                   : g_strdup_printf("%.0f %% above",
                                     100 * (simulated / most - 1));
    if (least == 0)
        return g_strdup("");
    return g_strdup_printf("%+.1f %%", 100 * (simulated / least - 1));
}

void paper_page_begin(GString *out)
{
    g_string_append(
        out,
        "# The papers, claim by claim\n\n"
        "`make papers` runs every command below on two cores in minutes, and "
        "writes this page. After reading it you\n"
        "know which published claims acesim reproduces, by how much it misses "
        "the others, and why.\n\n"
        "**Published** is followed by how sure the figure is: *certain* was "
        "read in the abstract or in a public file; *closes*\n"
        "is recalled, and independent arithmetic agrees with it; *recalled* "
        "is believed right and was not checked, so nothing is\n"
        "judged by it. **Simulated** has a range in brackets where an input "
        "is not published: the figure's least and most over\n"
        "the plausible values of that input. No constant was fitted to any "
        "figure of this page, except where a row says so. In the\n"
        "plots, which divide by the published figure, a dot is the simulated "
        "figure, the line through it its range, and the\n"
        "grey bar the published figure. "
        "[papers/constants.csv](papers/constants.csv) has every quantity that "
        "these studies use,\n"
        "with its source and the line where it stands.\n");
}

static void append_figure_text(GString *out, const PaperClaim *claim,
                               const StudyFigure *figure)
{
    int digits = (int)claim->digits;

    g_string_append_printf(out, "%.*f", digits, figure->value);
    if (figure->least < figure->most)
        g_string_append_printf(out, " (%.*f to %.*f)", digits, figure->least,
                               digits, figure->most);
}

static void append_claim_unit(GString *out, const PaperClaim *claim)
{
    if (!g_str_equal(claim->unit, "-"))
        g_string_append_printf(out, " %s", claim->unit);
}

static void append_claim_row(GString *out, const PaperClaim *claim,
                             const StudyFigure *figure)
{
    g_autofree char *difference =
        paper_difference_text(claim->published, figure->value);
    double least, most;

    g_string_append_printf(out, "| %s | %s", claim->claim, claim->published);
    if (paper_published_range(claim->published, &least, &most))
        append_claim_unit(out, claim);
    g_string_append_printf(out, "; %s",
                           paper_certainty_names[claim->certainty]);
    if (!g_str_equal(claim->where, "-"))
        g_string_append_printf(out, ", %s", claim->where);
    g_string_append(out, " | ");
    append_figure_text(out, claim, figure);
    append_claim_unit(out, claim);
    g_string_append_printf(out, " | %s | `%s` | %s |\n", difference,
                           claim->study, claim->reason);
}

void paper_page_add(GString *out, const PaperClaims *claims,
                    const GArray *figures)
{
    const PaperStudy *studies = claims->studies.items;
    const PaperClaim *items = claims->claims.items;

    g_string_append_printf(out, "\n## %s\n\n%s\n\n", claims->title,
                           claims->question);
    g_string_append_printf(
        out, "![Published and simulated figures](papers/%s.svg)\n\n",
        claims->name);
    g_string_append(out, "| claim | published | simulated | difference | "
                         "study | why |\n|---|---|---|---|---|---|\n");
    for (guint i = 0; i < claims->claims.n; i++)
        append_claim_row(out, &items[i],
                         &g_array_index(figures, StudyFigure, i));
    g_string_append(out, "\n| study | command |\n|---|---|\n");
    for (guint i = 0; i < claims->studies.n; i++) {
        gboolean is_run = !g_str_has_prefix(studies[i].command, "rows ");

        g_string_append_printf(out, "| `%s` | `%s%s` |\n", studies[i].name,
                               is_run ? "acesim " : "", studies[i].command);
    }
}

void paper_plot_add(GString *out, const PaperClaims *claims,
                    const GArray *figures)
{
    const PaperClaim *items = claims->claims.items;

    for (guint i = 0; i < claims->claims.n; i++) {
        const StudyFigure *figure = &g_array_index(figures, StudyFigure, i);
        double least, most;

        if (!paper_published_range(items[i].published, &least, &most))
            continue;
        g_string_append_printf(out, "%s\t%g\t%g\t%g\t%g\t%g\n", items[i].claim,
                               least, most, figure->value, figure->least,
                               figure->most);
    }
}
