/*
 * sweep_fingerprint.c - a word that identifies a program and the points of a
 * sweep; see sweep_fingerprint.h
 */
#include "sim/sweep/shard/sweep_fingerprint.h"

#include <string.h>

#include "sim/sweep/sweep_id.h"

#define MODEL_CHARS  12
#define POINTS_CHARS 16

static void add_to_checksum(GChecksum *sum, const char *text)
{
    g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

char *sweep_fingerprint(const SweepRun *run)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree char *n_points =
        g_strdup_printf("%u", sweep_plan_count_points(run->plan));

    add_to_checksum(sum, n_points);
    for (guint i = 0; i < sweep_plan_count_axes(run->plan); i++)
        add_to_checksum(sum, sweep_plan_axis_key(run->plan, i));
    for (guint i = 0; i < run->ids->len; i++)
        if (g_ptr_array_index(run->ids, i))
            add_to_checksum(sum, g_ptr_array_index(run->ids, i));
    return g_strdup_printf("%.*s-%.*s", MODEL_CHARS, sweep_model_hash(),
                           POINTS_CHARS, g_checksum_get_string(sum));
}

gboolean sweep_fingerprint_is_of_program(const char *word)
{
    return strncmp(word, sweep_model_hash(), MODEL_CHARS) == 0 &&
           word[MODEL_CHARS] == '-';
}
