/*
 * journal_damage.h - describes the damage of a journal for the user
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_DAMAGE_H
#define SIM_SWEEP_JOURNAL_JOURNAL_DAMAGE_H

#include "sim/sweep/journal/journal_read.h"

/* Returns a line about the damage of the file @path, or NULL if there is
 * none. */
char *journal_damage_text(const char *path, const JournalDamage *damage);

#endif
