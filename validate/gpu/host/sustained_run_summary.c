/* sustained_run_summary.c - summarises a kernel that runs for many seconds, per
 * second */
#include "validate/gpu/host/sustained_run_summary.h"

#include "validate/gpu/host/clock_throttle_reasons.h"
#include "validate/gpu/host/repetition_statistics.h"

enum { CLOCK, POWER, TEMPERATURE };

static void add_known_sample(SustainSecond *second, int which, double value)
{
    if (value <= 0)
        return;
    second->sums[which] += value;
    second->n_samples[which]++;
}

static double mean_of_clock_samples(const SustainSecond *second, int which)
{
    size_t n = second->n_samples[which];

    return n ? second->sums[which] / (double)n : 0;
}

void sustain_add_sample(SustainSecond *second, double launch_us,
                        const SustainSample *sample)
{
    if (second->n < SUSTAIN_STEPS)
        second->us[second->n++] = launch_us;
    add_known_sample(second, CLOCK, sample->sm_mhz);
    add_known_sample(second, POWER, sample->watts);
    add_known_sample(second, TEMPERATURE, sample->celsius);
    second->throttle |= sample->throttle;
}

MeasureResult sustain_row_of_second(SustainSecond *second, uint32_t nth,
                                    uint64_t step_launches)
{
    Summary summary = summary_of_samples(second->us, second->n);

    return (MeasureResult){ .median_us = summary.median,
                            .p10_us = summary.p10,
                            .p90_us = summary.p90,
                            .repetitions = second->n,
                            .batch_launches = step_launches,
                            .sm_mhz = mean_of_clock_samples(second, CLOCK),
                            .power_w = mean_of_clock_samples(second, POWER),
                            .celsius =
                                mean_of_clock_samples(second, TEMPERATURE),
                            .throttle = second->throttle,
                            .second = nth };
}

static double larger_of_known_values(double a, double b)
{
    return a > b ? a : b;
}

void sustain_add_row(Sustained *sum, const MeasureResult *row)
{
    if (sum->seconds == 0) {
        sum->first_us = row->median_us;
        sum->first_mhz = row->sm_mhz;
    }
    sum->seconds = (uint32_t)row->second;
    sum->last_us = row->median_us;
    sum->last_mhz = row->sm_mhz;
    sum->most_w = larger_of_known_values(sum->most_w, row->power_w);
    sum->most_celsius = larger_of_known_values(sum->most_celsius, row->celsius);
    sum->throttle |= row->throttle;
}

void sustain_describe(const Sustained *sum, char *ret, size_t size)
{
    char reasons[RECORD_TEXT_SIZE];

    throttle_text(sum->throttle, reasons, sizeof reasons);
    (void)snprintf(
        ret, size,
        "%+.1f %% time after %u s, %.0f to %.0f MHz, at most %.0f "
        "of %.0f W, %.0f C, throttled by: %s",
        sum->first_us > 0 ? (sum->last_us / sum->first_us - 1) * 100 : 0.0,
        sum->seconds, sum->first_mhz, sum->last_mhz, sum->most_w, sum->limit_w,
        sum->most_celsius, reasons[0] ? reasons : "nothing");
}
