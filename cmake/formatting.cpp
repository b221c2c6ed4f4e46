// SPDX-License-Identifier: Apache-2.0
// fmt's functions, compiled once and linked into everything of ours. As headers
// only, every file that formats a word would compile all of them again, five
// seconds each; as the system's shared library, the preload would bring a
// dependency into other people's processes.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
// What the headers only declare.
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
