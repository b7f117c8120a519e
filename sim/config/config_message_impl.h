/* config_message_impl.h - problems in order, and the words to name them */
#ifndef SIM_CONFIG_CONFIG_MESSAGE_IMPL_H
#define SIM_CONFIG_CONFIG_MESSAGE_IMPL_H

#include "sim/config/config_node_impl.h"

void config_problem_at(GPtrArray *problems, const ConfigNode *where,
                       ConfigErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* Sets @error to all of @problems, sorted; FALSE when there are any. */
gboolean config_problems_raise(ConfigDoc *doc, GPtrArray *problems,
                               GError **error);
/* "a list", "a map", "'text'", "nothing".  Owner: the caller. */
char *config_describe(const ConfigNode *node);

#endif
