/*
 * side_stream_share.h - the SMs and the HBM bandwidth of the side stream
 *
 * A program may run kernels on a side stream in parallel with those of the main
 * stream, such as the lookups of the optimised loop of `dlrm`.  The NPU
 * reserves SMs and a share of the HBM bandwidth for it during the whole run
 * (npu.side_sms, npu.side_bandwidth).  If these are `auto`, they are chosen for
 * the program:
 *
 *     n = argmin over 1 <= n <= S / 2 of max over roles of
 *         max(main(S - e - n, B - b - d(n)), side(n, d(n)))
 *
 * S and B are the SMs and the bytes/s of HBM, of which the endpoint holds e and
 * b during the whole run; d(n) is what n SMs request of the memory.  main() and
 * side() are the sums of the kernel times on either stream (kernel_time_ps).
 * Of several minima the smallest n is taken.  If the user gives the SMs, only
 * d(n) is chosen; if the user gives the bandwidth, it replaces d(n).
 *
 * Units    bytes per second
 * Source   derived: no smaller share lets the longer stream end earlier
 */
#ifndef MODELS_RUN_PREPARE_SIDE_STREAM_SHARE_H
#define MODELS_RUN_PREPARE_SIDE_STREAM_SHARE_H

#include "models/run/run_state_impl.h"

/* Chooses the share for the program of @system, whose kernels must have been
 * listed by role.  Returns the NPU's configuration, with 0 for `auto`, if both
 * values are given or the side stream has no kernels. */
SideShare side_share_choose(const System *system);

#endif
