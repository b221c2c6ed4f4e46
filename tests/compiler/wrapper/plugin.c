/* SPDX-License-Identifier: Apache-2.0
 *
 * A pass plugin without a pass, and without LLVM: it writes into the file
 * WRAPPER_LOG which program loaded it with which options. The structure is the
 * one that LLVM's plugins give (PassPlugin.h, version 1).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void registered(void* builder) {
  const char* log = getenv("WRAPPER_LOG");
  const char* options = getenv("LAPWING_PASS");
  FILE* file = log ? fopen(log, "a") : NULL;
  if (!file) return;
  fprintf(file, "%s %s\n", program_invocation_short_name, options ? options : "(unset)");
  fclose(file);
}

struct plugin {
  uint32_t api;
  const char* name;
  const char* version;
  void (*registered)(void* builder);
};

struct plugin llvmGetPassPluginInfo(void) {
  struct plugin info = {1, "LapwingPass", "test", registered};
  return info;
}
