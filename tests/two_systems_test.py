# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Object files that were compiled for different systems share no function of hindsight's that does different things.

two_systems_test.py OBJDUMP OBJECT...  of one source, compiled without optimisation. A linker keeps one function of each
name, and all objects run it. So functions of one name must call the same functions. A process keeps one static object of
each name, also of libraries that were compiled with other versions: so their names must have the versions.
"""
import re
import subprocess
import sys


def functions(objdump, path):
    """What each function that a linker would merge refers to; nothing at all, maybe."""
    listing = subprocess.run([objdump, "--syms", "--reloc", path], check=True, text=True, stdout=subprocess.PIPE).stdout
    called = {name: [] for name in re.findall(r"^[0-9a-f]+ +w +F \.text\.(_Z\S*)", listing, re.M)}
    name = None
    for line in listing.splitlines():
        if line.startswith("RELOCATION"):
            section = re.match(r"RELOCATION RECORDS FOR \[\.text\.(_Z\S*)\]", line)
            name = section and section[1]
        elif (target := re.search(r"\sR_\w+\s+([A-Za-z_]\w*)", line)) and name in called:  # also those of C: omp_in_parallel
            called[name].append(target[1])
    return {name: targets for name, targets in called.items() if "9hindsight" in name}


def static_objects_without_version(objdump, path):
    """Of those that all libraries of a process share."""
    table = subprocess.run([objdump, "--syms", path], check=True, text=True, stdout=subprocess.PIPE).stdout
    names = re.findall(r"^[0-9a-f]+ u.* (_Z\w*9hindsight\w*)$", table, re.M)
    return [name for name in names if not re.search(r"v\d+_thrust_\d+", name)]


def main(objdump, *paths):
    objects = [functions(objdump, path) for path in paths]
    names = set().union(*objects)
    shared = [name for name in names if sum(name in of for of in objects) > 1]
    differing = [name for name in shared if len({tuple(of[name]) for of in objects if name in of}) > 1]
    print(f"{len(names)} functions of hindsight's, {len(shared)} in more than one object")
    for name in sorted(differing):
        print("FAIL: functions that differ under one name:", name)
    unversioned = sorted({name for path in paths for name in static_objects_without_version(objdump, path)})
    for name in unversioned:
        print("FAIL: static object that other versions would share:", name)
    if not names:
        print("FAIL: no function found")
    return 1 if differing or unversioned or not names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
