/* Regions of your program in the recording, by name and exact to the nanosecond.
 *
 *   #include <waitprof.h>
 *
 *   waitprof_region_begin("assemble");
 *   ...
 *   waitprof_region_end("assemble");
 *
 *   void solve(void) {
 *     WAITPROF_FUNCTION();                // this function, until it returns
 *     ...
 *   }
 *
 *   waitprof::Region region("assemble");  // C++: until the end of the block
 *
 *   for (...) {
 *     waitprof_step();                    // a time step begins; on all ranks, at the same place
 *     ...
 *   }
 *
 * Nothing to link: without libwaitprof.so in the process every call is one test of a pointer. Regions may
 * nest, and begin and end anywhere. They are recorded from MPI_Init on, in threads that call MPI from the
 * thread's first such call on: what is open then counts from there, what has ended by then is only counted
 * (the report's data quality). A region left without its end is closed with the region around it.
 * -DWAITPROF_DISABLE removes them at compile time. For GCC and Clang.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef WAITPROF_H
#define WAITPROF_H

#define WAITPROF_INLINE static inline __attribute__((unused, no_instrument_function))

#ifdef __cplusplus
extern "C" {
#endif

/* What libwaitprof.so exports; other languages may call them directly once they know that it is loaded. */
void waitprof_enter_region(const char* name) __attribute__((weak));
void waitprof_leave_region(const char* name) __attribute__((weak));
void waitprof_begin_step(const char* name) __attribute__((weak)); /* any name */

/* The address of an exported function, or 0 without the library. Weak symbols do that, except on x86-64 in
 * programs that are not position-independent: there the linker would fix the address to 0 at build time,
 * unless it is read from the global offset table. */
typedef void (*waitprof_function)(const char* name); /* NOLINT(modernize-use-using): C */
#if defined(WAITPROF_DISABLE)
#define WAITPROF_FIND(function) 0
#elif defined(__x86_64__) && !defined(__ILP32__)
#define WAITPROF_FIND(function)                                                             \
  __extension__({                                                                           \
    waitprof_function found;                                                                \
    __asm__(".weak " #function "\n\tmovq " #function "@GOTPCREL(%%rip), %0" : "=r"(found)); \
    found;                                                                                  \
  })
#else
#define WAITPROF_FIND(function) (function)
#endif

WAITPROF_INLINE void waitprof_region_begin(const char* name) {
  const waitprof_function enter_region = WAITPROF_FIND(waitprof_enter_region);
  if (enter_region) enter_region(name);
}

/* `name` as given to waitprof_region_begin(). */
WAITPROF_INLINE void waitprof_region_end(const char* name) {
  const waitprof_function leave_region = WAITPROF_FIND(waitprof_leave_region);
  if (leave_region) leave_region(name);
}

/* The next time step of the program begins, the first one is number 0: at the top of the time loop, on the
 * thread that initialised MPI. Reports follow causes over the steps; WAITPROF_STEPS=10..20 records only
 * some. */
WAITPROF_INLINE void waitprof_step(void) {
  const waitprof_function begin_step = WAITPROF_FIND(waitprof_begin_step);
  if (begin_step) begin_step("step");
}

WAITPROF_INLINE const char* waitprof_begin_function(const char* name) {
  waitprof_region_begin(name);
  return name;
}
WAITPROF_INLINE void waitprof_end_function(const char* const* name) {
  waitprof_region_end(*name);
}

/* One per function or block. */
#define WAITPROF_FUNCTION()                                                                          \
  const char* const waitprof_this_function __attribute__((unused, cleanup(waitprof_end_function))) = \
      waitprof_begin_function(__func__)

#ifdef __cplusplus
} /* extern "C" */

namespace waitprof {

/* `name` must live as long as the region: a literal, usually. */
class Region {
 public:
  explicit Region(const char* name) noexcept : name_(name) { waitprof_region_begin(name_); }
  ~Region() { waitprof_region_end(name_); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  const char* name_;
};

}  // namespace waitprof
#endif /* __cplusplus */

#endif /* WAITPROF_H */
