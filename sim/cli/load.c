/* load.c - a run file, with what the command line puts in place */
#include "sim/cli/load.h"

#include <string.h>

gboolean load_apply_set(ConfigDoc *doc, const char *set, GError **error)
{
    const char *equals = strchr(set, '=');
    g_autofree char *key = NULL;

    g_return_val_if_fail(equals, FALSE);

    key = g_strndup(set, (gsize)(equals - set));
    return config_doc_set(doc, key, "--set", equals + 1, error);
}

ConfigDoc *load_run(const char *path, char *const *sets, SystemConfig *config,
                    GError **error)
{
    g_autoptr(ConfigDoc) doc = config_doc_load(path, error);

    if (!doc)
        return NULL;
    for (guint i = 0; sets && sets[i]; i++)
        if (!load_apply_set(doc, sets[i], error))
            return NULL;
    if (!config_doc_read(doc, system_fields, config, error))
        return NULL;
    return g_steal_pointer(&doc);
}
