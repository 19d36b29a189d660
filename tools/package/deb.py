"""The Debian packages: ktrial, libktrial0, libktrial-testing0 and libktrial-dev, by the tools of dpkg-dev."""

import gzip
import hashlib
import os
import re
import shutil
from email.utils import formatdate

HERE = os.path.dirname(os.path.abspath(__file__))
# There is no address to write to; the domain is one that never exists (RFC 2606).
MAINTAINER = "The authors of ktrial <maintainers@ktrial.invalid>"
SHARED = {"libktrial0": "libktrial", "libktrial-testing0": "libktrial-testing"}


def owners(flags, multiarch, run):
    """The development packages that the libraries of these flags come from, sorted."""
    files = [f"/usr/lib/{multiarch}/lib{flag.removeprefix('-l')}.so" for flag in flags if flag not in ("-lpthread",)]
    return sorted({line.split(":")[0] for line in run(["dpkg-query", "-S", *files]).splitlines()}) if files else []


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def fill_control(contents, multiarch, run):
    needed = owners(contents.producer_flags, multiarch, run)
    # An abseil of another release is another ABI.
    abseil = f"libabsl-dev (>= {contents.abseil}), libabsl-dev (<< {int(contents.abseil) + 1})"
    values = {
        "MAINTAINER": MAINTAINER,
        "DEV_DEPENDS": ", ".join([abseil] + [package for package in needed if package != "libabsl-dev"]),
        "DEV_RECOMMENDS": ", ".join(owners(contents.testing_flags, multiarch, run)),
    }
    with open(os.path.join(HERE, "debian", "control.in"), encoding="utf-8") as file:
        return re.sub(r"@(\w+)@", lambda match: values[match.group(1)], file.read())


def finish(package, folder, changelog, seconds):
    """What every package has besides its files."""
    documents = os.path.join(folder, "usr/share/doc", package)
    os.makedirs(documents, exist_ok=True)
    shutil.copy(os.path.join(HERE, "debian", "copyright"), documents)
    with open(os.path.join(documents, "changelog.gz"), "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(changelog.encode())
    sums = []
    for where, folders, names in os.walk(folder):
        os.chmod(where, 0o755)
        folders.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            if not os.path.islink(path) and "/DEBIAN" not in where:
                os.chmod(path, 0o755 if os.path.basename(where) == "bin" else 0o644)
                with open(path, "rb") as file:
                    sums.append(f"{hashlib.md5(file.read()).hexdigest()}  {os.path.relpath(path, folder)}\n")
            os.utime(path, (seconds, seconds), follow_symlinks=False)
    write(os.path.join(folder, "DEBIAN", "md5sums"), "".join(sorted(sums, key=lambda line: line.split("  ")[1])))


def make_packages(contents, program, built, work, output, commit, seconds, run):
    multiarch = run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"]).strip()
    changelog = (f"ktrial ({contents.version}) stable; urgency=medium\n\n  * Commit {commit}.\n\n"
                 f" -- {MAINTAINER}  {formatdate(seconds)}\n")
    write(os.path.join(work, "debian", "control"), fill_control(contents, multiarch, run))
    write(os.path.join(work, "debian", "changelog"), changelog)
    folders = {package: os.path.join(work, "debian", package) for package in (*SHARED, "libktrial-dev", "ktrial")}
    program.install(os.path.join(folders["ktrial"], "usr"))
    contents.install(os.path.join(folders["libktrial-dev"], "usr"), f"lib/{multiarch}", "/usr")
    for name in sorted(os.listdir(built)):
        shared = re.match(r"(lib[\w-]+)\.so\.", name)
        package = next(package for package, library in SHARED.items() if library == shared.group(1)) if shared else "libktrial-dev"
        target = os.path.join(folders[package], "usr/lib", multiarch)
        os.makedirs(target, exist_ok=True)
        shutil.copy(os.path.join(built, name), target, follow_symlinks=False)
    major, minor = contents.version.split(".")[:2]
    for package, library in SHARED.items():
        # Until 1.0 the ABI holds within one 0.N only.
        write(os.path.join(folders[package], "DEBIAN", "shlibs"),
              f"{library} 0 {package} (>= {major}.{minor}), {package} (<< {major}.{int(minor) + 1}~)\n")
        write(os.path.join(folders[package], "DEBIAN", "triggers"), "activate-noawait ldconfig\n")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(seconds)}
    for package, folder in folders.items():
        finish(package, folder, changelog, seconds)
        substitutions = os.path.join(work, package + ".substvars")
        write(substitutions, "")
        binary = (f"usr/lib/{multiarch}/{SHARED[package]}.so.{contents.version}" if package in SHARED else
                  "usr/bin/ktrial" if package == "ktrial" else None)
        if binary:
            run(["dpkg-shlibdeps", f"-T{substitutions}", f"-l{folders['libktrial0']}/usr/lib/{multiarch}", os.path.join(folder, binary)],
                cwd=work)
        run(["dpkg-gencontrol", f"-p{package}", f"-P{folder}", f"-T{substitutions}", f"-f{work}/files"], cwd=work)
        run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, output], env=environment)
