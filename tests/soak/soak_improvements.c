/* soak_improvements.c - improvements that should not make a system slower */
#include "tests/soak/soak_improvements.h"

static gboolean replace_endpoint_by_ideal(SoakCase *c)
{
    c->endpoint = SOAK_IDEAL;
    c->message_cycles = 0;
    return TRUE;
}

static gboolean replace_ace_by_ideal(SoakCase *c)
{
    return c->endpoint == SOAK_ACE && replace_endpoint_by_ideal(c);
}

static gboolean replace_baseline_by_ideal(SoakCase *c)
{
    return c->endpoint == SOAK_BASELINE && replace_endpoint_by_ideal(c);
}

static gboolean make_links_faster(SoakCase *c)
{
    for (uint64_t d = 0; d < c->n_dims; d++)
        c->dims[d].mb_per_s *= 2;
    return c->defaults || !soak_case_is_split_by_rates(c);
}

static gboolean make_links_shorter(SoakCase *c)
{
    gboolean any = FALSE;

    for (uint64_t d = 0; d < c->n_dims; d++) {
        any |= c->dims[d].latency_ns > 0;
        c->dims[d].latency_ns /= 2;
    }
    return any && (c->defaults || !soak_case_is_split_by_rates(c));
}

/* The change does not apply to measured times, which do not depend on the
 * HBM. */
static gboolean make_hbm_faster(SoakCase *c)
{
    c->hbm_mb_per_s *= 2;
    return c->work != SOAK_MEASURED;
}

/* Doubles the bandwidth of the endpoint without reducing that of
 * computation. */
static gboolean enlarge_memory_share(SoakCase *c)
{
    if (c->endpoint == SOAK_IDEAL || c->shared || c->work == SOAK_MEASURED ||
        (!c->defaults && soak_case_is_split_by_rates(c)))
        return FALSE;
    c->hbm_mb_per_s += c->share_mb_per_s;
    c->share_mb_per_s *= 2;
    return TRUE;
}

static gboolean make_sms_faster(SoakCase *c)
{
    c->gflops *= 2;
    return c->work == SOAK_LINEAR || c->work == SOAK_DLRM;
}

/* Applied only if no collective is urgent: urgent messages cannot overtake the
 * additional chunks in flight. */
static gboolean enlarge_sram(SoakCase *c)
{
    c->sram_bytes *= 2;
    return c->endpoint == SOAK_ACE &&
           (c->defaults || c->work == SOAK_COLLECTIVE);
}

static gboolean add_chunks_per_fsm(SoakCase *c)
{
    c->chunks_per_fsm *= 2;
    return c->endpoint == SOAK_ACE &&
           (c->defaults || c->work == SOAK_COLLECTIVE);
}

static gboolean add_fsms(SoakCase *c)
{
    c->n_fsms *= 2;
    return c->endpoint == SOAK_ACE && c->defaults;
}

static gboolean enlarge_window(SoakCase *c)
{
    c->window = 4 * c->chosen_window;
    return c->defaults;
}

static gboolean remove_slow_parts(SoakCase *c)
{
    gboolean applies = c->perturbed && soak_case_only_slows(c);

    c->perturbed = FALSE;
    return applies;
}

const SoakImprovement soak_improvements[SOAK_N_IMPROVEMENTS] = {
    { "ideal instead of ace", replace_ace_by_ideal },
    { "ideal instead of a baseline", replace_baseline_by_ideal },
    { "links twice as fast", make_links_faster },
    { "links half as long", make_links_shorter },
    { "HBM twice as fast", make_hbm_faster },
    { "twice the endpoint's share", enlarge_memory_share },
    { "twice the FLOPS", make_sms_faster },
    { "twice the SRAM", enlarge_sram },
    { "twice the chunks of an FSM", add_chunks_per_fsm },
    { "twice the FSMs", add_fsms },
    { "four times the window", enlarge_window },
    { "no slow NPU, no slow link", remove_slow_parts },
};
