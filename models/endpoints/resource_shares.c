/* resource_shares.c - converts shares of the NPU's resources to sizes */
#include "models/endpoints/resource_shares.h"

#define WHOLE_PPM 1000000

static uint64_t configured_share_of_resource(const ConfigVariant *endpoint,
                                             const ConfigField *field)
{
    const guint8 *base = endpoint->params;

    return field->share_offset > 0
               ? *(const uint64_t *)(gconstpointer)(base + field->share_offset)
               : 0;
}

/* Returns the size of the resource of which @field takes a share.  A key that
 * is a count means SMs, one that is a bandwidth means HBM. */
static uint64_t whole_resource_of_npu(const NpuConfig *npu,
                                      const ConfigField *field)
{
    g_assert(field->type == CONFIG_COUNT || field->type == CONFIG_BANDWIDTH);

    return field->type == CONFIG_COUNT ? npu->n_sms
                                       : npu->hbm.bandwidth_bytes_per_s;
}

static void resolve_shares_of_fields(const ConfigVariant *endpoint,
                                     const NpuConfig *npu)
{
    const ConfigField *fields = endpoint->kind->fields;
    guint8 *base = (guint8 *)endpoint->params;

    for (const ConfigField *field = fields; field && field->key; field++) {
        uint64_t share_ppm = configured_share_of_resource(endpoint, field);
        unsigned __int128 value;

        if (share_ppm == 0)
            continue;
        value = (unsigned __int128)share_ppm *
                whole_resource_of_npu(npu, field) / WHOLE_PPM;
        *(uint64_t *)(gpointer)(base + field->offset) =
            CLAMP((uint64_t)value, field->min, field->max);
    }
}

/* Calls @fn for @endpoint, and for all endpoints that it selects. */
static void visit_endpoint_and_its_members(
    const ConfigVariant *endpoint,
    void (*fn)(const ConfigVariant *endpoint, gpointer data), gpointer data)
{
    fn(endpoint, data);
    for (const ConfigField *field = endpoint->kind->fields; field && field->key;
         field++) {
        const guint8 *base = endpoint->params;

        if (field->type == CONFIG_KIND)
            visit_endpoint_and_its_members(
                (const ConfigVariant *)(gconstpointer)(base + field->offset),
                fn, data);
    }
}

static void resolve_resource_shares(const ConfigVariant *endpoint,
                                    gpointer data)
{
    resolve_shares_of_fields(endpoint, data);
}

void endpoint_resolve_shares(const ConfigVariant *endpoint,
                             const NpuConfig *npu)
{
    visit_endpoint_and_its_members(endpoint, resolve_resource_shares,
                                   (gpointer)npu);
}

static gboolean fields_have_shares(const ConfigVariant *endpoint)
{
    for (const ConfigField *field = endpoint->kind->fields; field && field->key;
         field++)
        if (configured_share_of_resource(endpoint, field) > 0)
            return TRUE;
    return FALSE;
}

static void find_resource_shares(const ConfigVariant *endpoint, gpointer data)
{
    gboolean *has_shares = data;

    *has_shares |= fields_have_shares(endpoint);
}

gboolean endpoint_has_shares(const ConfigVariant *endpoint)
{
    gboolean has_shares = FALSE;

    visit_endpoint_and_its_members(endpoint, find_resource_shares, &has_shares);
    return has_shares;
}
