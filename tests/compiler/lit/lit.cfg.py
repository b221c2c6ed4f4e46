# SPDX-License-Identifier: Apache-2.0
"""Tests of LapwingPass on the IR: `opt` runs the pass alone, FileCheck reads what it made."""
import os

import lit.formats

config.name = "lapwing-pass"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".f90", ".f", ".ll"]
if int(lit_config.params["llvm_major"]) < 19:   # flang 16 makes other IR, which the pass leaves alone
    config.suffixes = [".c", ".cpp", ".ll"]
config.excludes = ["inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["exec_root"]
plugin = lit_config.params["plugin"]
llvm = lit_config.params["llvm_bin"]
mpich = lit_config.params["mpich_flags"]
openmpi = lit_config.params["openmpi_flags"]
config.available_features |= {"openmpi"} if openmpi else set()
config.available_features |= {"lld"} if os.path.exists(os.path.join(llvm, "ld.lld")) else set()
config.available_features |= {"code_align"} if int(lit_config.params["llvm_major"]) >= 18 else set()
modules = lit_config.params["modules"]
headers = lit_config.params["headers"]
config.environment["PATH"] = llvm + os.pathsep + config.environment.get("PATH", "")
# Tests of where waits go are not about loops that are divided; those say interior=on.
config.environment["LAPWING_PASS"] = "interior=off"

# IR as the inliner leaves it, without what comes later.
clean = "-passes='inferattrs,function(sroa,simplifycfg,loop-simplify)'"
config.substitutions += [
    ("%ir", f"clang -O1 -g -fno-discard-value-names -Xclang -disable-llvm-passes -S -emit-llvm {mpich}"),
    ("%openmpi_ir", f"clang -O1 -g -fno-discard-value-names -Xclang -disable-llvm-passes -S -emit-llvm {openmpi}"),
    ("%cxx_ir", f"clang++ -O1 -g -fno-discard-value-names -Xclang -disable-llvm-passes -S -emit-llvm {mpich}"),
    ("%fortran_ir", f"flang-new -O2 -S -emit-llvm {mpich}"),
    ("%clean", f"opt -S {clean}"),
    ("%lapwing", f"opt -S -load-pass-plugin={plugin}"),
    ("%clang_lapwing", f"clang -O2 -fpass-plugin={plugin} {mpich}"),
    ("%sets", f"opt -S -load-pass-plugin={plugin} -passes='lapwing-sets<run>,verify' -pass-remarks=lapwing-sets "
              "-pass-remarks-analysis=lapwing-sets -pass-remarks-missed=lapwing-sets"),
    ("%declared", f"opt -S -load-pass-plugin={plugin} -passes='lapwing-declared,verify' "
                  "-pass-remarks=lapwing-declared -pass-remarks-missed=lapwing-declared"),
    ("%modules", f"-I{modules}"),
    ("%headers", f"-I{headers}"),
    ("%plugin", plugin),
    ("%include", mpich),
]
