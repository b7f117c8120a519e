/*
 * hbm_bandwidth.h - divides the HBM bandwidth of one NPU among its streams
 *
 * These streams use HBM at the same time: the kernel of the main stream, the
 * kernel of the side stream, and the reads and the writes of each endpoint.
 *
 *   partitioned  The side stream and the endpoint's reads have fixed shares,
 *                used or not; the main stream gets the remainder.  The
 *                endpoint's writes have an additional share, which is taken
 *                from the main stream only with `charge_writes`.  If side
 *                stream, reads and writes exceed the bandwidth, the side stream
 *                comes first, and reads and writes are reduced in proportion,
 *                those of all endpoints together.
 *   shared       Weighted max-min fairness: active streams divide the bandwidth
 *                by weight, none gets more than it can use, and the others
 *                divide the unused part.  Rates are rounded down to 1 byte/s.
 *                By default the weight is a constant.  With `share_by: sms` it
 *                is multiplied by the bandwidth that the SMs of the stream
 *                could request from an idle memory, because a full memory
 *                serves requests as they come, from whichever SM; and streams
 *                of engines, which have no SMs, are served first.  The streams
 *                of SMs then divide both(remainder, sum of these bandwidths,
 *                queueing), see sm_bandwidth.h, as a kernel alone draws it.
 *                Requests of kernels come at any time, so that those of an
 *                endpoint on SMs wait behind them: its turns grow with
 *                1 / (1 - load), where the load is what kernels use of the
 *                memory.  So it gets demand x (1 - load), or its part by
 *                weights if that is more.  Kernels have other work to do while
 *                they wait, and do not slow down for this reason.
 *
 * The bandwidth depends on the mix, since the bus of the memory must turn
 * around between reads and writes.  Let r be the fraction of bytes that are
 * read:
 *
 *     usable(r) = bandwidth x efficiency x (1 - write loss x (1 - r))
 *                 x (1 - turnaround x 4 r (1 - r))
 *
 * Under `partitioned`, shares are fixed, and the mix matters only for a kernel
 * that alone would exceed usable(r) (kernel_time.h).
 *
 * Units    bytes per second
 * Sources  1 / (1 - load): the waiting time of M/M/1, and in networks of queues
 *          what open arrivals leave to a closed class [MIXEDQUEUES]
 * Owner    the caller owns the Hbm, which borrows @config and @self
 */
#ifndef MODELS_NPU_HBM_BANDWIDTH_H
#define MODELS_NPU_HBM_BANDWIDTH_H

#include "sim/config/config.h"
#include "sim/core/job_server.h"

/* The streams of an NPU with one endpoint.  Further endpoints follow, two
 * streams each: see hbm_comm_stream(). */
typedef enum {
    HBM_MAIN,
    HBM_SIDE,
    HBM_COMM_READ,
    HBM_COMM_WRITE,
    HBM_N_STREAMS,
} HbmStream;

#define HBM_MAX_ENDPOINTS 8
#define HBM_MAX_STREAMS   (HBM_COMM_READ + 2 * HBM_MAX_ENDPOINTS)

/* Returns the stream @stream, HBM_COMM_READ or HBM_COMM_WRITE, of endpoint
 * number @endpoint of the NPU. */
static inline HbmStream hbm_comm_stream(HbmStream stream, uint32_t endpoint)
{
    return (HbmStream)(stream + 2 * endpoint);
}

/* Returns the number of the endpoint to which @stream belongs, and sets *@ret
 * to HBM_COMM_READ or HBM_COMM_WRITE. */
static inline uint32_t hbm_endpoint_of_stream(HbmStream stream, HbmStream *ret)
{
    g_assert(stream >= HBM_COMM_READ);

    *ret = (HbmStream)(HBM_COMM_READ + (stream - HBM_COMM_READ) % 2);
    return (uint32_t)(stream - HBM_COMM_READ) / 2;
}

typedef enum {
    HBM_PARTITIONED,
    HBM_SHARED,
} HbmPolicy;

typedef enum {
    HBM_BY_STREAMS,
    HBM_BY_SMS,
} HbmShareBy;

typedef struct {
    uint64_t bandwidth_bytes_per_s;
    uint64_t capacity_bytes; /* 0: not known */
    uint64_t efficiency_ppm; /* share of the bandwidth that streams can use */
    uint64_t write_loss_ppm; /* share that is lost if all bytes are written */
    /* Additional share that is lost if half of the bytes are written. */
    uint64_t turnaround_ppm;
    int policy;   /* HbmPolicy */
    int share_by; /* HbmShareBy, for the policy `shared` */
    /* Under `partitioned`, the main stream is charged for writes. */
    gboolean charge_writes;
    uint64_t compute_weight, comm_weight;
} HbmConfig;

extern const ConfigField hbm_fields[];

/* Reports that the rate of @stream is now @bytes_per_s. */
typedef void (*HbmRateFn)(gpointer self, HbmStream stream,
                          uint64_t bytes_per_s);

typedef struct Hbm Hbm;

