/* soak_improvements.c - improvements that should not make a system slower */
#include "tests/soak/soak_improvements.h"

static gboolean to_ideal(SoakCase *c)
{
    c->endpoint = SOAK_IDEAL;
    c->message_cycles = 0;
    return TRUE;
}

static gboolean ace_to_ideal(SoakCase *c)
{
    return c->endpoint == SOAK_ACE && to_ideal(c);
}

static gboolean baseline_to_ideal(SoakCase *c)
{
    return c->endpoint == SOAK_BASELINE && to_ideal(c);
}

static gboolean faster_links(SoakCase *c)
{
    for (uint64_t d = 0; d < c->n_dims; d++)
        c->dims[d].mb_per_s *= 2;
    return c->defaults || !soak_case_is_split_by_rates(c);
}

static gboolean shorter_links(SoakCase *c)
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
static gboolean faster_hbm(SoakCase *c)
{
    c->hbm_mb_per_s *= 2;
    return c->work != SOAK_MEASURED;
}

/* Doubles the bandwidth of the endpoint without reducing that of
 * computation. */
static gboolean larger_share(SoakCase *c)
{
    if (c->endpoint == SOAK_IDEAL || c->shared || c->work == SOAK_MEASURED ||
        (!c->defaults && soak_case_is_split_by_rates(c)))
        return FALSE;
    c->hbm_mb_per_s += c->share_mb_per_s;
    c->share_mb_per_s *= 2;
    return TRUE;
}

static gboolean faster_sms(SoakCase *c)
{
    c->gflops *= 2;
    return c->work == SOAK_LINEAR || c->work == SOAK_DLRM;
}

/* Applied only if no collective is urgent: urgent messages cannot overtake the
 * additional chunks in flight. */
static gboolean more_sram(SoakCase *c)
{
    c->sram_bytes *= 2;
    return c->endpoint == SOAK_ACE &&
           (c->defaults || c->work == SOAK_COLLECTIVE);
}

static gboolean more_chunks_of_fsms(SoakCase *c)
{
    c->chunks_per_fsm *= 2;
    return c->endpoint == SOAK_ACE &&
           (c->defaults || c->work == SOAK_COLLECTIVE);
}

static gboolean more_fsms(SoakCase *c)
{
    c->n_fsms *= 2;
    return c->endpoint == SOAK_ACE && c->defaults;
}

static gboolean larger_window(SoakCase *c)
{
    c->window = 4 * c->chosen_window;
    return c->defaults;
}

static gboolean nothing_slow(SoakCase *c)
{
    gboolean applies = c->perturbed && soak_case_only_slows(c);

    c->perturbed = FALSE;
    return applies;
}

const SoakImprovement soak_improvements[SOAK_N_IMPROVEMENTS] = {
    { "ideal instead of ace", ace_to_ideal },
    { "ideal instead of a baseline", baseline_to_ideal },
    { "links twice as fast", faster_links },
    { "links half as long", shorter_links },
    { "HBM twice as fast", faster_hbm },
    { "twice the endpoint's share", larger_share },
    { "twice the FLOPS", faster_sms },
    { "twice the SRAM", more_sram },
    { "twice the chunks of an FSM", more_chunks_of_fsms },
    { "twice the FSMs", more_fsms },
    { "four times the window", larger_window },
    { "no slow NPU, no slow link", nothing_slow },
};
