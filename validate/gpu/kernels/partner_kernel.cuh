/*
 * partner_kernel.cuh - kernels or copies that run together with a compute
 * kernel, and the windows in which both are measured
 *
 * A partner runs for as long as the compute kernel, so that one window contains
 * both from its start to its end.  Resident partners (reduce, copy, idle)
 * occupy some SMs in a kernel that runs until it receives a stop word.  Engine
 * partners are chains of copies.  Order partners, which are used to compare
 * release orders, end by themselves.
 *
 * Units    microseconds, bytes per microsecond
 * Errors   Failure if the partner did not run during the whole window
 */
#ifndef VALIDATE_GPU_KERNELS_PARTNER_CUH
#define VALIDATE_GPU_KERNELS_PARTNER_CUH

#include "validate/gpu/kernels/prepared_case.cuh"

struct Window {
    double kernel_us; /* time of one launch */
    /* rate of its `bytes`, not of all its traffic */
    double partner_bytes_per_us;
};

/* The kernels of one window. */
struct WindowRequest {
    Work *work;          /* null: the partner runs alone */
    uint64_t n_launches; /* launches of the work, back to back */
    double work_us;      /* approximate time of one launch without a partner */
    bool has_partner;
};

class Partner
{
  public:
    virtual ~Partner() = default;
    /* Throws Failure if the result or the placement of the partner is wrong. */
    virtual void check() = 0;
    /* Runs one window and returns what was measured in it. */
    virtual Window watch(const WindowRequest &request) = 0;
    /* Returns the minimum length of a window. */
    virtual double window_us() const = 0;
    /* Returns the SMs on which the blocks of the partner ran in the latest
     * window with it, or an empty set if they are not known. */
    virtual SmSet sms() = 0;

    uint64_t rotated_bytes = 0;
};

/* Creates the partner.  Its buffers follow those of the work. */
std::unique_ptr<Partner> make_partner(GpuContext &gpu, const MeasureCase &c,
                                      uint64_t seed);

/* One function for each class of partners. */
std::unique_ptr<Partner>
make_resident_partner(GpuContext &gpu, const MeasureCase &c, uint64_t seed);
std::unique_ptr<Partner>
make_engine_partner(GpuContext &gpu, const MeasureCase &c, uint64_t seed);
std::unique_ptr<Partner>
make_order_partner(GpuContext &gpu, const MeasureCase &c, uint64_t seed);

#endif
