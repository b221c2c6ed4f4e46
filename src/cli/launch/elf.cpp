// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>

namespace lapwing::cli {

namespace {

/// A file mapped for reading; every access is checked against its size.
class Image {
 public:
  explicit Image(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      void* mapped =
          ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (mapped != MAP_FAILED) {
        data_ = static_cast<const char*>(mapped);
        size_ = static_cast<std::size_t>(status.st_size);
      }
    }
    ::close(file);
  }
  ~Image() {
    if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  template <typename T>
  bool read(std::uint64_t offset, T& out) const {
    if (offset > size_ || size_ - offset < sizeof(T)) return false;
    std::memcpy(&out, data_ + offset, sizeof(T));
    return true;
  }
  std::string text(std::uint64_t offset) const {
    if (offset >= size_) return {};
    return std::string(data_ + offset, ::strnlen(data_ + offset, size_ - offset));
  }
  bool is(std::uint64_t offset, const char* word) const {
    const std::size_t length = std::strlen(word) + 1;
    return offset <= size_ && size_ - offset >= length && std::memcmp(data_ + offset, word, length) == 0;
  }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

void read_dynamic(const Image& image, const Elf64_Ehdr& header, const Elf64_Phdr& dynamic, Elf& elf) {
  const auto to_offset = [&](std::uint64_t address) -> std::uint64_t {
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      if (!image.read(header.e_phoff + i * sizeof(segment), segment)) break;
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address - segment.p_vaddr < segment.p_filesz) {
        return segment.p_offset + (address - segment.p_vaddr);
      }
    }
    return ~std::uint64_t{0};
  };
  std::vector<std::uint64_t> needed;
  std::uint64_t strings = ~std::uint64_t{0}, rpath = 0, runpath = 0, soname = 0;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    if (!image.read(dynamic.p_offset + at, entry) || entry.d_tag == DT_NULL) break;
    switch (entry.d_tag) {
      case DT_NEEDED:
        needed.push_back(entry.d_un.d_val);
        break;
      case DT_STRTAB:
        strings = to_offset(entry.d_un.d_ptr);
        break;
      case DT_SONAME:
        soname = entry.d_un.d_val;
        break;
      case DT_RPATH:
        rpath = entry.d_un.d_val;
        break;
      case DT_RUNPATH:
        runpath = entry.d_un.d_val;
        break;
      default:
        break;
    }
  }
  if (strings == ~std::uint64_t{0}) return;
  for (const auto name : needed) elf.needed.push_back(image.text(strings + name));
  if (soname != 0) elf.soname = image.text(strings + soname);
  if (rpath != 0) elf.rpath = image.text(strings + rpath);
  if (runpath != 0) elf.runpath = image.text(strings + runpath);
}

bool finds_mpi_symbol(const Image& image, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section, strings;
    if (!image.read(header.e_shoff + i * sizeof(section), section)) return false;
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    if (!image.read(header.e_shoff + section.sh_link * sizeof(strings), strings)) return false;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!image.read(section.sh_offset + at, symbol)) break;
      if (symbol.st_shndx == SHN_UNDEF) continue;
      const std::uint64_t name = strings.sh_offset + symbol.st_name;
      if (image.is(name, "MPI_Init") || image.is(name, "PMPI_Init")) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Elf> read_elf(const std::filesystem::path& path) {
  const Image image(path);
  Elf64_Ehdr header;
  unsigned char magic[EI_NIDENT];
  if (!image.read(0, magic) || std::memcmp(magic, ELFMAG, SELFMAG) != 0) return std::nullopt;
  Elf elf;
  static_assert(std::endian::native == std::endian::little, "only little-endian machines are supported");
  if (magic[EI_CLASS] != ELFCLASS64 || magic[EI_DATA] != ELFDATA2LSB || !image.read(0, header)) {
    elf.foreign = true;
    return elf;
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!image.read(header.e_phoff + i * sizeof(segment), segment)) break;
    if (segment.p_type == PT_INTERP) elf.interpreted = true;
    if (segment.p_type == PT_DYNAMIC) read_dynamic(image, header, segment, elf);
  }
  elf.defines_mpi = finds_mpi_symbol(image, header);
  return elf;
}

}  // namespace lapwing::cli
