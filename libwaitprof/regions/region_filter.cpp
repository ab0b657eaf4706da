// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/regions/region_filter.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>

#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/regions/regions.hpp"

namespace waitprof {
namespace {

// Decisions about named regions, by id.
enum class Decision : std::uint8_t { Open, Record, LeaveOut };
constinit std::array<std::atomic<Decision>, kMostUserRegions> decisions{};

// Open addressing; the number of places is a power of two, at most half of them are taken; 0: free.
struct AddressSet {
  std::uintptr_t* places = nullptr;
  std::size_t mask = 0;

  std::size_t first_place(std::uintptr_t address) const noexcept {
    return static_cast<std::size_t>((address * 0x9e3779b97f4a7c15U) >> 32) & mask;
  }
  std::size_t place_of(std::uintptr_t address) const noexcept {
    std::size_t place = first_place(address);
    while (places[place] != 0 && places[place] != address) {
      place = (place + 1) & mask;
    }
    return place;
  }
};
constinit AddressSet addresses_left_out;
constinit std::atomic<const AddressSet*> functions_left_out{nullptr};

bool is_named_region_filtered(std::uint32_t id) noexcept {
  if (id < kFirstUserRegion) {
    return false;
  }
  std::atomic<Decision>& decision = decisions[id - kFirstUserRegion];
  Decision known = decision.load(std::memory_order_relaxed);
  if (known == Decision::Open) {
    known = is_filtered_name(user_region(id).name) ? Decision::LeaveOut : Decision::Record;
    decision.store(known, std::memory_order_relaxed);
  }
  return known == Decision::LeaveOut;
}

}  // namespace

bool filter_functions(std::span<const std::uintptr_t> addresses) noexcept {
  const std::size_t places = std::bit_ceil(2 * addresses.size() + 1);
  auto* const memory = allocate_array_forever<std::uintptr_t>(places);
  if (memory == nullptr) {
    return false;
  }
  for (std::uint32_t i = 0; i < user_region_count(); ++i) decisions[i] = Decision::Open;
  addresses_left_out = {memory, places - 1};
  for (const std::uintptr_t address : addresses) {
    memory[addresses_left_out.place_of(address)] = address;
  }
  functions_left_out.store(&addresses_left_out, std::memory_order_release);
  return true;
}

bool is_filtered_region_or_function(std::uintptr_t key, bool is_function) noexcept {
  if (!is_function) {
    return is_named_region_filtered(static_cast<std::uint32_t>(key));
  }
  const AddressSet* const set = functions_left_out.load(std::memory_order_acquire);
  return set != nullptr && set->places[set->place_of(key)] == key;
}

}  // namespace waitprof
