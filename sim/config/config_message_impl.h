/* config_message_impl.h - adds, sorts and reports problems */
#ifndef SIM_CONFIG_CONFIG_MESSAGE_IMPL_H
#define SIM_CONFIG_CONFIG_MESSAGE_IMPL_H

#include "sim/config/config_node_impl.h"

void config_problem_at(GPtrArray *problems, const ConfigNode *where,
                       ConfigErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* Sets @error to all @problems, sorted.  Returns FALSE if there are any. */
gboolean config_problems_to_error(ConfigDoc *doc, GPtrArray *problems,
                                  GError **error);
/* Returns "a list", "a map", "'text'" or "nothing" for a message.  The caller
 * owns the text. */
char *config_describe_node(const ConfigNode *node);

#endif
