/*
 * journal_damage.c - describes the damage of a journal for the user; see
 * journal_damage.h
 */
#include "sim/sweep/journal/journal_damage.h"

char *journal_damage_text(const char *path, const JournalDamage *damage)
{
    g_autofree char *places =
        g_strdup_printf(" and at %u more places", damage->n_places - 1);

    if (damage->n_places == 0)
        return NULL;
    return g_strdup_printf("%s: damaged at byte %" G_GOFFSET_FORMAT
                           ", behind %u whole record%s%s: %" G_GOFFSET_FORMAT
                           " bytes cannot be read; all other records count",
                           path, damage->first_offset, damage->n_before,
                           damage->n_before == 1 ? "" : "s",
                           damage->n_places > 1 ? places : "", damage->n_bytes);
}
