#include "core/wire/gather_bytes.h"

#include <utility>

namespace ktrial::wire {

// A short string lives inside its object, so a moved message must look its pieces up again.
GatherBytes::GatherBytes(GatherBytes&& other) noexcept { *this = std::move(other); }

GatherBytes& GatherBytes::operator=(GatherBytes&& other) noexcept {
  if (this == &other) return *this;
  const bool sealed = !other.pieces_.empty();
  owned_ = std::move(other.owned_);
  splices_ = std::move(other.splices_);
  referred_bytes_ = other.referred_bytes_;
  pieces_ = std::move(other.pieces_);  // keeps the capacity, so that Seal does not allocate
  other.Clear();
  if (sealed) Seal();
  return *this;
}

void GatherBytes::Refer(std::string_view bytes) {
  if (bytes.empty()) return;
  splices_.push_back({owned_.size(), bytes});
  referred_bytes_ += bytes.size();
}

void GatherBytes::Seal() {
  pieces_.clear();
  const std::string_view owned = owned_;
  std::size_t taken = 0;
  for (const Splice& splice : splices_) {
    if (splice.owned_offset > taken) pieces_.push_back(owned.substr(taken, splice.owned_offset - taken));
    taken = splice.owned_offset;
    pieces_.push_back(splice.bytes);
  }
  if (owned.size() > taken) pieces_.push_back(owned.substr(taken));
}

std::string GatherBytes::Flatten() const {
  std::string all;
  all.reserve(size());
  std::size_t taken = 0;
  for (const Splice& splice : splices_) {
    all.append(owned_, taken, splice.owned_offset - taken);
    taken = splice.owned_offset;
    all.append(splice.bytes);
  }
  all.append(owned_, taken);
  return all;
}

void GatherBytes::Clear() {
  owned_.clear();
  splices_.clear();
  referred_bytes_ = 0;
  pieces_.clear();
}

}  // namespace ktrial::wire
