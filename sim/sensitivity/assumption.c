/* assumption.c - an assumption and its alternative values */
#include "sim/sensitivity/assumption.h"

void clear_assumption_outcome(AlternativeOutcome *outcome)
{
    g_clear_pointer(&outcome->reason, g_free);
    g_clear_pointer(&outcome->best, g_free);
}

Alternative *assumption_alternative_new(const char *label)
{
    Alternative *alternative = g_new0(Alternative, 1);

    alternative->label = g_strdup(label);
    alternative->changes = g_array_new(FALSE, FALSE, sizeof(ValueChange));
    g_array_set_clear_func(alternative->changes, value_change_clear);
    alternative->added =
        g_ptr_array_new_with_free_func((GDestroyNotify)compared_endpoint_free);
    alternative->without = g_ptr_array_new();
    return alternative;
}

void assumption_alternative_free(Alternative *alternative)
{
    g_free(alternative->label);
    g_array_unref(alternative->changes);
    g_ptr_array_unref(alternative->added);
    g_ptr_array_unref(alternative->without);
    clear_assumption_outcome(&alternative->outcome);
    g_free(alternative);
}

Assumption *assumption_new(const char *name, const char *now,
                           const char *source, const char *why)
{
    Assumption *assumption = g_new0(Assumption, 1);

    assumption->name = g_strdup(name);
    assumption->current_value = g_strdup(now);
    assumption->source = g_strdup(source);
    assumption->why = why;
    assumption->alternatives = g_ptr_array_new_with_free_func(
        (GDestroyNotify)assumption_alternative_free);
    return assumption;
}

void assumption_free(Assumption *assumption)
{
    g_free(assumption->name);
    g_free(assumption->current_value);
    g_free(assumption->source);
    g_ptr_array_unref(assumption->alternatives);
    g_free(assumption);
}

gboolean
assumption_alternative_excludes_endpoint(const Alternative *alternative,
                                         const ComparedEndpoint *endpoint)
{
    return !endpoint->is_offload &&
           g_ptr_array_find_with_equal_func(alternative->without,
                                            endpoint->name, g_str_equal, NULL);
}
