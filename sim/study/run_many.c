/* run_many.c - runs the pieces one after another in this process */
#include "sim/study/run_many.h"

static void run_work_piece(const RunMany *many, guint i)
{
    g_autoptr(GString) text = g_string_new(NULL);

    many->work(many->self, many->number ? many->number(many->self, i) : i,
               text);
    many->piece_ended(many->self, i, text, NULL);
}

gboolean run_many_in_process(const RunMany *many, GError **error)
{
    guint i = 0, n = many->n;
    gboolean is_complete = !many->find_more_pieces;

    g_assert(error == NULL || *error == NULL);
    do {
        for (; i < n; i++)
            run_work_piece(many, i);
        is_complete = is_complete || !many->find_more_pieces(many->self, &n);
    } while (i < n);
    return TRUE;
}