/* Creates the HBM of an NPU with one endpoint. */
Hbm *hbm_new(const HbmConfig *config, HbmRateFn rate, gpointer self);
/* Creates the HBM of an NPU with @n_endpoints, from 1 to HBM_MAX_ENDPOINTS. */
Hbm *hbm_new_for_endpoints(const HbmConfig *config, uint32_t n_endpoints,
                           HbmRateFn rate, gpointer self);
void hbm_free(Hbm *hbm);

/* The next two functions return the usable bandwidth: the first for reads
 * alone, the second if @read_ppm of the bytes are read. */
uint64_t hbm_usable_bytes_per_s(const HbmConfig *config);
uint64_t hbm_bytes_per_s_at_read_fraction(const HbmConfig *config,
                                          uint64_t read_ppm);
/* Returns whether the usable bandwidth depends on the mix of reads and
 * writes. */
gboolean hbm_bandwidth_depends_on_read_fraction(const HbmConfig *config);

/* Sets the fixed share of a stream other than the main one. */
void hbm_set_share(Hbm *hbm, HbmStream stream, uint64_t bytes_per_s);

/* Sets the fraction of bytes that the kernel of @stream reads.  The default is
 * two operands read per result. */
void hbm_set_read_fraction(Hbm *hbm, HbmStream stream, uint64_t read_ppm);

/* Sets the queueing factor of sm_bandwidth.h, for HBM_BY_SMS; initially 0. */
void hbm_set_queueing_factor(Hbm *hbm, uint64_t queueing_ppm);

/* Sets the bandwidth that the SMs of @stream could request from an idle memory,
 * for HBM_BY_SMS.  0, the initial value, means that the stream belongs to an
 * engine.  Calls the callback as hbm_set_demand() does. */
void hbm_set_supply(Hbm *hbm, HbmStream stream, uint64_t bytes_per_s);

/* Sets the bandwidth that @stream can use now, 0 if it is idle.  Calls the
 * callback for every stream whose rate changes. */
void hbm_set_demand(Hbm *hbm, HbmStream stream, uint64_t bytes_per_s);

/* Returns the present rate of @stream. */
uint64_t hbm_rate_of_stream(const Hbm *hbm, HbmStream stream);

/* Returns the bandwidth that the streams @stream (HBM_COMM_READ or
 * HBM_COMM_WRITE) of all endpoints use now, if they use all that they get. */
uint64_t hbm_bytes_per_s_used_by_endpoints(const Hbm *hbm, HbmStream stream);
/* Returns whether some stream of an endpoint demands bandwidth. */
gboolean hbm_has_endpoint_demand(const Hbm *hbm);

/* Returns the largest sum of all fixed shares so far, under `partitioned`. */
uint64_t hbm_max_sum_of_shares(const Hbm *hbm);

/* Sets @moves as the listener of the bandwidth that a stream of the endpoint
 * uses.  It is called each time the bandwidth may have changed. */
void hbm_set_listener(Hbm *hbm, HbmRateFn moves, gpointer self);

/*
 * A mover carries out the transfers of an endpoint at the rate of its stream.
 * It models a DMA engine, or the reads of a kernel.  @cap_bytes_per_s is its
 * own maximum rate.
 */
typedef struct HbmMover HbmMover;

HbmMover *hbm_mover_new(Hbm *hbm, SimEngine *engine, HbmStream stream,
                        uint64_t cap_bytes_per_s, SimEventFn done,
                        gpointer self);
void hbm_mover_free(HbmMover *mover);
void hbm_mover_submit_transfer(HbmMover *mover, uint64_t order, uint64_t bytes,
                               uint32_t arg);
/* Sets the maximum rate of the mover itself. */
void hbm_mover_set_cap(HbmMover *mover, uint64_t cap_bytes_per_s);
void hbm_mover_set_rate(HbmMover *mover, uint64_t bytes_per_s);
/* Returns the time until which other transfers, earlier or waiting, used the
 * mover.  Must be called when a transfer is reported as done. */
SimTime hbm_mover_next_free_time_ps(const HbmMover *mover);
/* Returns whether the HBM, and not the mover's own maximum rate, limits the
 * mover. */
gboolean hbm_mover_is_hbm_bound(const HbmMover *mover);
const SimServer *hbm_mover_server(const HbmMover *mover);

/* The next two functions copy the state of the HBM and restore it, for a
 * speculative simulation in which no rate changes.  The caller frees the
 * copy. */
gpointer hbm_copy_state(const Hbm *hbm);
void hbm_restore_state(Hbm *hbm, gconstpointer copy);

/* ---- visits of the state, see sim/core/state_walk.h ---------------------- */

/* Visits the state of communication streams; under `shared`, of all streams. */
void hbm_visit_state(Hbm *hbm, SteadyWalk *walk);
/* Visits the state of @mover.  @arg visits the transfers. */
void hbm_mover_visit_state(HbmMover *mover, SteadyWalk *walk, SteadyArgFn arg,
                           gpointer self);

#endif
