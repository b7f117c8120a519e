/*
 * ace_divide.h - what each phase of a site has of ACE's SRAM and FSMs
 *
 * The site says which phases there are, ace_split.h by what rule they share.
 *
 * Units    bytes; ps
 * Errors   CONFIG_ERROR_CONFLICT for what is too little for the phases
 */
#ifndef MODELS_ENDPOINTS_ACE_DIVIDE_H
#define MODELS_ENDPOINTS_ACE_DIVIDE_H

#include "models/endpoints/ace_params.h"
#include "models/endpoints/ace_split.h"
#include "models/endpoints/ace_sram.h"
#include "models/endpoints/endpoint.h"

/* By phase, then the terminal partition, whose slots are 0: it has no FSM. */
typedef struct {
    uint32_t n_phases;
    uint64_t sram_bytes[ACE_MAX_PARTITIONS], n_slots[ACE_MAX_PARTITIONS];
} AceDivision;

/* Of @config's parameters, which are AceParams.  All 0 when @site has no
 * collectives. */
G_GNUC_WARN_UNUSED_RESULT
gboolean ace_divide(const ConfigVariant *config, const EndpointSite *site,
                    AceDivision *ret, GError **error);

/* What collectives at @site ask for; FALSE: there are none. */
gboolean ace_demand_at(const EndpointSite *site, const AceParams *params,
                       AceDemand *ret);

/* FALSE: @params have too little for @demand. */
gboolean ace_divide_demand(const AceParams *params, const AceDemand *demand,
                           AceDivision *ret);

/* See EndpointOps.pace; @params are AceParams. */
gboolean ace_pace(gconstpointer params, const EndpointSite *site,
                  const CollPlan *plan, uint64_t chunk_bytes, CutPace *ret);

#endif
