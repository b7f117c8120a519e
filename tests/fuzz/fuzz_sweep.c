/*
 * fuzz_sweep.c - fuzzes the reader of sweep files
 *
 * No sweep file may crash or hang the reader, leak memory, or fail without a
 * message.  Each of its points must have a description.
 */
#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/config/config.h"
#include "sim/sweep/sweep_plan.h"

/* Points that are checked; the others are made in the same way. */
#define MAX_POINTS 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sweep_point(const SweepPlan *plan, guint point)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = sweep_plan_describe_point(plan, point);
    g_autoptr(ConfigDoc) doc = sweep_plan_point_document(plan, point, &error);

    g_assert(text && (doc == NULL) == (error != NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepPlan) plan = NULL;
    ConfigDoc *doc =
        config_doc_parse("/none/s.yaml", (const char *)data, size, &error);

    if (doc)
        plan = sweep_plan_new(doc, NULL, &error);
    g_assert((plan == NULL) == (error != NULL));
    g_assert(!error || *error->message != '\0');
    for (guint i = 0;
         plan && i < MIN(sweep_plan_count_points(plan), MAX_POINTS); i++)
        check_sweep_point(plan, i);
    return 0;
}
