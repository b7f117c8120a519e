#include "validate/fit/fit.h"

#include <math.h>
#include <string.h>

#include "validate/fit/search.h"

#define LEAST_STEP 1e-4
/* Of the time measured (assumed): errors beyond it are no longer squared. */
#define NEAR 0.1
#define STAGE(families, ...)                                                   \
    {                                                                          \
        families, (const GpuParam[])                                           \
        {                                                                      \
            __VA_ARGS__, GPU_N_PARAMS                                          \
        }                                                                      \
    }

/* Families between spaces, for has_family(). */
const FitStage fit_stages[] = {
    STAGE(" reduce copy ", GPU_MOVE_START, GPU_HBM, GPU_PORT, GPU_LATENCY,
          GPU_QUEUEING, GPU_TURNAROUND, GPU_PORT_WRITE, GPU_PORT_QUEUEING),
    STAGE(" stream ", GPU_STREAM_START, GPU_VECTOR),
    STAGE(" gemm ", GPU_OWN_START, GPU_OWN_GEMM, GPU_OWN_DEPTH,
          GPU_LIBRARY_START, GPU_LIBRARY_GEMM, GPU_LIBRARY_DEPTH,
          GPU_TILE_LOSS),
    STAGE(" lookup ", GPU_LOOKUP_START, GPU_LOOKUP, GPU_ROW_LOSS,
          GPU_ROUNDTRIPS),
    STAGE(" engine ", GPU_TO_HOST, GPU_FROM_HOST, GPU_HOST_SETUP, GPU_ON_DEVICE,
          GPU_BATCH_ON_DEVICE, GPU_DEVICE_SETUP),
    STAGE(" overlap ", GPU_WEIGHT, GPU_ENGINE_WEIGHT, GPU_CONFLICT),
};

const guint fit_n_stages = G_N_ELEMENTS(fit_stages);

static gboolean has_family(const FitStage *stage, const Measured *m)
{
    char word[64];

    /* A product that shows no peak, and the like. */
    if (*m->caveat)
        return FALSE;
    g_snprintf(word, sizeof word, " %s ", m->family);
    return strstr(stage->families, word) != NULL;
}

typedef struct {
    const Measurements *all; /* borrowed */
    const FitStage *stage;
    GpuModel *gpu; /* borrowed */
} Fit;

static double from_unit(const GpuParamInfo *info, double x)
{
    return info->is_log ? info->low * pow(info->high / info->low, x)
                        : info->low + (info->high - info->low) * x;
}

static double to_unit(const GpuParamInfo *info, double value)
{
    return info->is_log ? log(value / info->low) / log(info->high / info->low)
                        : (value - info->low) / (info->high - info->low);
}

static guint n_params(const FitStage *stage)
{
    guint n = 0;

    while (stage->params[n] != GPU_N_PARAMS)
        n++;
    return n;
}

/* Squares of what is near, which noise is; beyond, what a few rows are off
 * shall not pull at all others. */
static double penalty(double off)
{
    double far = fabs(off);

    return far <= NEAR ? off * off : NEAR * (2 * far - NEAR);
}

/* Mean over the rows of each family, then over families. */
static double misfit(const Fit *fit)
{
    double sum = 0, family_sum = 0;
    guint n_families = 0, n = 0;
    const char *family = "";

    for (guint i = 0; i < fit->all->rows->len; i++) {
        const Measured *m = measurements_row(fit->all, i);
        double us, off;

        if (m->is_held_out || !has_family(fit->stage, m) ||
            !gpu_model_predict_row(fit->gpu, fit->all, i, &us))
            continue;
        if (!g_str_equal(family, m->family)) {
            sum += n ? family_sum / n : 0;
            family = m->family;
            family_sum = n = 0;
            n_families++;
        }
        off = log(us / m->median_us);
        family_sum += penalty(off);
        n++;
    }
    sum += n ? family_sum / n : 0;
    return n_families ? sum / n_families : 0;
}

