/* tune_endpoint.c - chooses the values of an endpoint that are `auto`, by
 * simulation */
#include "sim/study/tune_endpoint.h"

#include <string.h>

#include "models/run/stack_costs.h"
#include "sim/config/quantity.h"
#include "sim/study/convex_descent.h"

/* The search starts at 4 SMs; most libraries use 2 to 24. */
#define FIRST_STEP 3

static const NpuConfig *npu_config_of_run(const SystemConfig *config)
{
    return &config->platform.npu;
}

gboolean endpoint_tuning_is_needed(const SystemConfig *config)
{
    return endpoint_n_auto_steps(&config->endpoint, npu_config_of_run(config)) >
           0;
}

static guint first_ladder_step(const SystemConfig *config)
{
    return MIN(FIRST_STEP, endpoint_n_auto_steps(&config->endpoint,
                                                 npu_config_of_run(config)) -
                               1);
}

/* Returns the endpoint's parameters at a place of the ladder, which the caller
 * owns. */
static gpointer make_params_at(const SystemConfig *config, guint step,
                               guint part)
{
    const ConfigVariant *endpoint = &config->endpoint;
    gpointer params = g_memdup2(endpoint->params, endpoint->kind->size);

    endpoint_set_auto_params(endpoint, npu_config_of_run(config), step, part,
                             params);
    return params;
}

/* ---- simulating one set of values ---------------------------------------- */

typedef struct {
    const SystemConfig *asked;
    RunOptions run_options;
    RunWatch watch;
    TuneResult *tuned;
    guint step; /* the step whose parts are tried */
    /* Owned: of the first trial, or of the trial that the watch ended. */
    GError *error;
    gboolean is_ended; /* by the watch: no more trials are run */
} TuneSearch;

static TuneTrial *tuning_trial_at(const TuneResult *tuned, guint i)
{
    return &g_array_index(tuned->trials, TuneTrial, i);
}

static void clear_tune_trial(gpointer data)
{
    TuneTrial *trial = data;

    g_free((gpointer)trial->config->endpoint.params);
    g_free(trial->config);
}

/* Returns the trial with these parameters, or NULL.  After rounding, several
 * places of a ladder can have the same values. */
static const TuneTrial *find_trial_with_params(const TuneSearch *search,
                                               gconstpointer params)
{
    for (guint i = 0; i < search->tuned->trials->len; i++)
        if (memcmp(tuning_trial_at(search->tuned, i)->config->endpoint.params,
                   params, search->asked->endpoint.kind->size) == 0)
            return tuning_trial_at(search->tuned, i);
    return NULL;
}

static double cost_of_tuning_trial(const TuneTrial *trial)
{
    return trial->iteration_ps > 0 ? (double)trial->iteration_ps : G_MAXDOUBLE;
}

/* Runs a trial.  The system of the best trial is kept, so that its results need
 * no further run. */
static void run_tuning_trial(TuneSearch *search, TuneTrial *trial)
{
    TuneResult *tuned = search->tuned;
    g_autoptr(GError) error = NULL;
    g_autoptr(System) system =
        system_new(trial->config, search->run_options, &error);

    if (!system ||
        !system_run_with_progress(system, search->watch.report_progress,
                                  search->watch.self, &error)) {
        search->is_ended =
            g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_ENDED);
        if (search->is_ended)
            g_clear_error(&search->error);
        if (search->is_ended || tuned->trials->len == 0)
            search->error = g_steal_pointer(&error);
        return;
    }
    trial->iteration_ps = system_result(system).iteration_ps;
    if (tuned->system && trial->iteration_ps >=
                             tuning_trial_at(tuned, tuned->best)->iteration_ps)
        return;
    system_free(tuned->system);
    tuned->system = g_steal_pointer(&system);
    tuned->config = trial->config;
    tuned->best = tuned->trials->len;
}

