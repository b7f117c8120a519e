/*
 * value_impl.h - reads and changes quantities in settings; private to moves/
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_STUDY_OPTIMISE_MOVES_VALUE_IMPL_H
#define SIM_STUDY_OPTIMISE_MOVES_VALUE_IMPL_H

#include "sim/study/optimise/move.h"

/* Sets *@ret to the value after "KEY: " in @sets, the text of a move.  Returns
 * FALSE if there is none. */
gboolean value_read(const char *sets, const char *key, ConfigType type,
                    uint64_t *ret);

/* Returns @value multiplied or divided by 2 or its square root, within @least
 * and @most.  It is rounded to two digits unless it is a power of two. */
uint64_t value_near(uint64_t value, uint64_t least, uint64_t most, Draw *draw);

/* Returns "KEY=VALUE" with one quantity. */
char *value_set(const char *key, uint64_t value, ConfigType type);

/* Returns whether @sets choose the exchange @kind. */
gboolean value_is_exchange(const char *sets, const char *kind);

#endif
