/*
 * collective_recipes_text.h - decisions of the stack of a run, as text
 *
 * Owner    the caller owns the texts
 */
#ifndef SIM_VIEW_TEXT_COLLECTIVE_RECIPES_TEXT_H
#define SIM_VIEW_TEXT_COLLECTIVE_RECIPES_TEXT_H

#include "models/run/system.h"

/* Returns one line per recipe, that is, per way in which the communication
 * stack carries out a collective: the stack's estimate, the waiting time, and
 * the time in flight. Returns "" if no collective has a recipe. */
char *collective_recipes_text(const SystemConfig *config, const System *system);

#endif
