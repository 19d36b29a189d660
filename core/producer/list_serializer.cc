#include "core/producer/list_serializer.h"

#include "core/wire/big_endian.h"

namespace ktrial {
namespace {

void Add(std::string& bytes, std::size_t number) {
  const std::size_t end = bytes.size();
  bytes.resize(end + sizeof(std::int32_t));
  wire::StoreBigEndian(bytes.data() + end, static_cast<std::int32_t>(number));
}

}  // namespace

std::string ListBytes(ListForm form, std::span<const SerializedBytes> elements) {
  std::string bytes(1, static_cast<char>(form));
  if (form == ListForm::kConstantSize) {
    std::vector<std::size_t> nulls;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (!elements[i]) nulls.push_back(i);
    }
    Add(bytes, nulls.size());
    for (const std::size_t index : nulls) Add(bytes, index);
  }
  Add(bytes, elements.size());
  for (const SerializedBytes& element : elements) {
    // No length, -1, is that of a null.
    if (form == ListForm::kVariableSize) Add(bytes, element ? element->size() : static_cast<std::size_t>(-1));
    if (element) bytes += *element;
  }
  return bytes;
}

}  // namespace ktrial
