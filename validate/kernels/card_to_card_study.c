/* card_to_card_study.c - another card of a GPU that was measured: simulated
 * times, and how far two cards of the same GPU differ */
#include "validate/kernels/card_to_card_study.h"

#include <math.h>

#include "validate/text_table.h"

/* Returns the row of the same case on the first card, or NULL. */
static const KernelRow *find_row_of_first_card(const KernelStudy *first,
                                               const KernelRow *row)
{
    for (guint i = 0; i < first->rows->len; i++) {
        const KernelRow *other = kernel_rows_at(first->rows, i);

        if (other->key && g_str_equal(other->npu, row->npu) &&
            g_strcmp0(other->key, row->key) == 0)
            return other;
    }
    return NULL;
}

static void add_row_to_score(SecondCardScore *score, const KernelRow *row,
                             double error_percent,
                             const KernelRow *first_card_row)
{
    double error = fabs(error_percent);

    score->n++;
    score->mean_percent += (error - score->mean_percent) / score->n;
    score->worst_percent = MAX(score->worst_percent, error);
    if (!first_card_row)
        return;
    error = 100 * fabs(first_card_row->time_us / row->time_us - 1);
    score->n_on_first++;
    score->first_mean_percent +=
        (error - score->first_mean_percent) / score->n_on_first;
    score->first_worst_percent = MAX(score->first_worst_percent, error);
}

SecondCardScore card_to_card_score(const KernelStudy *second,
                                   const KernelStudy *first, const char *npu,
                                   const char *family)
{
    SecondCardScore score = { 0 };

    for (guint i = 0; i < second->results->len; i++) {
        const KernelRow *row = kernel_result_row(second, i);

        if (g_str_equal(row->npu, npu) &&
            (!family || g_str_equal(row->family, family)))
            add_row_to_score(&score, row,
                             kernel_result_at(second, i)->error_percent,
                             find_row_of_first_card(first, row));
    }
    return score;
}

static void add_line_of_family(TextTable *table, const KernelStudy *second,
                               const KernelStudy *first, const char *npu,
                               const char *family)
{
    SecondCardScore score = card_to_card_score(second, first, npu, family);

    text_table_add_row(table, "%s\t%s\t%u\t%.1f\t%.1f\t%u\t%.1f\t%.1f", npu,
                       family ? family : "all", score.n, score.mean_percent,
                       score.worst_percent, score.n_on_first,
                       score.first_mean_percent, score.first_worst_percent);
}

void card_to_card_render(const KernelStudy *second, const KernelStudy *first,
                         GString *out)
{
    g_autoptr(TextTable) table = text_table_new("llrrrrrr");
    g_autoptr(GPtrArray) npus = kernel_study_npus(second);

    text_table_add_row(table, "NPU\tfamily\trows\tacesim, mean %%\tworst\trows "
                              "of both cards\tfirst card, mean %%\tworst");
    for (guint i = 0; i < npus->len; i++) {
        g_autoptr(GPtrArray) families =
            kernel_study_families(second, npus->pdata[i]);

        for (guint j = 0; j < families->len; j++)
            add_line_of_family(table, second, first, npus->pdata[i],
                               families->pdata[j]);
        add_line_of_family(table, second, first, npus->pdata[i], NULL);
    }
    text_table_render(table, out);
}
