// MPI handle -> value. Chained hashing over nodes that are never given back; equal keys keep their order of
// arrival, because MPICH hands out one handle for many completed requests. Not locked: callers hold the
// TableLock.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "libwaitprof/memory/memory.hpp"

namespace waitprof {

template <class Value>
class HandleMap {
 public:
  // nullptr: no memory, nothing was added.
  Value* add(std::uint64_t key, const Value& value) noexcept {
    Value* const place = add(key);
    if (place != nullptr) {
      *place = value;
    }
    return place;
  }
  Value* add(std::uint64_t key) noexcept {
    if (size_ >= bucket_count_ && !grow()) {
      return nullptr;
    }
    Node* node = new_node();
    if (node == nullptr) {
      return nullptr;
    }
    node->next = nullptr;
    node->key = key;
    new (&node->value) Value{};  // in place: see NewRequest
    append(bucket(key), node);
    ++size_;
    return &node->value;
  }

  // The oldest value of the key, or the oldest among its first kSearched that `prefer` wants.
  template <class Prefer>
  Value* find(std::uint64_t key, Prefer prefer) noexcept {
    if (bucket_count_ == 0) {
      return nullptr;
    }
    Value* oldest = nullptr;
    int searched = 0;
    for (Node* node = bucket(key).first; node != nullptr && searched < kSearched; node = node->next) {
      if (node->key != key) {
        continue;
      }
      if (prefer(node->value)) {
        return &node->value;
      }
      oldest = oldest != nullptr ? oldest : &node->value;
      ++searched;
    }
    return oldest;
  }
  Value* find(std::uint64_t key) noexcept {
    return find(key, [](const Value&) { return true; });
  }

  // `value` came from find(key) or add(key).
  void remove(std::uint64_t key, const Value* value) noexcept {
    Bucket& chain = bucket(key);
    Node* previous = nullptr;
    for (Node* node = chain.first; node != nullptr; previous = node, node = node->next) {
      if (&node->value != value) {
        continue;
      }
      (previous != nullptr ? previous->next : chain.first) = node->next;
      if (chain.last == node) {
        chain.last = previous;
      }
      node->next = free_;
      free_ = node;
      --size_;
      return;
    }
  }

  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr int kSearched = 64;  // bounds the search among equal handles; beyond it order decides
  static constexpr std::size_t kFirstBuckets = 256;
  static constexpr std::size_t kNodesAtOnce = 64;

  struct Node {
    Node* next;
    std::uint64_t key;
    Value value;
  };
  struct Bucket {
    Node *first, *last;
  };

  Bucket& bucket(std::uint64_t key) noexcept {
    return buckets_[(key * 0x9e3779b97f4a7c15U) >>
                    shift_];  // Fibonacci hashing: handles differ in their low bits
  }

  static void append(Bucket& chain, Node* node) noexcept {
    (chain.last != nullptr ? chain.last->next : chain.first) = node;
    chain.last = node;
  }

  Node* new_node() noexcept {
    if (free_ == nullptr) {
      Node* nodes = allocate_array_forever<Node>(kNodesAtOnce);
      if (nodes == nullptr) {
        return nullptr;
      }
      for (std::size_t i = 0; i < kNodesAtOnce; ++i) {
        nodes[i].next = free_;
        free_ = &nodes[i];
      }
    }
    Node* node = free_;
    free_ = node->next;
    return node;
  }

  // The old buckets stay allocated: doubling bounds the waste by the size of the table.
  bool grow() noexcept {
    const std::size_t old_count = bucket_count_;
    Bucket* old_buckets = buckets_;
    const std::size_t count = old_count == 0 ? kFirstBuckets : 2 * old_count;
    Bucket* buckets = allocate_array_forever<Bucket>(count);
    if (buckets == nullptr) {
      return old_count != 0;
    }
    buckets_ = buckets;
    bucket_count_ = count;
    shift_ = 64 - __builtin_ctzll(count);
    for (std::size_t i = 0; i < old_count; ++i) {
      for (Node* node = old_buckets[i].first; node != nullptr;) {
        Node* next = node->next;
        node->next = nullptr;
        append(bucket(node->key), node);
        node = next;
      }
    }
    return true;
  }

  Bucket* buckets_ = nullptr;
  std::size_t bucket_count_ = 0;
  int shift_ = 0;
  Node* free_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace waitprof
