/* ace_resources.c - the resources of ACE that chunks and messages wait for */
#include "models/endpoints/ace_resources.h"

const ResourceKind ace_resources[ACE_N_RESOURCES + 1] = {
    [ACE_ALUS] = { .name = "alus",
                   .what = "the endpoint's ALUs",
                   .title = "ALUs",
                   .doubles = "endpoint.alus",
                   .column = "alu_busy_us",
                   .help = "messages that are added to what is there" },
    [ACE_SRAM] = { .name = "sram",
                   .what = "the endpoint's SRAM",
                   .title = "SRAM",
                   .form = RESOURCE_ROOM,
                   .unit = CONFIG_BYTES,
                   .doubles = "endpoint.sram",
                   .with = "endpoint.fsms",
                   .column = "sram_peak_bytes",
                   .help = "chunks before they come in, and between phases" },
    [ACE_FSMS] = { .name = "fsms",
                   .what = "the endpoint's FSMs",
                   .title = "FSM slots",
                   .form = RESOURCE_ROOM,
                   .doubles = "endpoint.fsms",
                   .column = "fsm_busy_us",
                   .help = "chunks between phases" },
};