static double value_at(gpointer self, const double *x)
{
    Fit *fit = self;

    for (guint p = 0; p < n_params(fit->stage); p++) {
        GpuParam param = fit->stage->params[p];

        fit->gpu->values[param] = from_unit(&gpu_params[param], x[p]);
    }
    return misfit(fit);
}

static double fit_stage(Fit *fit)
{
    double x[GPU_N_PARAMS];
    guint n = n_params(fit->stage);
    double value;

    for (guint p = 0; p < n; p++) {
        GpuParam param = fit->stage->params[p];

        x[p] = to_unit(&gpu_params[param], gpu_params[param].start);
    }
    value = search_minimum(value_at, fit, x, n, LEAST_STEP);
    (void)value_at(fit, x);
    return value;
}

/* Whether a library's blocks stay is no number to go up and down with: both are
 * tried. */
static void fit_stage_both_ways(Fit *fit)
{
    GpuModel best = *fit->gpu;
    double least = INFINITY;

    for (int stays = FALSE; stays <= TRUE; stays++) {
        double value;

        fit->gpu->library_stays = stays;
        value = fit_stage(fit);
        if (value < least) {
            least = value;
            best = *fit->gpu;
        }
    }
    *fit->gpu = best;
}

static guint n_training(const Measurements *all, const FitStage *stage)
{
    guint n = 0;

    for (guint i = 0; i < all->rows->len; i++) {
        const Measured *m = measurements_row(all, i);

        n += !m->is_held_out && has_family(stage, m);
    }
    return n;
}

gboolean fit_gpu(const Measurements *all, GpuModel *gpu, GError **error)
{
    guint n = 0;

    gpu_model_init(gpu, all->n_sms);
    for (guint s = 0; s < fit_n_stages; s++) {
        Fit fit = { all, &fit_stages[s], gpu };

        if (n_training(all, fit.stage) == 0)
            continue;
        n += n_training(all, fit.stage);
        if (fit.stage->params[0] == GPU_WEIGHT)
            fit_stage_both_ways(&fit);
        else
            (void)fit_stage(&fit);
    }
    if (n > 0)
        return TRUE;
    g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                "no row is of a family that anything can be fitted to");
    return FALSE;
}

guint fit_n_rows(const Measurements *all, GpuParam param,
                 const char **ret_families)
{
    for (guint s = 0; s < fit_n_stages; s++)
        for (guint p = 0; p < n_params(&fit_stages[s]); p++)
            if (fit_stages[s].params[p] == param) {
                *ret_families = fit_stages[s].families;
                return n_training(all, &fit_stages[s]);
            }
    g_assert_not_reached();
}

/* ---- how good it is ----------------------------------------------------- */

static FitScore *score_of(GArray *scores, const char *family)
{
    FitScore score = { .family = family, .worst_row = MEASURED_NONE };

    for (guint i = 0; i < scores->len; i++)
        if (g_str_equal(g_array_index(scores, FitScore, i).family, family))
            return &g_array_index(scores, FitScore, i);
    g_array_append_val(scores, score);
    return &g_array_index(scores, FitScore, scores->len - 1);
}

GArray *fit_scores(const Measurements *all, const GpuModel *gpu)
{
    GArray *scores = g_array_new(FALSE, TRUE, sizeof(FitScore));

    for (guint i = 0; i < all->rows->len; i++) {
        const Measured *m = measurements_row(all, i);
        FitScore *score;
        double us, off;

        if (!gpu_model_predict_row(gpu, all, i, &us))
            continue;
        score = score_of(scores, m->family);
        if (!m->is_held_out) {
            score->n_training++;
            continue;
        }
        off = fabs(us / m->median_us - 1) * 100;
        score->mean_percent += off;
        score->n_held_out++;
        if (score->worst_row == MEASURED_NONE || off > score->worst_percent) {
            score->worst_percent = off;
            score->worst_row = i;
        }
    }
    for (guint i = 0; i < scores->len; i++) {
        FitScore *score = &g_array_index(scores, FitScore, i);

        if (score->n_held_out > 0)
            score->mean_percent /= score->n_held_out;
    }
    return scores;
}
