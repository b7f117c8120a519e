/*
 * resource_division.h - SRAM and FSM slots of each phase for the collectives of
 * a site
 *
 * The site says which phases there are; sram_split_rules.h has the rules of
 * division.
 *
 * Units    bytes; ps
 * Errors   CONFIG_ERROR_CONFLICT if there is too little for the phases
 */
#ifndef MODELS_ENDPOINTS_ACE_RESOURCE_DIVISION_H
#define MODELS_ENDPOINTS_ACE_RESOURCE_DIVISION_H

#include "models/endpoints/ace/ace_params.h"
#include "models/endpoints/ace/sram_occupancy.h"
#include "models/endpoints/ace/sram_split_rules.h"
#include "models/endpoints/endpoint.h"

/* The bytes and FSM slots of each phase, and of the terminal partition, which
 * has no FSM and thus 0 slots. */
typedef struct {
    uint32_t n_phases;
    uint64_t sram_bytes[ACE_MAX_PARTITIONS], n_slots[ACE_MAX_PARTITIONS];
} AceDivision;

/* Divides the resources in @config, whose parameters are AceParams.  All
 * results are 0 if @site has no collectives. */
G_GNUC_WARN_UNUSED_RESULT
gboolean ace_divide_resources(const ConfigVariant *config,
                              const EndpointSite *site, AceDivision *ret,
                              GError **error);

/* Sets *@ret to the demand of the collectives at @site; returns FALSE if there
 * are none. */
gboolean ace_demand_of_site(const EndpointSite *site, const AceParams *params,
                            AceDemand *ret);

/* Returns FALSE if the resources in @params are too small for @demand. */
gboolean ace_divide_resources_for_demand(const AceParams *params,
                                         const AceDemand *demand,
                                         AceDivision *ret);

/* Implements EndpointOps.pace; @params are AceParams. */
gboolean ace_estimate_chunk_costs(gconstpointer params,
                                  const EndpointSite *site,
                                  const CollPlan *plan, uint64_t chunk_bytes,
                                  CutPace *ret);

#endif
