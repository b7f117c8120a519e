/*
 * sweep_reader.c - reads the configurations of a sweep's points, reusing what
 * consecutive points have in common; see sweep_reader.h
 */
#include "sim/sweep/reading/sweep_reader.h"

#include <string.h>

#include "models/endpoints/resource_shares.h"
#include "sim/config/config_node.h"
#include "sim/config/quantity.h"
#include "sim/study/config_value.h"
#include "sim/sweep/sweep_id.h"

struct SweepReader {
    const SweepPlan *plan;
    ConfigDoc *doc; /* owned: the document that was read as a whole; or NULL */
    SystemConfig config; /* read from .doc, then changed in place */
    guint point;         /* the point of .config */
    /* For each axis, the place of its value in the configuration (owned array).
     * .field is NULL if the value cannot be changed in place. */
    SweepChange *axes;
    GArray *changes;   /* owned, of SweepChange */
    gboolean is_whole; /* .doc was read for .point; .changes is not valid */
    /* The hashes of the sections of the configuration (owned texts); NULL if
     * not known. */
    char *digests[SWEEP_ID_MAX_SECTIONS];
};

SweepReader *sweep_reader_new(const SweepPlan *plan)
{
    SweepReader *reader = g_new0(SweepReader, 1);

    reader->plan = plan;
    reader->axes = g_new0(SweepChange, sweep_plan_count_axes(plan));
    reader->changes = g_array_new(FALSE, FALSE, sizeof(SweepChange));
    return reader;
}

static void discard_current_point(SweepReader *reader)
{
    g_clear_pointer(&reader->doc, config_doc_free);
    for (guint i = 0; i < SWEEP_ID_MAX_SECTIONS; i++)
        g_clear_pointer(&reader->digests[i], g_free);
}

void sweep_reader_free(SweepReader *reader)
{
    if (!reader)
        return;
    discard_current_point(reader);
    g_array_unref(reader->changes);
    g_free(reader->axes);
    g_free(reader);
}

/* ---- reading a whole run file -------------------------------------------- */

/* Returns whether a value depends on nothing but its own text.  A share of
 * another value does not. */
static gboolean depends_only_on_text(const ConfigField *field)
{
    if (field->share_offset > 0)
        return FALSE;
    return field->type <= CONFIG_FRACTION || field->type == CONFIG_BOOL ||
           field->type == CONFIG_ENUM;
}

/* Returns whether a value is rounded or unusual: only reading as a whole adds
 * the note about it. */
static gboolean value_has_note(const ConfigNode *node, const ConfigField *field)
{
    const char *text = config_node_text(node);
    uint64_t value;

    return text && field->type <= CONFIG_FRACTION &&
           (quantity_is_rounded(text, field->type) ||
            (quantity_parse(text, field->type, &value, NULL) &&
             config_value_is_unusual(field, value)));
}

static guint config_section_of_path(const char *path)
{
    gsize n = strcspn(path, ".");
    guint i = 0;

    while (strncmp(system_fields[i].key, path, n) != 0 ||
           system_fields[i].key[n] != '\0')
        i++;
    return i;
}

/* Returns where the value of @axis is.  If the node at the path is that of the
 * axis, no later setting hides it. */
static SweepChange find_axis_value_slot(const SweepReader *reader, guint axis)
{
    const ConfigNode *node =
        sweep_plan_value_node(reader->plan, reader->point, axis);
    SweepChange at = { .path = sweep_plan_axis_key(reader->plan, axis),
                       .node = node };

    if (!node || config_doc_find_exact(reader->doc, at.path) != node ||
        !config_value_find_address(&reader->config, at.path, &at.field,
                                   &at.slot) ||
        !depends_only_on_text(at.field) || value_has_note(node, at.field) ||
        (g_str_has_prefix(at.path, "platform.npu.") &&
         endpoint_has_shares(&reader->config.endpoint)))
        return (SweepChange){ 0 };
    at.section = config_section_of_path(at.path);
    return at;
}

const SystemConfig *sweep_reader_read_point_afresh(SweepReader *reader,
                                                   guint point, GError **error)
{
    g_autoptr(ConfigDoc) doc = NULL;

    discard_current_point(reader);
    doc = sweep_plan_point_document(reader->plan, point, error);
    if (!doc || !config_doc_read(doc, system_fields, &reader->config, error))
        return NULL;
    reader->doc = g_steal_pointer(&doc);
    reader->point = point;
    reader->is_whole = TRUE;
    for (guint i = 0; i < sweep_plan_count_axes(reader->plan); i++)
        reader->axes[i] = find_axis_value_slot(reader, i);
    return &reader->config;
}

/* ---- changing values in place -------------------------------------------- */

/* Finds the axes in which @point differs.  Returns FALSE if it must be read as
 * a whole. */
static gboolean find_changed_axes(SweepReader *reader, guint point)
{
    g_array_set_size(reader->changes, 0);
    for (guint i = 0; i < sweep_plan_count_axes(reader->plan); i++) {
        if (sweep_plan_value_index(reader->plan, point, i) ==
            sweep_plan_value_index(reader->plan, reader->point, i))
            continue;
        if (!reader->axes[i].field)
            return FALSE;
        reader->axes[i].node = sweep_plan_value_node(reader->plan, point, i);
        if (value_has_note(reader->axes[i].node, reader->axes[i].field))
            return FALSE;
        g_array_append_val(reader->changes, reader->axes[i]);
    }
    return TRUE;
}

/* Changes the values in place.  Returns FALSE if a value is wrong; the
 * configuration is then partly changed.  The configuration belongs to the
 * document, which this reader owns. */
static gboolean change_values_in_place(SweepReader *reader)
{
    for (guint i = 0; i < reader->changes->len; i++) {
        const SweepChange *change =
            &g_array_index(reader->changes, SweepChange, i);

        if (!config_node_read(change->node, change->field,
                              (gpointer)change->slot))
            return FALSE;
        g_clear_pointer(&reader->digests[change->section], g_free);
    }
    return TRUE;
}

const SystemConfig *sweep_reader_read(SweepReader *reader, guint point,
                                      GError **error)
{
    if (!reader->doc || !find_changed_axes(reader, point) ||
        !change_values_in_place(reader))
        return sweep_reader_read_point_afresh(reader, point, error);
    reader->point = point;
    reader->is_whole = FALSE;
    return &reader->config;
}

const GArray *sweep_reader_changes(const SweepReader *reader)
{
    return reader->is_whole ? NULL : reader->changes;
}

ConfigDoc *sweep_reader_document(const SweepReader *reader)
{
    return reader->doc;
}

/* ---- the id of a point --------------------------------------------------- */

char *sweep_reader_point_id(SweepReader *reader, const gboolean *wanted,
                            FoldMode fold)
{
    g_autofree char *cells = sweep_axis_cells(reader->plan, reader->point);

    g_return_val_if_fail(reader->doc, NULL);

    for (guint i = 0; system_fields[i].key; i++)
        if (!reader->digests[i])
            reader->digests[i] = sweep_section_id(&reader->config, i);
    return sweep_point_id_of_sections(cells, wanted, fold, reader->digests);
}