static double cost_at_ladder_place(TuneSearch *search, guint step, guint part)
{
    gpointer params;
    const TuneTrial *known;
    TuneTrial trial = { .step = step, .part = part };

    if (search->is_ended)
        return G_MAXDOUBLE;
    params = make_params_at(search->asked, step, part);
    known = find_trial_with_params(search, params);
    if (known) {
        g_free(params);
        return cost_of_tuning_trial(known);
    }
    trial.config = g_memdup2(search->asked, sizeof *search->asked);
    trial.config->endpoint.params = params;
    run_tuning_trial(search, &trial);
    g_array_append_val(search->tuned->trials, trial);
    return cost_of_tuning_trial(&trial);
}

static double cost_of_ladder_step(gpointer self, guint step)
{
    return cost_at_ladder_place(self, step, ENDPOINT_N_PARTS);
}

static double cost_of_step_part(gpointer self, guint part)
{
    TuneSearch *search = self;

    return cost_at_ladder_place(search, search->step, part + 1);
}

/* ---- searching the ladder of an endpoint's values ------------------------ */

/* Returns whether one step less costs hardly more.  Then the time no longer
 * depends on what communication gets, and parts of a step cannot save much. */
static gboolean is_next_lower_step_as_good(const TuneSearch *search, guint step)
{
    for (guint i = 0; step > 0 && i < search->tuned->trials->len; i++) {
        const TuneTrial *trial = tuning_trial_at(search->tuned, i);

        if (trial->step == step - 1 && trial->part == ENDPOINT_N_PARTS)
            return cost_of_tuning_trial(trial) <=
                   (1 + TUNE_TOLERANCE) *
                       cost_of_tuning_trial(
                           tuning_trial_at(search->tuned, search->tuned->best));
    }
    return FALSE;
}

/* Returns the number of SMs that the stack's kernels hold, from a system that
 * is built and not run; 0 if the stack does not define it or the system cannot
 * be built. */
static uint64_t find_stack_kernel_sms(const TuneSearch *search)
{
    SystemConfig config = *search->asked;
    g_autofree gpointer params = make_params_at(
        search->asked, first_ladder_step(search->asked), ENDPOINT_N_PARTS);
    g_autoptr(System) system = NULL;

    config.endpoint.params = params;
    system = system_new(&config, search->run_options, NULL);
    return system ? system_stack_sms(system) : 0;
}

/* Sets *@ret to the step with as many SMs as the stack's kernels hold.  Returns
 * FALSE if the stack does not define them, or there is no choice of SMs. */
static gboolean find_step_of_stack_sms(const TuneSearch *search, guint *ret)
{
    guint n = endpoint_n_auto_steps(&search->asked->endpoint,
                                    npu_config_of_run(search->asked));
    uint64_t wanted = find_stack_kernel_sms(search);
    uint64_t first_sms = 0, n_sms = 0;

    for (*ret = 0; *ret < n && wanted > 0; (*ret)++) {
        g_autofree gpointer params =
            make_params_at(search->asked, *ret, ENDPOINT_N_PARTS);
        ConfigVariant endpoint = search->asked->endpoint;

        endpoint.params = params;
        n_sms = endpoint_claim_resources(&endpoint).n_sms;
        first_sms = *ret == 0 ? n_sms : first_sms;
        if (n_sms >= wanted && n_sms > first_sms)
            return TRUE;
    }
    return FALSE;
}

static void search_tuning_ladder(TuneSearch *search)
{
    Descent steps = {
        .n = endpoint_n_auto_steps(&search->asked->endpoint,
                                   npu_config_of_run(search->asked)),
        .first = first_ladder_step(search->asked),
        .tolerance = TUNE_TOLERANCE,
        .rise = DESCENT_UNKNOWN,
        .cost = cost_of_ladder_step,
        .self = search,
    };
    Descent parts = {
        .n = ENDPOINT_N_PARTS,
        .first = ENDPOINT_N_PARTS - 1,
        .tolerance = TUNE_TOLERANCE,
        .cost = cost_of_step_part,
        .self = search,
    };
    DescentResult best;
    guint of_stack;

    /* More SMs than the stack's kernels hold would idle; fewer make its
     * collectives slower and give compute more. */
    if (stack_chooses_recipes(&search->asked->stack) &&
        find_step_of_stack_sms(search, &of_stack) &&
        cost_of_ladder_step(search, of_stack) < G_MAXDOUBLE) {
        steps.first = of_stack;
        steps.n = of_stack + 1;
    }
    best = descent_find_minimum(&steps);
    if (!search->tuned->system || is_next_lower_step_as_good(search, best.step))
        return;
    search->step = best.step;
    parts.rise = best.rise == DESCENT_UNKNOWN ? DESCENT_UNKNOWN
                                              : best.rise / ENDPOINT_N_PARTS;
    descent_find_minimum(&parts);
}

