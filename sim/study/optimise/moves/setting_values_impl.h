/*
 * setting_values_impl.h - reads and changes quantities in settings; private to
 * moves/
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_STUDY_OPTIMISE_MOVES_SETTING_VALUES_IMPL_H
#define SIM_STUDY_OPTIMISE_MOVES_SETTING_VALUES_IMPL_H

#include "sim/study/optimise/search_moves.h"

/* Sets *@ret to the value after "KEY: " in @sets, the text of a move.  Returns
 * FALSE if there is none. */
gboolean read_setting_value(const char *sets, const char *key, ConfigType type,
                            uint64_t *ret);

/* Returns @value multiplied or divided by 2 or its square root, within @least
 * and @most.  It is rounded to two digits unless it is a power of two. */
uint64_t draw_value_near_current(uint64_t value, uint64_t least, uint64_t most,
                                 RandomDraw *draw);

/* Returns "KEY=VALUE" with one quantity. */
char *make_candidate_setting(const char *key, uint64_t value, ConfigType type);

/* Returns whether @sets choose the exchange @kind. */
gboolean candidate_settings_use_exchange(const char *sets, const char *kind);

#endif
