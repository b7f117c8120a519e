/* period_guess.c - guesses a period from the times at which chunks end */
#include "models/run/steady/period_guess.h"

#define N_KEPT       (4 * PERIOD_GUESS_MOST)
#define SEARCH_EVERY 4 /* chunks */
#define LEAST_ALIKE  8 /* with ACE, seven of eight chunks take 512.0 ns each */

static SimTime interval_between_ends_ps(const PeriodGuess *guess, uint64_t i)
{
    return guess->took_ps[i % N_KEPT];
}

/* Returns whether each of the last @n intervals equals the one @period chunks
 * before. */
static gboolean intervals_repeat_with_period(const PeriodGuess *guess,
                                             uint32_t period, uint32_t n)
{
    if (guess->n < (uint64_t)period + n + 1) /* the first interval follows no
                                              * chunk */
        return FALSE;
    for (uint64_t i = guess->n - n; i < guess->n; i++)
        if (interval_between_ends_ps(guess, i) !=
            interval_between_ends_ps(guess, i - period))
            return FALSE;
    return TRUE;
}

/* Returns the shortest period that the last intervals fit, or 0. */
static uint32_t find_shortest_period(const PeriodGuess *guess)
{
    for (uint32_t period = 1; period <= PERIOD_GUESS_MOST; period++)
        if (intervals_repeat_with_period(guess, period,
                                         MAX(period, LEAST_ALIKE)))
            return period;
    return 0;
}

uint32_t period_guess_add_chunk_end(PeriodGuess *guess, SimTime now_ps)
{
    uint64_t i = guess->n++;

    guess->took_ps[i % N_KEPT] = now_ps - guess->last_ps;
    guess->last_ps = now_ps;
    if (guess->period > 0 &&
        interval_between_ends_ps(guess, i) !=
            interval_between_ends_ps(guess, i - guess->period))
        guess->period = 0;
    if (guess->period == 0 && i >= guess->next_search) {
        guess->period = find_shortest_period(guess);
        guess->next_search = i + SEARCH_EVERY;
    }
    return guess->period;
}

void period_guess_pause(PeriodGuess *guess, uint64_t n_chunks)
{
    guess->period = 0;
    guess->next_search = guess->n + n_chunks;
}
