/* faster_algorithm_note.c - names an algorithm of collectives that is faster
 * than that of `auto` */
#include "models/run/report/faster_algorithm_note.h"

#include "models/run/run_state_impl.h"
#include "sim/config/quantity.h"

void add_faster_algorithm_note(GPtrArray *texts, const System *system)
{
    const CollectiveConfig *config = &system->plan.config->collectives;
    FasterAlgorithm faster;
    g_autofree char *text = NULL;

    if (config->algorithm != 0 || config->choices.n > 0 ||
        config->levels.n > 0 || !system_find_faster_algorithm(system, &faster))
        return;
    text = quantity_format(faster.payload_bytes, CONFIG_BYTES);
    g_ptr_array_add(
        texts,
        g_strdup_printf(
            "collectives.algorithm: 'auto' goes by kind and shape, not by "
            "size; alone, the %s of %s takes %.0f %% less time with '%s'",
            coll_kind_names[faster.kind], text, 100 * (1 - faster.time_ratio),
            coll_algorithm_names[faster.algorithm]));
}
