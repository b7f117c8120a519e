/* report_llm.c - published training steps of language models against acesim */
#include <math.h>

#include "validate/llm/step_study.h"
#include "validate/report_impl.h"

/* The errors that are asked of some rows, and the limit that must hold so that
 * they do not grow: validate/README.md says why two are missed. */
static const struct {
    const char *what;
    StepFilter filter;
    double mean_percent, worst_percent;           /* asked; 0: nothing */
    double most_mean_percent, most_worst_percent; /* 0: as asked */
} bounds[] = {
    { "vTrain, each model size left out",
      { .family = "a100", .set = "vtrain-single" },
      10,
      0,
      0,
      0 },
    { "vTrain on several machines, each model size left out",
      { .family = "a100", .set = "vtrain-multi" },
      10,
      0,
      0,
      0 },
    { "Korthikanti et al., nothing fitted to it",
      { .set = "korthikanti" },
      6,
      12,
      8,
      12 },
    { "H100 in FP8, each model left out",
      { .npu = "h100-sxm", .precision = "fp8" },
      6,
      12,
      0,
      0 },
    { "Blackwell in FP8 and MXFP8, each GPU left out",
      { .family = "blackwell", .not_precision = "nvfp4" },
      12,
      25,
      12,
      45 },
};

/* Adds whether Llama 3.1 405B on more H100 takes the time that follows from 512
 * of them, whose simulated time is scaled to the measured one: a shift of the
 * efficiency scales all of these rows by the same factor within .4 %. */
static void check_scaling_of_llama(Report *report, const StepStudy *study)
{
    double base = 0, worst = 0;
    guint n = 0;

    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; i < study->results->len; i++) {
            const StepResult *result =
                &g_array_index(study->results, StepResult, i);
            const StepRow *row = result->row;
            double ratio = result->simulated_ms / row->step_ms;

            if (!g_str_equal(row->set, "mlperf") ||
                !g_str_equal(row->npu, "h100-sxm") ||
                !g_str_equal(row->model, "llama-3.1-405b"))
                continue;
            if (pass == 0 && row->n_npus == 512)
                base = ratio;
            if (pass == 0 || row->n_npus == 512 || base <= 0)
                continue;
            n++;
            worst = MAX(worst, 100 * fabs(ratio / base - 1));
        }
    report_add_condition(report, n >= 2 && worst <= 3,
                         "steps: Llama 3.1 405B on %u machines of 2,048 to "
                         "2,560 H100, from that of 512: %.1f %% worst, at "
                         "most 3",
                         n, worst);
}

/* Returns whether errors are within limits; 0: no limit on the worst. */
static gboolean errors_are_within(const StepErrors *errors, double mean_percent,
                                  double worst_percent)
{
    return errors->n > 0 && errors->mean_percent <= mean_percent &&
           (worst_percent <= 0 || errors->worst_percent <= worst_percent);
}

gboolean report_add_llm(Report *report, GError **error)
{
    StepStudy *study = step_study_run(report->simulator, "llm", error);
    g_autofree char *csv = NULL;

    if (!study)
        return FALSE;
    report->studies.steps = study;
    report_add_heading(report, "Training steps of language models, with the "
                               "model or the GPU of a row left out of the fit");
    step_study_render(study, report->tables);
    for (guint i = 0; i < G_N_ELEMENTS(bounds); i++) {
        StepErrors e = step_study_errors(study, &bounds[i].filter);

        report_add_condition(
            report,
            errors_are_within(
                &e,
                bounds[i].most_mean_percent > 0 ? bounds[i].most_mean_percent
                                                : bounds[i].mean_percent,
                bounds[i].most_mean_percent > 0 ? bounds[i].most_worst_percent
                                                : bounds[i].worst_percent),
            "steps: %s: %u rows, %.1f %% mean, %.1f worst; asked %.0f and "
            "%.0f%s (a constant share of the peak: %.1f, %.1f)",
            bounds[i].what, e.n, e.mean_percent, e.worst_percent,
            bounds[i].mean_percent, bounds[i].worst_percent,
            errors_are_within(&e, bounds[i].mean_percent,
                              bounds[i].worst_percent)
                ? ""
                : ", missed",
            e.trivial_mean_percent, e.trivial_worst_percent);
    }
    check_scaling_of_llama(report, study);
    csv = step_study_csv(study);
    return simulator_write_file(report->simulator, "llm.csv", csv, error);
}
