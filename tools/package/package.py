#!/usr/bin/env python3
"""Makes what is installed: the program with its scenarios, and what programs outside of this tree build against: libraries, headers,
CMake and pkg-config files.

    package.py PRODUCER.json TESTING.json PROGRAM EXECUTION_ROOT OUTPUT [COMMIT [SECONDS]]

The JSON files are those of tools/package/BUILD.bazel; `tools/dev package` builds them and calls this. OUTPUT is emptied, then has:
    ktrial_*.deb  libktrial0_*.deb  libktrial-testing0_*.deb  libktrial-dev_*.deb      for Debian
    ktrial-VERSION-SYSTEM-ARCHITECTURE.tar.gz                                          the same for any prefix
COMMIT and SECONDS (its time since 1970) go into the changelog and stamp all files: the same commit gives the same packages.
"""

import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time

import deb
import exports
import headers

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SO_VERSION = "0"


class PackageError(Exception):
    """What is there does not make a package."""


def run(arguments, **kwargs):
    result = subprocess.run(arguments, capture_output=True, text=True, check=False, **kwargs)
    if result.returncode != 0:
        raise PackageError(f"{' '.join(arguments)[:300]}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def first_match(pattern, path):
    with open(path, encoding="utf-8") as file:
        match = re.search(pattern, file.read())
    if match is None:
        raise PackageError(f"{path} does not say {pattern}")
    return match.group(1)


class Library:
    """The objects and the flags of one library. Objects are named after their sources: core/wire/status.cc is core.wire.status.o."""

    def __init__(self, name, inputs, root, folder):
        self.name, self.folder, self.flags, self.objects = name, folder, inputs["flags"], {}
        os.makedirs(folder)
        for path in inputs["objects"]:
            source = re.sub(r"_objs/[^/]+/", "", re.sub(r"^.*?/bin/", "", path)).removesuffix(".o")
            link = os.path.join(folder, source.replace("/", ".") + ".o")
            os.symlink(os.path.join(root, path), link)
            self.objects[source] = link

    def symbols(self, *options):
        return set(run(["nm", "--format=just-symbols", *options, *self.objects.values()]).split()) - {
            f"{path}:" for path in self.objects.values()}

    def defined(self):
        return self.symbols("--defined-only", "--extern-only")

    def undefined(self):
        return self.symbols("--undefined-only")

    def archive(self, path):
        run(["ar", "qcDS", path, *sorted(self.objects.values())])
        run(["strip", "--strip-debug", "--enable-deterministic-archives", path])
        run(["ranlib", "-D", path])

    def share(self, folder, version, script, against=()):
        """LIB.so.VERSION, with the names that the loader and the linker look for."""
        real = f"lib{self.name}.so.{version}"
        path, script_path = os.path.join(folder, real), self.folder + ".map"
        with open(script_path, "w", encoding="utf-8") as file:
            file.write(script)
        # Calls within the library are bound when it is linked: no program can put its own function in their place.
        run(["g++", "-shared", "-o", path, *sorted(self.objects.values()), f"-Wl,-soname,lib{self.name}.so.{SO_VERSION}",
             f"-Wl,--version-script={script_path}", "-Wl,-Bsymbolic-functions", "-Wl,--gc-sections", "-Wl,-z,defs", "-Wl,-z,relro",
             "-Wl,-z,now", "-Wl,-O1", "-Wl,--as-needed", *against, *self.flags])
        run(["strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", path])
        os.chmod(path, 0o644)
        for link in (f"lib{self.name}.so.{SO_VERSION}", f"lib{self.name}.so"):
            if link != real:
                os.symlink(real, os.path.join(folder, link))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def libraries(producer_json, testing_json, root, work):
    producer, testing = load(producer_json), load(testing_json)
    known = set(producer["objects"])
    # What only the simulator needs of core/ belongs to the library of the simulator.
    own = {"objects": [path for path in testing["objects"] if path not in known], "flags": testing["flags"]}
    return Library("ktrial", producer, root, os.path.join(work, "ktrial")), Library("ktrial-testing", own, root,
                                                                                   os.path.join(work, "ktrial-testing"))


def check_sources(tree, public, objects):
    """A header whose source is in no library would link for nobody."""
    for path in public:
        source = path.removesuffix(".h")
        if os.path.exists(os.path.join(tree, source + ".cc")) and source not in objects:
            raise PackageError(f"{path} is installed, but {source}.cc is in no library: name its target in tools/package/BUILD.bazel")


class Contents:
    """All that is installed but the binaries: text by path below the prefix."""

    def __init__(self, version, abseil, producer, testing):
        self.version, self.abseil = version, abseil
        self.producer_flags = producer.flags
        self.testing_flags = [flag for flag in testing.flags if flag not in producer.flags]
        files = headers.read_headers(ROOT)
        self.public = headers.closure(files, headers.faces(files))
        self.headers = headers.package_headers(files)
        self.headers["ktrial/requirements.h"] = headers.requirements(version, abseil)

    def fill(self, name, folder, prefix, library_folder):
        """A template of this folder. `prefix`: as the file itself can name it."""
        with open(os.path.join(HERE, folder, name + ".in"), encoding="utf-8") as file:
            text = file.read()
        values = {
            "VERSION": self.version, "SO_VERSION": SO_VERSION, "ABSEIL": self.abseil, "PREFIX": prefix, "LIB": library_folder,
            "PRODUCER_LIBRARIES": " ".join(flag.removeprefix("-l") for flag in self.producer_flags),
            "TESTING_LIBRARIES": " ".join(flag.removeprefix("-l") for flag in self.testing_flags),
            "PRODUCER_FLAGS": " ".join(self.producer_flags), "TESTING_FLAGS": " ".join(self.testing_flags),
        }
        return re.sub(r"@(\w+)@", lambda match: values[match.group(1)], text)

    def install(self, prefix, library_folder, final_prefix=None):
        """Writes the texts below `prefix`; library_folder is relative to it. final_prefix: where all will be; None: anywhere."""
        up = "/".join([".."] * len(library_folder.split("/")))
        files = {f"include/{path}": text for path, text in self.headers.items()}
        for name in ("ktrialConfig.cmake", "ktrialConfigVersion.cmake"):
            files[f"{library_folder}/cmake/ktrial/{name}"] = self.fill(
                name, "cmake", "${_ktrial_here}/../../" + up, library_folder)
        for name in ("ktrial.pc", "ktrial-testing.pc"):
            files[f"{library_folder}/pkgconfig/{name}"] = self.fill(
                name, "pkgconfig", final_prefix or "${pcfiledir}/../" + up, library_folder)
        for path, text in files.items():
            path = os.path.join(prefix, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


class Program:
    """What its users install: the program, its manual page, its scenarios and their language."""

    def __init__(self, path, version, work):
        self.version, self.path = version, os.path.join(work, "ktrial")
        shutil.copy(path, self.path)
        os.chmod(self.path, 0o755)
        run(["strip", "--remove-section=.comment", "--remove-section=.note", self.path])

    def install(self, prefix):
        for folder in ("bin", "share/man/man1", "share/doc/ktrial"):
            os.makedirs(os.path.join(prefix, folder))
        shutil.copy(self.path, os.path.join(prefix, "bin"))
        for name in ("SCENARIOS.md", "PROFILES.md"):
            shutil.copy(os.path.join(ROOT, "docs", name), os.path.join(prefix, "share/doc/ktrial"))
        with open(os.path.join(ROOT, "docs/ktrial.1"), encoding="utf-8") as file:
            manual = file.read().replace("@VERSION@", self.version)
        with open(os.path.join(prefix, "share/man/man1/ktrial.1.gz"), "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(manual.encode())
        # `ktrial list` looks there, from where the program is.
        for source in sorted(glob.glob(os.path.join(ROOT, "scenarios/*/*.toml"))):
            target = os.path.join(prefix, "share/ktrial", os.path.relpath(source, ROOT))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)


def link(contents, producer, testing, folder):
    os.makedirs(folder)
    spaces = exports.namespaces(contents.headers.values())
    known = exports.words(text for path, text in contents.headers.items() if "/sim/" not in path)
    defined = producer.defined()
    api = {symbol for symbol in defined if exports.is_api(symbol, known, spaces)}
    private = (testing.undefined() & defined) - api
    producer.share(folder, contents.version, exports.version_script(api, private))
    known_testing = exports.words(contents.headers.values())
    testing.share(folder, contents.version, exports.version_script(
        {symbol for symbol in testing.defined() - defined if exports.is_api(symbol, known_testing, spaces)}, ()),
        ["-L" + folder, "-lktrial"])
    producer.archive(os.path.join(folder, "libktrial.a"))
    testing.archive(os.path.join(folder, "libktrial-testing.a"))
    print(f"libktrial.so.{SO_VERSION}: {len(api)} symbols of the API and {len(private)} for libktrial-testing, of {len(defined)}",
          file=sys.stderr)


def make_tarball(contents, program, built, work, output, seconds):
    uname = os.uname()
    name = f"ktrial-{contents.version}-{uname.sysname.lower()}-{uname.machine}"
    prefix = os.path.join(work, name)
    contents.install(prefix, "lib")
    program.install(prefix)
    shutil.copytree(built, os.path.join(prefix, "lib"), symlinks=True, dirs_exist_ok=True)
    shutil.copy(os.path.join(ROOT, "LICENSE"), prefix)
    run(["tar", "-C", work, "--sort=name", f"--mtime=@{seconds}", "--owner=0", "--group=0", "--numeric-owner", "--use-compress-program=gzip -n",
         "-cf", os.path.join(output, name + ".tar.gz"), name])


def main(arguments):
    producer_json, testing_json, program_path, root, output = (os.path.abspath(path) for path in arguments[:5])
    commit = arguments[5] if len(arguments) > 5 else "unknown"
    seconds = int(arguments[6]) if len(arguments) > 6 else int(time.time())
    shutil.rmtree(output, ignore_errors=True)
    work = os.path.join(output, "work")
    os.makedirs(work)
    producer, testing = libraries(producer_json, testing_json, root, os.path.join(work, "objects"))
    contents = Contents(first_match(r'kSoftwareVersion\[\] = "([\d.]+)"', os.path.join(ROOT, "core/version.h")),
                        first_match(r"#define ABSL_LTS_RELEASE_VERSION (\d+)", "/usr/include/absl/base/config.h"), producer, testing)
    check_sources(ROOT, contents.public, producer.objects.keys() | testing.objects.keys())
    built = os.path.join(work, "lib")
    link(contents, producer, testing, built)
    program = Program(program_path, contents.version, work)
    make_tarball(contents, program, built, work, output, seconds)
    deb.make_packages(contents, program, built, os.path.join(work, "deb"), output, commit, seconds, run)
    shutil.rmtree(work)
    for name in sorted(os.listdir(output)):
        print(os.path.join(output, name))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (PackageError, headers.HeaderError) as error:
        sys.exit(f"package: {error}")
