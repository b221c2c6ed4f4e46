// SPDX-License-Identifier: Apache-2.0
#include "response.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "say.hpp"

namespace lapwing::wrapper {

namespace {

constexpr int deepest = 100;
// The kernel's limit is a quarter of the stack's, 2 MiB at the usual 8 MiB,
// which the environment shares; one word may have 128 KiB.
constexpr std::size_t longest = 256U << 10U;

std::optional<std::string> read_file(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  if (S_ISDIR(info.st_mode)) throw Failure("the response file " + path + " is a directory.");
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void expand(const Words& words, int depth, Words& out) {
  for (const auto& word : words) {
    if (word.size() < 2 || word[0] != '@') {
      out.push_back(word);
      continue;
    }
    const auto text = read_file(word.substr(1));
    if (!text) {
      out.push_back(word);
      continue;
    }
    if (depth == deepest) {
      throw Failure("the response file " + word.substr(1) + " is nested too deeply; does it name itself?");
    }
    expand(split_quoted(*text), depth + 1, out);
  }
}

}  // namespace

Words expand_responses(const Words& words) {
  Words out;
  expand(words, 0, out);
  return out;
}

Words shorten(const Words& words) {
  std::size_t length = 0;
  for (const auto& word : words) length += word.size() + 1 + sizeof(char*);
  if (length < longest) return words;
  const int file = memfd_create("arguments", 0);
  if (file < 0) return words;
  const std::string text = as_response(words);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote <= 0) {
      close(file);
      return words;
    }
    done += static_cast<std::size_t>(wrote);
  }
  return {"@/proc/self/fd/" + std::to_string(file)};
}

}  // namespace lapwing::wrapper
