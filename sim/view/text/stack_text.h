/*
 * stack_text.h - what the stack of a run has decided, for people
 *
 * Owner    the caller owns the texts
 */
#ifndef SIM_VIEW_TEXT_STACK_TEXT_H
#define SIM_VIEW_TEXT_STACK_TEXT_H

#include "models/run/system.h"

/* A line for each recipe, with what its stack reckoned, what it waited and for
 * how long it was under way; empty where there is none. */
char *stack_text(const SystemConfig *config, const System *system);

#endif
