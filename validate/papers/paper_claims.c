/* paper_claims.c - reads the claims of a paper and the queries for simulated
 * figures */
#include "validate/papers/paper_claims.h"

#include <string.h>

#define MAX_STUDIES 100
#define MAX_CLAIMS  200
#define MAX_DIGITS  6

const char *const paper_certainty_names[PAPER_N_CERTAINTIES + 1] = {
    "certain", "closes", "recalled", NULL
};

/* ---- YAML fields of a file of claims ------------------------------------- */

#define OFFSET(member) .offset = offsetof(PaperStudy, member)

static const ConfigField study_fields[] = {
    { .key = "name",
      .help = "of the study's table in queries",
      .type = CONFIG_NAME,
      OFFSET(name) },
    { .key = "command",
      .help = "of acesim, without the program's name; or `rows FILE`, a CSV "
              "that was published",
      .type = CONFIG_NAME,
      OFFSET(command) },
    CONFIG_END,
};

#undef OFFSET

static const ConfigField study_item = {
    .key = "study",
    .help = "a command that writes a CSV",
    .type = CONFIG_SECTION,
    .fields = study_fields,
    .node_offset = offsetof(PaperStudy, node),
};

#define OFFSET(member) .offset = offsetof(PaperView, member)

static const ConfigField view_fields[] = {
    { .key = "name",
      .help = "by which later views and figures ask it",
      .type = CONFIG_NAME,
      OFFSET(name) },
    { .key = "query",
      .help = "SQL over the tables of studies and over earlier views",
      .type = CONFIG_NAME,
      OFFSET(query) },
    CONFIG_END,
};

#undef OFFSET

static const ConfigField view_item = {
    .key = "view",
    .help = "a query with a name",
    .type = CONFIG_SECTION,
    .fields = view_fields,
    .node_offset = offsetof(PaperView, node),
};

#define OFFSET(member) .offset = offsetof(PaperClaim, member)

static const ConfigField claim_fields[] = {
    { .key = "claim",
      .help = "what the paper says",
      .type = CONFIG_NAME,
      OFFSET(claim) },
    { .key = "certainty",
      .help = "how sure the published figure is",
      .type = CONFIG_ENUM,
      OFFSET(certainty),
      .names = paper_certainty_names },
    { .key = "where",
      .help = "section, table or figure of the paper",
      .type = CONFIG_NAME,
      OFFSET(where),
      .fallback = "-",
      .source = "not known" },
    { .key = "published",
      .help = "a number, two numbers with `to` between them, or words",
      .type = CONFIG_NAME,
      OFFSET(published) },
    { .key = "unit",
      .help = "of the published and the simulated figure",
      .type = CONFIG_NAME,
      OFFSET(unit),
      .fallback = "-",
      .source = "a factor or a count" },
    { .key = "study",
      .help = "the study whose command is shown beside the claim",
      .type = CONFIG_NAME,
      OFFSET(study) },
    { .key = "figure",
      .help = "SQL that yields one row: the figure, or the figure with the "
              "least and the most over inputs that are not published",
      .type = CONFIG_NAME,
      OFFSET(figure) },
    { .key = "digits",
      .help = "of the simulated figure, behind the decimal point",
      .type = CONFIG_COUNT,
      OFFSET(digits),
      .max = MAX_DIGITS,
      .fallback = "2",
      .source = "as most papers print" },
    { .key = "reason",
      .help = "why the figures differ, or what carries the simulated one",
      .type = CONFIG_NAME,
      OFFSET(reason) },
    CONFIG_END,
};

#undef OFFSET

static const ConfigField claim_item = {
    .key = "claim",
    .help = "a published figure and the query for the simulated one",
    .type = CONFIG_SECTION,
    .fields = claim_fields,
    .node_offset = offsetof(PaperClaim, node),
};

#define OFFSET(member) .offset = offsetof(PaperGrid, member)

static const ConfigField grid_fields[] = {
    { .key = "name",
      .help = "of the file of the plot, behind that of the paper",
      .type = CONFIG_NAME,
      OFFSET(name) },
    { .key = "title",
      .help = "the heading of the table",
      .type = CONFIG_NAME,
      OFFSET(title) },
    { .key = "quantity",
      .help = "name and unit of the values",
      .type = CONFIG_NAME,
      OFFSET(quantity) },
    { .key = "query",
      .help = "SQL that yields panel, position, series, value, least, most",
      .type = CONFIG_NAME,
      OFFSET(query) },
    { .key = "digits",
      .help = "of a value, behind the decimal point",
      .type = CONFIG_COUNT,
      OFFSET(digits),
      .max = MAX_DIGITS,
      .fallback = "0",
      .source = "none needed" },
    { .key = "order",
      .help = "whether each row lists the series, the largest value first",
      .type = CONFIG_BOOL,
      OFFSET(has_order),
      .fallback = "false",
      .source = "none needed" },
    { .key = "reason",
      .help = "what the table shows, and why",
      .type = CONFIG_NAME,
      OFFSET(reason) },
    CONFIG_END,
};

