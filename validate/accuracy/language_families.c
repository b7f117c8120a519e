/* language_families.c - rows of training steps of language models */
#include <math.h>

#include "validate/accuracy/families.h"

#define MS_PER_S 1e3

/* Returns the step at the peak of the data sheet, in ms. */
static double step_time_at_peak_ms(const StepRow *row)
{
    return MS_PER_S * step_row_model_flop(row) /
           (row->n_npus * step_row_peak_flop_per_s(row));
}

/* A table that nothing was fitted to has no trivial predictor: its rule is the
 * peak. */
static JudgeRow judge_row_of_step(const StepResult *result,
                                  const StepDetail *detail)
{
    const StepRow *row = result->row;

    return (JudgeRow){
        .system = g_intern_string(step_row_fit_unit(row)),
        .kind = g_intern_string(row->precision),
        .wide_kind = g_intern_string(""),
        .x = log2(row->n_npus),
        .measured = row->step_ms,
        .simulated = result->simulated_ms,
        /* All rows are simulated with constants that never saw their unit. */
        .left_out_value = detail->is_refitted ? result->simulated_ms : 0,
        .basis = detail->is_refitted
                     ? row->step_ms * (1 + result->trivial_percent / 100)
                     : step_time_at_peak_ms(row),
    };
}

gboolean add_step_rows(const MeasuredStudies *studies,
                       const AccuracyFamily *family, GArray *rows,
                       GError **error)
{
    const StepDetail *detail = family->detail;

    (void)error;
    for (guint i = 0; studies->steps && i < studies->steps->results->len; i++) {
        const StepResult *result =
            &g_array_index(studies->steps->results, StepResult, i);
        JudgeRow row;

        if (!step_filter_has_row(&detail->filter, result->row))
            continue;
        row = judge_row_of_step(result, detail);
        g_array_append_val(rows, row);
    }
    return TRUE;
}
