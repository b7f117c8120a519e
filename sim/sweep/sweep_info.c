/*
 * sweep_info.c - information about one run of a sweep, as JSON in info.json;
 * see sweep_info.h
 */
#include "sim/sweep/sweep_info.h"

#include "sim/config/config.h"
#include "sim/config/config_node.h"
#include "sim/core/json_writer.h"

static void append_json_key(GString *out, const char *key)
{
    g_string_append_printf(out, ",\n  \"%s\": ", key);
}

static void append_json_text(GString *out, const char *key, const char *text)
{
    append_json_key(out, key);
    json_append_quoted(out, text);
}

static void append_json_count(GString *out, const char *key, guint value)
{
    append_json_key(out, key);
    g_string_append_printf(out, "%u", value);
}

static void append_json_items(GString *out, char *const *items, guint n_before)
{
    for (guint i = 0; items[i]; i++) {
        g_string_append(out, n_before + i > 0 ? ", " : "");
        json_append_quoted(out, items[i]);
    }
    g_string_append_c(out, ']');
}

static void append_json_list(GString *out, char *const *items)
{
    g_string_append_c(out, '[');
    append_json_items(out, items, 0);
}

GString *info_json_text(const SweepInfo *info)
{
    GString *out = g_string_new("{\n  \"version\": ");
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format_iso8601(now);

    json_append_quoted(out, ACESIM_VERSION);
    append_json_text(out, "date", date);
    append_json_text(out, "host", g_get_host_name());
    append_json_text(out, "sweep", info->sweep);
    append_json_text(out, "path", info->path);
    append_json_key(out, "command");
    g_string_append(out, "[\"acesim\"");
    append_json_items(out, info->command, 1);
    append_json_count(out, "jobs", info->n_jobs);
    append_json_count(out, "points", info->n_points);
    append_json_count(out, "done", info->n_done);
    append_json_count(out, "found", info->n_found);
    append_json_count(out, "failed", info->n_failed);
    append_json_count(out, "n_simulated", info->n_simulated);
    append_json_count(out, "n_shared", info->n_shared);
    append_json_count(out, "n_checked", info->n_checked);
    append_json_key(out, "wall_s");
    g_string_append_printf(out, "%u.%03u", (guint)info->wall_s,
                           (guint)(info->wall_s * 1000) % 1000);
    append_json_key(out, "compare");
    g_string_append(out, "{ \"baselines\": ");
    append_json_list(out, info->baselines);
    g_string_append(out, ", \"best\": ");
    append_json_list(out, info->best);
    g_string_append(out, ", \"offload\": ");
    append_json_list(out, info->offload);
    g_string_append(out, ", \"fastest_over\": ");
    append_json_list(out, info->fastest_over);
    g_string_append(out, " }\n}\n");
    return out;
}

char **sweep_info_read_list(const char *path, const char *key, GError **error)
{
    g_autoptr(ConfigDoc) doc = config_doc_load(path, error);
    GPtrArray *names;
    const ConfigNode *list;

    if (!doc)
        return NULL;
    names = g_ptr_array_new();
    list = config_doc_find_nearest(doc, key);
    /* If the key is absent, this is the nearest map above it. */
    for (guint i = 0; config_node_kind(list) == CONFIG_NODE_LIST &&
                      i < config_node_count(list);
         i++) {
        const char *name = config_node_text(config_node_value(list, i));

        if (name)
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

char *sweep_info_read_text(const char *path, const char *key, GError **error)
{
    g_autoptr(ConfigDoc) doc = config_doc_load(path, error);
    const ConfigNode *node;
    const char *text;

    if (!doc)
        return NULL;
    node = config_doc_find_exact(doc, key);
    text = node ? config_node_text(node) : NULL;
    return g_strdup(text ? text : "");
}
