/* rank_what_ifs.c - the what-ifs of a rank study: runs with some operations
 * twice as fast */
#include "sim/study/ranks/rank_what_ifs.h"

#include <string.h>

#include "sim/config/config.h"
#include "sim/config/quantity.h"
#include "sim/study/config_value.h"
#include "sim/study/explain/resource_what_ifs.h"

#define MILLION 1000000
#define HALF    (MILLION / 2)
/* Share of the critical path from which a what-if is worth a run. */
#define WORTH_A_RUN 0.01

typedef struct {
    const RankStudy *study;
    const SystemConfig *config; /* borrowed */
    GArray *what_ifs;           /* borrowed: of WhatIf */
} WhatIfList;

static gboolean is_what_if_worth_a_run(const WhatIfList *what_ifs, SimTime ps)
{
    return (double)ps >= WORTH_A_RUN * (double)what_ifs->study->r.total_ps &&
           ps > 0;
}

/* Appends a what-if that takes @time_saved_by_factor_ps off the critical path,
 * and takes over
 * @name and @sets.  The prediction is ceil((total - saved) / iterations). */
static void add_predicted_what_if(WhatIfList *what_ifs, char *name, char **sets,
                                  SimTime saved_ps)
{
    uint64_t n = what_ifs->study->r.n_iterations;
    WhatIf whatif = { .row = PATH_N, .name = name, .sets = sets };

    whatif.predicted_ps = (what_ifs->study->r.total_ps -
                           MIN(saved_ps, what_ifs->study->r.total_ps) + n - 1) /
                          n;
    g_array_append_val(what_ifs->what_ifs, whatif);
}

/* ---- rules that make named operations faster ----------------------------- */

/* Returns the word for @kind in `perturb.ops`. */
static const char *word_of_op_class_kind(ClassKind kind)
{
    return class_kind_names[kind];
}

static void append_perturbation_rule(GString *text, const char *match,
                                     const char *kind, uint64_t factor_ppm)
{
    g_autofree char *factor = quantity_format(factor_ppm, CONFIG_FRACTION);

    g_string_append_printf(text, "%s{match: '%s', kind: %s, time_factor: '%s'",
                           text->str[text->len - 1] == '[' ? "" : ", ", match,
                           kind, factor);
}

static void append_rule_npu(GString *text, uint64_t i, uint64_t npu)
{
    g_string_append_printf(text, "%s%" G_GUINT64_FORMAT,
                           i == 0 ? ", npus: [" : ", ", npu);
}

/* Returns the rules of the configuration as text, to which the caller appends a
 * rule and "}]". */
static GString *begin_perturbation_rules(const WhatIfList *what_ifs)
{
    GString *text = g_string_new("perturb.ops=[");
    const ConfigList *ops = &what_ifs->config->perturb.ops;

    for (guint i = 0; i < ops->n; i++) {
        const PerturbedOps *rule = (const PerturbedOps *)ops->items + i;
        const uint64_t *npus = rule->npus.items;

        append_perturbation_rule(
            text, rule->match,
            rule->kind == PERTURB_ANY
                ? "any"
                : word_of_op_class_kind(
                      (ClassKind)(rule->kind - PERTURB_KERNELS)),
            rule->time_factor_ppm);
        for (guint n = 0; n < rule->npus.n; n++)
            append_rule_npu(text, n, npus[n]);
        g_string_append(text, rule->npus.n > 0 ? "]}" : "}");
    }
    return text;
}

static char **finish_perturbation_rules_as_settings(GString *text)
{
    char **sets = g_new0(char *, 2);

    sets[0] = g_string_free(text, FALSE);
    return sets;
}

static SimTime time_saved_by_factor_ps(SimTime ps, uint64_t factor_ppm)
{
    return ps - MIN(sim_time_scaled(ps, factor_ppm, MILLION), ps);
}

/* Appends a what-if with one rule for each bit set in @kinds, a set of
 * ClassKind. */
static void add_pattern_what_if(WhatIfList *what_ifs, uint32_t kinds,
                                const char *match, uint64_t factor_ppm,
                                char *name)
{
    GString *text = begin_perturbation_rules(what_ifs);
    SimTime ps = 0;

    g_assert(kinds != 0);
    for (ClassKind kind = 0; kind < CLASS_LANE; kind++) {
        if (!(kinds >> kind & 1))
            continue;
        append_perturbation_rule(text, match, word_of_op_class_kind(kind),
                                 factor_ppm);
        g_string_append_c(text, '}');
        ps += rank_study_path_time_of_pattern_ps(what_ifs->study, kind, match);
    }
    g_string_append_c(text, ']');
    add_predicted_what_if(what_ifs, name,
                          finish_perturbation_rules_as_settings(text),
                          time_saved_by_factor_ps(ps, factor_ppm));
}

