/* run_many.c - many runs in this process, one after the other */
#include "sim/study/run_many.h"

gboolean run_many_here(const RunMany *many, GError **error)
{
    g_assert(error == NULL || *error == NULL);
    for (guint i = 0; i < many->n; i++) {
        g_autoptr(GString) text = g_string_new(NULL);

        many->work(many->self, i, text);
        many->done(many->self, i, text, NULL);
    }
    return TRUE;
}