TuneResult *tune_endpoint_watched(const SystemConfig *config,
                                  RunOptions run_options, RunWatch watch,
                                  GError **error)
{
    g_autoptr(TuneResult) tuned = g_new0(TuneResult, 1);
    TuneSearch s = {
        .asked = config,
        .run_options = run_options,
        .watch = watch,
        .tuned = tuned,
    };

    g_assert(endpoint_tuning_is_needed(config));
    tuned->trials = g_array_new(FALSE, FALSE, sizeof(TuneTrial));
    g_array_set_clear_func(tuned->trials, clear_tune_trial);
    search_tuning_ladder(&s);
    if (s.is_ended || !tuned->system) {
        g_propagate_error(error, s.error);
        return NULL;
    }
    g_clear_error(&s.error);
    ((EndpointCommon *)tuned->config->endpoint.params)->n_tried =
        tuned->trials->len;
    return g_steal_pointer(&tuned);
}

TuneResult *tune_endpoint(const SystemConfig *config, RunOptions run_options,
                          GError **error)
{
    return tune_endpoint_watched(config, run_options, (RunWatch){ 0 }, error);
}

void tuned_endpoint_free(TuneResult *tuned)
{
    if (!tuned)
        return;
    system_free(tuned->system);
    g_array_unref(tuned->trials);
    g_free(tuned);
}

gboolean check_tuned_endpoint_is_buildable(const SystemConfig *config,
                                           RunOptions run_options,
                                           GPtrArray *notes, GError **error)
{
    SystemConfig guess = *config;
    g_autofree gpointer params = NULL;

    if (endpoint_tuning_is_needed(config)) {
        params =
            make_params_at(config, first_ladder_step(config), ENDPOINT_N_PARTS);
        guess.endpoint.params = params;
    }
    return system_check_buildable(&guess, run_options, notes, error);
}

/* ---- the chosen values as text ------------------------------------------- */

static char *chosen_value_text(const ConfigField *field, gconstpointer params)
{
    const guint8 *base = params;

    return quantity_format(
        *(const uint64_t *)(gconstpointer)(base + field->offset), field->type);
}

char **list_tuned_endpoint_settings(const TuneResult *tuned)
{
    const ConfigVariant *endpoint = &tuned->config->endpoint;
    GPtrArray *sets = g_ptr_array_new();

    for (const ConfigField *field = endpoint->kind->fields; field->key;
         field++) {
        g_autofree char *value = NULL;

        if (!field->may_be_auto)
            continue;
        value = chosen_value_text(field, endpoint->params);
        g_ptr_array_add(sets,
                        g_strdup_printf("endpoint.%s=%s", field->key, value));
    }
    g_ptr_array_add(sets, NULL);
    return (char **)g_ptr_array_free(sets, FALSE);
}

char *tune_values_text(const ConfigVariant *endpoint)
{
    GString *out = g_string_new(NULL);

    for (const ConfigField *field = endpoint->kind->fields;
         endpoint_n_runs_to_choose_auto(endpoint) > 0 && field->key; field++) {
        g_autofree char *value = NULL;

        if (!field->may_be_auto)
            continue;
        value = chosen_value_text(field, endpoint->params);
        g_string_append_printf(out, "%s%s %s", out->len > 0 ? ", " : "",
                               field->key, value);
    }
    return g_string_free(out, FALSE);
}
