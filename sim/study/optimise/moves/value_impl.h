/*
 * value_impl.h - for moves/ only: values of settings, read again and changed
 *
 * Owner    texts are the caller's
 */
#ifndef SIM_STUDY_OPTIMISE_MOVES_VALUE_IMPL_H
#define SIM_STUDY_OPTIMISE_MOVES_VALUE_IMPL_H

#include "sim/study/optimise/move.h"

/* The value behind "KEY: " in @sets, which a move has written.  FALSE: there
 * is none. */
gboolean value_read(const char *sets, const char *key, ConfigType type,
                    uint64_t *ret);

/* @value times or divided by 2 or its root, and within @least and @most;
 * rounded to two digits where that is no power of two. */
uint64_t value_near(uint64_t value, uint64_t least, uint64_t most, Draw *draw);

/* "KEY=VALUE" of one quantity. */
char *value_set(const char *key, uint64_t value, ConfigType type);

/* Whether @sets are of the exchange @kind. */
gboolean value_is_exchange(const char *sets, const char *kind);

#endif
