/*
 * hbm.h - who gets how much of the HBM bandwidth of one NPU
 *
 * Four streams at most use it at once: the kernel of the main stream, the
 * kernel of the side stream, and an endpoint's reads and writes.
 *
 *   partitioned  every stream has a fixed share, used or not, of all there is
 *                at most; what is left by the side stream and an endpoint's
 *                reads belongs to the main stream.  An endpoint's writes have
 *                a share beside the others, which is taken from the main
 *                stream with `charge_writes` only.  Side stream, reads and
 *                writes never have more than there is: the side stream goes
 *                first, and the other two give way in proportion
 *   shared       weighted max-min fair: active streams share what there is by
 *                weight, none gets more than it can use, and what it leaves
 *                is shared by the others.  Shares are floored to 1 byte/s.
 *
 * What there is depends on the mix, since the memory's bus turns round between
 * reads and writes; with r the part of the bytes that is read
 *
 *     usable(r) = bandwidth x efficiency x (1 - write loss x (1 - r))
 *                 x (1 - turnaround x 4 r (1 - r))
 *
 * Under `partitioned` shares are given, and the mix matters only to a kernel
 * that would go beyond it by itself (compute.h).
 *
 * Units    bytes per second
 * Owner    the caller owns the Hbm; it borrows @self
 */
#ifndef MODELS_NPU_HBM_H
#define MODELS_NPU_HBM_H

#include "sim/config/config.h"
#include "sim/core/server.h"

typedef enum {
    HBM_MAIN,
    HBM_SIDE,
    HBM_COMM_READ,
    HBM_COMM_WRITE,
    HBM_N_STREAMS,
} HbmStream;

typedef enum {
    HBM_PARTITIONED,
    HBM_SHARED,
} HbmPolicy;

typedef struct {
    uint64_t bandwidth_bytes_per_s;
    uint64_t efficiency_ppm; /* of the bandwidth that streams can have */
    uint64_t write_loss_ppm; /* lost when all bytes are written */
    uint64_t turnaround_ppm; /* lost, besides, when half of them are */
    int policy;              /* HbmPolicy */
    gboolean charge_writes;  /* to the main stream, under `partitioned` */
    uint64_t compute_weight, comm_weight;
} HbmConfig;

extern const ConfigField hbm_fields[];

/* The rate of @stream is now @bytes_per_s. */
typedef void (*HbmRateFn)(gpointer self, HbmStream stream,
                          uint64_t bytes_per_s);

typedef struct Hbm Hbm;

Hbm *hbm_new(const HbmConfig *config, HbmRateFn rate, gpointer self);
void hbm_free(Hbm *hbm);

/* With reads alone; and with @read_ppm of the bytes read. */
uint64_t hbm_usable_bytes_per_s(const HbmConfig *config);
uint64_t hbm_mixed_bytes_per_s(const HbmConfig *config, uint64_t read_ppm);
/* FALSE: the two are the same for every mix. */
gboolean hbm_depends_on_mix(const HbmConfig *config);

/* The fixed share of a stream other than the main one. */
void hbm_set_share(Hbm *hbm, HbmStream stream, uint64_t bytes_per_s);

/* Of what a kernel's stream moves from now on @read_ppm is read; until then a
 * kernel reads two operands for each result. */
void hbm_set_mix(Hbm *hbm, HbmStream stream, uint64_t read_ppm);

/* What @stream could use now, 0 when it is idle.  Tells every stream whose
 * rate changes. */
void hbm_set_demand(Hbm *hbm, HbmStream stream, uint64_t bytes_per_s);

uint64_t hbm_rate(const Hbm *hbm, HbmStream stream);

/* Under `partitioned`: what all fixed shares came to at once, at most. */
uint64_t hbm_needed_bytes_per_s(const Hbm *hbm);

/* @moves is told what an endpoint's stream draws whenever that may have
 * changed. */
void hbm_listen(Hbm *hbm, HbmRateFn moves, gpointer self);

/*
 * A mover works off an endpoint's transfers at the rate of its stream: a
 * kernel's reads, a DMA engine.  @cap is what it can do by itself.
 */
typedef struct HbmMover HbmMover;

HbmMover *hbm_mover_new(Hbm *hbm, SimEngine *engine, HbmStream stream,
                        uint64_t cap_bytes_per_s, SimEventFn done,
                        gpointer self);
void hbm_mover_free(HbmMover *mover);
void hbm_mover_submit(HbmMover *mover, uint64_t order, uint64_t bytes,
                      uint32_t arg);
/* What it can do by itself from now on. */
void hbm_mover_set_cap(HbmMover *mover, uint64_t cap_bytes_per_s);
void hbm_mover_set_rate(HbmMover *mover, uint64_t bytes_per_s);
/* For done(): until when others wanted it, too, which came before or wait. */
SimTime hbm_mover_free_ps(const HbmMover *mover);
/* It has less of the HBM than its cap. */
gboolean hbm_mover_is_held_back(const HbmMover *mover);
const SimServer *hbm_mover_server(const HbmMover *mover);

/* As it is now, to go back to: for a look ahead in which no rate changes.  The
 * caller frees the copy. */
gpointer hbm_copy(const Hbm *hbm);
void hbm_go_back(Hbm *hbm, gconstpointer copy);

/* ---- see sim/core/steady.h --------------------------------------------- */

/* What streams of communication have, and under `shared` all. */
void hbm_steady(Hbm *hbm, SteadyWalk *walk);
/* Transfers are visited by @arg. */
void hbm_mover_steady(HbmMover *mover, SteadyWalk *walk, SteadyArgFn arg,
                      gpointer self);

#endif