/* ---- what-ifs with faster communication ---------------------------------- */

static gboolean is_recorded_communication(const WhatIfList *what_ifs,
                                          ClassKind kind)
{
    const OpGraph *graph = system_graph(what_ifs->study->system);

    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op_class_kind_of_op(op) == kind && !op->is_recorded)
            return FALSE;
    }
    return TRUE;
}

static void append_halved_or_doubled_keys(const WhatIfList *what_ifs,
                                          const char *each, gboolean halves,
                                          GStrvBuilder *sets)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

    config_value_list_paths(what_ifs->config, "platform.topology", each, paths);
    for (guint i = 0; i < paths->len; i++) {
        g_autofree char *set = what_if_improved_setting(
            what_ifs->config, g_ptr_array_index(paths, i), halves);

        if (set)
            g_strv_builder_add(sets, set);
    }
}

static void add_faster_links_what_if(WhatIfList *what_ifs, SimTime ps)
{
    g_autoptr(GStrvBuilder) sets = g_strv_builder_new();

    if (!is_what_if_worth_a_run(what_ifs, ps))
        return;
    append_halved_or_doubled_keys(what_ifs, resource_links.each, FALSE, sets);
    append_halved_or_doubled_keys(what_ifs, resource_latencies.each, TRUE,
                                  sets);
    add_predicted_what_if(what_ifs, g_strdup("links, of half the latency"),
                          g_strv_builder_end(sets),
                          time_saved_by_factor_ps(ps, HALF));
}

static void add_communication_what_ifs(WhatIfList *what_ifs)
{
    static const ClassKind kinds[] = { CLASS_COLLECTIVE, CLASS_MESSAGE };
    SimTime simulated_ps = 0;

    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        SimTime ps =
            rank_study_path_time_of_pattern_ps(what_ifs->study, kinds[i], "*");

        if (!is_recorded_communication(what_ifs, kinds[i]))
            simulated_ps += ps;
        else if (is_what_if_worth_a_run(what_ifs, ps))
            add_pattern_what_if(
                what_ifs, 1u << kinds[i], "*", HALF,
                g_strdup_printf("%s, all", word_of_op_class_kind(kinds[i])));
    }
    add_faster_links_what_if(what_ifs, simulated_ps);
}

/* ---- what-ifs of the longest classes of operations ----------------------- */

static void add_class_what_ifs(WhatIfList *what_ifs)
{
    guint n = 0;

    for (guint i = 0; i < what_ifs->study->times->len; i++) {
        const RankClassTime *time =
            rank_study_class_time_at(what_ifs->study, i);
        const OpClass *class =
            op_class_at(&what_ifs->study->classes, time->class);

        if (n == RANK_WHATIF_MAX_CLASSES ||
            !is_what_if_worth_a_run(what_ifs, time->path_ps))
            return;
        if (class->kind > CLASS_DEVICE)
            continue;
        add_pattern_what_if(what_ifs, 1u << class->kind, class->name, HALF,
                            g_strdup_printf("%s %s",
                                            word_of_op_class_kind(class->kind),
                                            class->name));
        n++;
    }
}

static void add_idle_gaps_what_if(WhatIfList *what_ifs)
{
    const OpClasses *classes = &what_ifs->study->classes;
    g_autoptr(GStrvBuilder) sets = g_strv_builder_new();

    for (guint i = 0; i < what_ifs->study->times->len; i++) {
        const RankClassTime *time =
            rank_study_class_time_at(what_ifs->study, i);
        g_autofree char *set = NULL;

        if (op_class_at(classes, time->class)->kind != CLASS_GAP ||
            !is_what_if_worth_a_run(what_ifs, time->path_ps))
            continue;
        set = what_if_improved_setting(what_ifs->config, "training.gaps", TRUE);
        if (!set)
            return;
        g_strv_builder_add(sets, set);
        add_predicted_what_if(what_ifs, g_strdup("idle, as recorded"),
                              g_strv_builder_end(sets),
                              time_saved_by_factor_ps(time->path_ps, HALF));
    }
}

/* Appends the what-if in which the worst straggler has only as much to do as
 * the others on average, in the kind of work in which it exceeds them most. */
