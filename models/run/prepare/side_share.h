/*
 * side_share.h - the SMs and the HBM bandwidth that the side stream has
 *
 * A loop may run kernels on a side stream, beside those of the main stream, as
 * the optimised loop of `dlrm` does with lookups.  The NPU lends it SMs and a
 * share of the HBM bandwidth for the whole run (npu.side_sms,
 * npu.side_bandwidth).  Where they are `auto`, they are chosen for the program:
 *
 *     n = argmin over 1 <= n <= S / 2 of max over roles of
 *         max(main(S - e - n, B - b - d(n)), side(n, d(n)))
 *
 * with S SMs and B bytes/s of HBM, of which the endpoint holds e and b for
 * good, and d(n) what n SMs draw of the memory.  main() and side() are the sums
 * of the kernels' times on either stream (compute_time_ps).  Of equals the
 * smallest n is taken.  Where the SMs are given d(n) is chosen alone, and where
 * the bandwidth is given n is chosen with it.
 *
 * Units    bytes per second
 * Source   derived: nothing that is smaller lets the longer stream end earlier
 */
#ifndef MODELS_RUN_PREPARE_SIDE_SHARE_H
#define MODELS_RUN_PREPARE_SIDE_SHARE_H

#include "models/run/state_impl.h"

/* Chooses the share for the program of @system, whose kernels have been listed
 * by role.  If the side stream has no kernels, the NPU's configuration is
 * returned, with 0 for `auto`. */
SideShare side_share_choose(const System *system);

#endif
