// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace lapwing::wrapper {

namespace {

enum class Kind { c, header, fortran, assembly, ir, object };

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Kind kind_of_file(const std::string& name) {
  if (name == "-") return Kind::c;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || name.find('/', dot) != std::string::npos) return Kind::object;
  const std::string_view end = std::string_view(name).substr(dot + 1);
  if (is_one_of(end,
                {"c",  "i", "cc", "cp",  "cxx", "cpp", "CPP", "CXX", "c++",  "C++", "C",    "CC",   "ii", "m",
                 "mm", "M", "mi", "mii", "cu",  "cui", "cl",  "hip", "cppm", "ccm", "cxxm", "c++m", "iim"})) {
    return Kind::c;
  }
  if (is_one_of(end, {"h", "hh", "hpp", "hxx", "H", "hp", "h++", "tcc"})) return Kind::header;
  if (is_one_of(end, {"f",   "F",   "for", "FOR", "ftn", "FTN", "fpp", "FPP", "f77", "F77", "f90",
                      "F90", "f95", "F95", "f03", "F03", "f08", "F08", "f18", "F18", "fir", "mlir"})) {
    return Kind::fortran;
  }
  if (is_one_of(end, {"s", "S", "sx", "asm"})) return Kind::assembly;
  if (is_one_of(end, {"ll", "bc"})) return Kind::ir;
  return Kind::object;
}

Kind kind_of_language(const std::string& language) {
  if (language.starts_with("f95") || language.starts_with("f77")) return Kind::fortran;
  if (language.starts_with("assembler")) return Kind::assembly;
  if (language.ends_with("header")) return Kind::header;
  if (language == "ir") return Kind::ir;
  return Kind::c;
}

/// Reads the words one by one.
class Reader {
 public:
  Reader(Language language, bool assume_source) : language_(language) {
    if (assume_source) input(language == Language::fortran ? Kind::fortran : Kind::c, "");
  }

  Asked read(const Words& words) {
    if (!words.empty() && is_one_of(words[0], {"-cc1", "-cc1as", "-fc1"})) {
      asked_.bare = true;
      return asked_;
    }
    bool only_files = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto& word = words[i];
      if (only_files || word == "-" || word.empty() || word[0] != '-') {
        file(word);
      } else if (word == "--") {
        only_files = true;
      } else if (takes_value(word)) {
        if (i + 1 < words.size()) with_value(word, words[++i]);
      } else {
        option(word);
      }
    }
    return finish();
  }

 private:
  void file(const std::string& name) { input(asked_.reads_as ? reading_ : kind_of_file(name), name); }

  void input(Kind kind, const std::string& name) {
    any_ = true;
    if (kind != Kind::header) only_headers_ = false;
    if (kind == Kind::object) return;
    asked_.sources = true;
    asked_.reads_headers |= kind == Kind::c || kind == Kind::header;
    if (kind != Kind::assembly && kind != Kind::header) makes_code_ = true;
    if (kind == Kind::fortran && !name.empty() && name != "-") asked_.fortran.push_back(name);
    if (language_ == Language::fortran && kind == Kind::c && !name.empty() && name != "-")
      asked_.c_source = name;
  }

  void with_value(const std::string& word, const std::string& value) {
    if (word == "-x" || word == "--language") read_as(value);
    if (word == "-mllvm") asked_.tunes_llvm = true;
    if (word == "-l" || word == "-Xlinker") {
      any_ = true;
      only_headers_ = false;
    }
  }

  void read_as(const std::string& language) {
    asked_.reads_as = language != "none";
    reading_ = kind_of_language(language);
  }

  void optimise(const std::string& level) {
    asked_.reassociates |= level == "fast";
    asked_.optimises = level != "0";
    asked_.never_optimises = level == "0";
  }

  void option(const std::string& word) {
    if (word.starts_with("-O")) {
      optimise(word.substr(2));
    } else if (word.starts_with("--optimize")) {
      optimise(word == "--optimize" ? "" : word.substr(11));
    } else if (is_one_of(word, {"-ffast-math", "-funsafe-math-optimizations", "-fassociative-math",
                                "-ffp-model=fast", "-ffp-model=aggressive"})) {
      asked_.reassociates = true;
    } else if (word.starts_with("-x")) {
      read_as(word.substr(2));
    } else if (word.starts_with("-l") || word.starts_with("-Wl,")) {
      any_ = true;
      only_headers_ = false;
    } else if (word.starts_with("-fuse-ld=")) {
      asked_.linker = word.substr(9);
    } else if (word.starts_with("--ld-path=")) {
      asked_.linker = word.substr(10);
    } else if (word.starts_with("-flto")) {
      asked_.lto = word == "-flto=thin"                ? Lto::thin
                   : word == "-flto" || word[5] == '=' ? Lto::full
                                                       : asked_.lto;
    } else if (word == "-fno-lto") {
      asked_.lto = Lto::none;
    } else if (word == "-r") {
      asked_.relocatable = true;
    } else if (is_one_of(word, {"-static", "--static", "-static-pie"})) {
      asked_.fully_static = true;
    } else if (is_one_of(word, {"-c", "--compile", "-S", "--assemble"})) {
      stops_ = true;
    } else if (is_one_of(word, {"-E", "--preprocess", "-M", "-MM", "--dependencies", "--user-dependencies",
                                "-fsyntax-only", "--precompile", "-emit-ast", "--analyze", "-rewrite-objc",
                                "-extract-api", "-verify-pch"})) {
      stops_ = before_code_ = true;
    }
  }

  Asked finish() {
    asked_.bare = !any_;
    asked_.links = any_ && !stops_ && !only_headers_;
    asked_.compiles = makes_code_ && !before_code_;
    return asked_;
  }

  Language language_;
  Asked asked_;
  Kind reading_ = Kind::object;
  bool any_ = false;
  bool makes_code_ = false;
  bool only_headers_ = true;
  bool stops_ = false;
  bool before_code_ = false;
};

}  // namespace

bool takes_value(const std::string& word) {
  static const Words with_value = split_plain(
      "-o -x -I -D -U -L -l -T -u -z -e -J -B -F -A -G -include -imacros -isystem -iquote "
      "-idirafter -iprefix -iwithprefix -iwithprefixbefore -isysroot -imultilib -ivfsoverlay "
      "-cxx-isystem -stdlib++-isystem -include-pch -MF -MT -MQ -MJ -Xclang -Xlinker -Xassembler "
      "-Xpreprocessor -Xflang -Xanalyzer -Xopenmp-target -mllvm -mmlir -target -arch -module-dir "
      "-aux-info -dumpbase -dumpdir -dumpbase-ext --param --sysroot --output --include "
      "--include-directory --library-directory --define-macro --undefine-macro --language --config "
      "--serialize-diagnostics -serialize-diagnostics -working-directory -rpath -framework");
  return contains(with_value, word);
}

Asked read_arguments(const Words& words, Language language, bool assume_source) {
  return Reader(language, assume_source).read(words);
}

}  // namespace lapwing::wrapper
