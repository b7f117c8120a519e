/*
 * journal_damage.h - what was damaged in a journal, told
 *
 * Owner    the text is the caller's
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_DAMAGE_H
#define SIM_SWEEP_JOURNAL_JOURNAL_DAMAGE_H

#include "sim/sweep/journal/journal_read.h"

/* One line, of the file @path; NULL where nothing was. */
char *journal_damage_text(const char *path, const JournalDamage *damage);

#endif
