// SPDX-License-Identifier: Apache-2.0
// Read before each file of the preloaded library. libc 2.34 took libdl and libpthread into itself and gave
// their functions new versions. A reference to such a version ends every process of an older system in which
// the library is preloaded, the program's and those of shells, before main. The old versions are in every
// libc; where they are still in libdl that library is loaded too, and in processes without libpthread nothing
// calls its functions.
#pragma once

#define LAPWING_OLD(FUNCTION, VERSION) __asm__(".symver " #FUNCTION "," #FUNCTION "@" VERSION);

LAPWING_OLD(dladdr, "GLIBC_2.2.5")
LAPWING_OLD(dladdr1, "GLIBC_2.3.3")
LAPWING_OLD(dlerror, "GLIBC_2.2.5")
LAPWING_OLD(dlopen, "GLIBC_2.2.5")
LAPWING_OLD(dlvsym, "GLIBC_2.2.5")
LAPWING_OLD(pthread_attr_getstack, "GLIBC_2.2.5")
LAPWING_OLD(pthread_getattr_np, "GLIBC_2.2.5")
LAPWING_OLD(pthread_key_create, "GLIBC_2.2.5")
LAPWING_OLD(pthread_once, "GLIBC_2.2.5")
LAPWING_OLD(pthread_setspecific, "GLIBC_2.2.5")
#undef LAPWING_OLD

#pragma weak pthread_attr_getstack
#pragma weak pthread_getattr_np
#pragma weak pthread_key_create
#pragma weak pthread_once
#pragma weak pthread_setspecific