#undef OFFSET

static const ConfigField grid_item = {
    .key = "grid",
    .help = "a table and a plot of simulated figures with their bands",
    .type = CONFIG_SECTION,
    .fields = grid_fields,
    .node_offset = offsetof(PaperGrid, node),
};

#define OFFSET(member) .offset = offsetof(PaperClaims, member)

static const ConfigField claims_fields[] = {
    { .key = "name",
      .help = "of the paper, short",
      .type = CONFIG_NAME,
      OFFSET(name) },
    { .key = "title",
      .help = "authors, title, place and year",
      .type = CONFIG_NAME,
      OFFSET(title) },
    { .key = "question",
      .help = "what the paper asks",
      .type = CONFIG_NAME,
      OFFSET(question) },
    { .key = "studies",
      .help = "commands whose results the figures are taken from",
      .type = CONFIG_LIST,
      OFFSET(studies),
      .min = 1,
      .max = MAX_STUDIES,
      .item = &study_item,
      .item_size = sizeof(PaperStudy) },
    { .key = "views",
      .help = "queries that several figures share",
      .type = CONFIG_LIST,
      OFFSET(views),
      .max = MAX_STUDIES,
      .item = &view_item,
      .item_size = sizeof(PaperView),
      .fallback = "[]",
      .source = "none needed" },
    { .key = "grids",
      .help = "tables of simulated figures with a plot",
      .type = CONFIG_LIST,
      OFFSET(grids),
      .max = MAX_STUDIES,
      .item = &grid_item,
      .item_size = sizeof(PaperGrid),
      .fallback = "[]",
      .source = "none needed" },
    { .key = "claims",
      .help = "what the paper says",
      .type = CONFIG_LIST,
      OFFSET(claims),
      .min = 1,
      .max = MAX_CLAIMS,
      .item = &claim_item,
      .item_size = sizeof(PaperClaim) },
    CONFIG_END,
};

#undef OFFSET

/* ---- reading and checks of claims ---------------------------------------- */

/* Returns the study called @name, or NULL. */
static const PaperStudy *find_paper_study(const PaperClaims *claims,
                                          const char *name)
{
    const PaperStudy *studies = claims->studies.items;

    for (guint i = 0; i < claims->studies.n; i++)
        if (g_str_equal(studies[i].name, name))
            return &studies[i];
    return NULL;
}

static gboolean check_paper_claims(const PaperClaims *claims, GError **error)
{
    const PaperStudy *studies = claims->studies.items;
    const PaperClaim *items = claims->claims.items;

    for (guint i = 0; i < claims->studies.n; i++) {
        if (find_paper_study(claims, studies[i].name) != &studies[i]) {
            config_set_error(error, studies[i].node, CONFIG_ERROR_DUPLICATE_KEY,
                             "name: there are two studies '%s'",
                             studies[i].name);
            return FALSE;
        }
    }
    for (guint i = 0; i < claims->claims.n; i++) {
        if (!find_paper_study(claims, items[i].study)) {
            config_set_error(error, items[i].node, CONFIG_ERROR_UNKNOWN_KEY,
                             "study: no study is named '%s'", items[i].study);
            return FALSE;
        }
    }
    return TRUE;
}

PaperClaims *paper_claims_load(const char *path, GError **error)
{
    g_autoptr(PaperClaims) claims = g_new0(PaperClaims, 1);

    claims->doc = config_doc_load(path, error);
    if (!claims->doc ||
        !config_doc_read(claims->doc, claims_fields, claims, error) ||
        !check_paper_claims(claims, error))
        return NULL;
    return g_steal_pointer(&claims);
}

void paper_claims_free(PaperClaims *claims)
{
    if (!claims)
        return;
    config_doc_free(claims->doc);
    g_free(claims);
}

/* ---- parsing of published figures ---------------------------------------- */

gboolean paper_published_range(const char *published, double *least,
                               double *most)
{
    static const char between[] = " to ";
    char *end;

    *least = *most = g_ascii_strtod(published, &end);
    if (end == published)
        return FALSE;
    if (g_str_has_prefix(end, between)) {
        const char *second = end + strlen(between);

        *most = g_ascii_strtod(second, &end);
        if (end == second)
            return FALSE;
    }
    return *end == '\0';
}
