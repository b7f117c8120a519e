/*
 * partner.cuh - what runs beside a compute kernel, and the windows in which
 * both are watched
 *
 * A partner goes on for as long as the compute kernel takes, so that one
 * window sees the two together from its first to its last moment.  Resident
 * partners (reduce, copy, idle) hold some SMs in a kernel that ends when it
 * is told to; engine partners are chains of copies.  Where it matters who
 * comes first, a partner has an end of its own.
 *
 * Units    microseconds, bytes per microsecond
 * Errors   Failure: the partner was not there all the time
 */
#ifndef VALIDATE_GPU_KERNELS_PARTNER_CUH
#define VALIDATE_GPU_KERNELS_PARTNER_CUH

#include "validate/gpu/kernels/work.cuh"

struct Window {
    double kernel_us;            /* of one launch */
    double partner_bytes_per_us; /* of its `bytes`, not of all it moves */
};

/* What a window watches. */
struct WindowRequest {
    Work *work;          /* null: the partner alone */
    uint64_t n_launches; /* of the work, back to back */
    double work_us;      /* that one of them takes alone, about */
    bool has_partner;
};

class Partner
{
  public:
    virtual ~Partner() = default;
    virtual void check() = 0;
    virtual Window watch(const WindowRequest &request) = 0;
    /* How long a window lasts at least. */
    virtual double window_us() const = 0;

    uint64_t rotated_bytes = 0;
};

/* Lays its buffers out behind those of the work. */
std::unique_ptr<Partner> make_partner(Lab &lab, const MeasureCase &c,
                                      uint64_t seed);

std::unique_ptr<Partner> make_resident_partner(Lab &lab, const MeasureCase &c,
                                               uint64_t seed);
std::unique_ptr<Partner> make_engine_partner(Lab &lab, const MeasureCase &c,
                                             uint64_t seed);
std::unique_ptr<Partner> make_order_partner(Lab &lab, const MeasureCase &c,
                                            uint64_t seed);

#endif
