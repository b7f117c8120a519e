/*
 * known_ways.h - a table of links that were looked up before
 *
 * On some kinds of topology the next link of a way takes hundreds of
 * instructions to find.  A network asks for the same few ways again and again,
 * so it keeps the answers: each has one place in the table, which the answer to
 * another question may take.  Links of a way never change, so a kept answer is
 * always right.
 *
 * Owner    the caller owns the KnownWays
 * Threads  one network's, so one thread's
 * Cost     16 bytes for each place
 */
#ifndef NETWORK_TRANSPORT_KNOWN_WAYS_H
#define NETWORK_TRANSPORT_KNOWN_WAYS_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t key; /* 0: nothing is kept here */
    uint32_t a, b;
} KnownWay;

typedef struct {
    guint shift; /* of a 64-bit product, to a place */
    KnownWay places[];
} KnownWays;

/* Nodes have numbers below this; else no table may be used. */
#define KNOWN_WAYS_MAX_NODES (1U << 27)

/* At least @n places. */
static inline KnownWays *known_ways_new(uint64_t n)
{
    guint bits = g_bit_storage((gulong)MAX(n, 2) - 1);
    KnownWays *ways =
        g_malloc0(sizeof *ways + ((gsize)1 << bits) * sizeof(KnownWay));

    ways->shift = 64 - bits;
    return ways;
}

/* The place of the way from node @at to NPU @dst by @way, which is less than
 * 256; @topic, 0 or 1, tells two kinds of questions apart.  The answer is there
 * where .key is *@ret_key; otherwise the caller writes both. */
static inline KnownWay *known_ways_at(KnownWays *ways, guint topic, uint32_t at,
                                      uint32_t dst, uint32_t way,
                                      uint64_t *ret_key)
{
    uint64_t key =
        (uint64_t)at << 37 | (uint64_t)dst << 10 | way << 2 | topic << 1 | 1;

    *ret_key = key;
    /* The golden ratio of 2^64: Fibonacci hashing. */
    return &ways->places[key * UINT64_C(0x9E3779B97F4A7C15) >> ways->shift];
}

#endif