static void add_straggler_what_if(WhatIfList *what_ifs)
{
    const RankNpu *npu = rank_study_find_straggler(what_ifs->study);
    uint64_t factor_ppm;
    GString *text;

    if (!npu || npu->n_represented > 1 || npu->excess_kind > CLASS_DEVICE ||
        !is_what_if_worth_a_run(what_ifs, npu->excess_ps))
        return;
    factor_ppm = sim_time_scaled(
        MILLION, npu->busy_ps[npu->excess_kind] - npu->excess_ps,
        npu->busy_ps[npu->excess_kind]);
    text = begin_perturbation_rules(what_ifs);
    append_perturbation_rule(text, "*", word_of_op_class_kind(npu->excess_kind),
                             factor_ppm);
    append_rule_npu(text, 0, npu->npu);
    g_string_append(text, "]}]");
    add_predicted_what_if(
        what_ifs,
        g_strdup_printf("NPU %u's %s as the others' mean", npu->npu,
                        npu->excess_kind == CLASS_KERNEL ? "kernels"
                        : npu->excess_kind == CLASS_HOST ? "host"
                                                         : "device"),
        finish_perturbation_rules_as_settings(text),
        time_saved_by_factor_ps(
            rank_study_path_time_of_npu_ps(what_ifs->study, npu->npu,
                                           npu->excess_kind),
            factor_ppm));
}

/* ---- what-ifs that the user requested ------------------------------------ */

/* Returns the kind that @word names as a bit, or 0 if it names none. */
static uint32_t parse_class_kind(const char *word, gsize n)
{
    for (ClassKind kind = 0; kind < CLASS_LANE; kind++)
        if (strlen(class_kind_names[kind]) == n &&
            strncmp(class_kind_names[kind], word, n) == 0)
            return 1u << kind;
    return 0;
}

/* Returns the kinds, as bits, of the operations with a time that match
 * @match. */
static uint32_t kinds_matching_pattern(const WhatIfList *what_ifs,
                                       const char *match)
{
    const OpGraph *graph = system_graph(what_ifs->study->system);
    uint32_t kinds = 0;

    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (g_pattern_match_simple(
                match, g_ptr_array_index(graph->layers, op->layer)) &&
            (op->type != OP_COLLECTIVE ||
             is_recorded_communication(what_ifs, op_class_kind_of_op(op))))
            kinds |= 1u << op_class_kind_of_op(op);
    }
    return kinds;
}

static gboolean add_user_what_if(WhatIfList *what_ifs, const char *user_what_if,
                                 GError **error)
{
    const char *colon = strchr(user_what_if, ':'),
               *equals = strrchr(user_what_if, '=');
    const char *from = colon ? colon + 1 : user_what_if;
    uint32_t kinds =
        colon ? parse_class_kind(user_what_if, (gsize)(colon - user_what_if))
              : 1;
    g_autofree char *match = NULL;
    uint64_t factor_ppm;

    if (!equals || equals <= from || kinds == 0 || strchr(user_what_if, '\'')) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                    "--what-if: expected [KIND:]PATTERN=FACTOR such as "
                    "'kernel:conv*=50 %%', KIND being kernel, host, device, "
                    "collective or message; got '%s'",
                    user_what_if);
        return FALSE;
    }
    if (!quantity_parse(equals + 1, CONFIG_FRACTION, &factor_ppm, error)) {
        g_prefix_error(error, "--what-if: '%s': ", user_what_if);
        return FALSE;
    }
    match = g_strndup(from, (gsize)(equals - from));
    kinds = colon ? kinds : kinds_matching_pattern(what_ifs, match);
    if (kinds == 0) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_UNKNOWN_KEY,
                    "--what-if: no operation with a given time is called '%s'",
                    match);
        return FALSE;
    }
    add_pattern_what_if(what_ifs, kinds, match, factor_ppm,
                        g_strdup(user_what_if));
    return TRUE;
}

GArray *rank_what_ifs_run(const RankStudy *study, char *const *user_what_ifs,
                          const char *path, char *const *sets,
                          RunOptions run_options, RunManyFn run_many,
                          GError **error)
{
    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(WhatIf));
    WhatIfList makes = { study, system_config(study->system), all };
    const WhatIfSource from = { .path = path,
                                .sets = sets,
                                .run_options = run_options,
                                .system = study->system,
                                .run_many = run_many };

    g_array_set_clear_func(all, what_if_clear);
    add_class_what_ifs(&makes);
    add_communication_what_ifs(&makes);
    add_idle_gaps_what_if(&makes);
    add_straggler_what_if(&makes);
    for (guint i = 0; user_what_ifs && user_what_ifs[i]; i++)
        if (!add_user_what_if(&makes, user_what_ifs[i], error))
            return NULL;
    if (!what_ifs_prove_and_run(all, &from, error))
        return NULL;
    return g_steal_pointer(&all);
}
