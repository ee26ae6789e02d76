"""Checks the files of the packages that can't be built here: each is valid, and
says what the header says.

Usage: check.py ROOT
"""

import importlib.util
import json
import os
import pathlib
import re
import sys
import tempfile

import kconfiglib
import yaml

ROOT = pathlib.Path(sys.argv[1])
FFI = ROOT / "ffi-c"
HEADER = (ROOT / "include" / "agentmote.h").read_text()
VERSION = re.search(r'#define AGENTMOTE_VERSION "(.*)"', HEADER)[1]
FEATURES = ["http", "resources", "prompts", "input", "sessions", "subscriptions", "logging", "scopes"]
FEATURES += ["credentials"]
made = 0


def same(found, wanted, what):
    global made
    made += 1
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, not {wanted!r}")


def platformio():
    about = json.loads((FFI / "library.json").read_text())
    same(about["name"], "agentmote", "library.json: name")
    same(about["version"], VERSION, "library.json: version")
    include = FFI / about["build"]["includeDir"]
    same((include / about["headers"]).is_file(), True, "library.json: the header is there")
    script = FFI / about["build"]["extraScript"]
    spec = importlib.util.spec_from_file_location("build", script)
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    for flags, target in [
        (["-mcpu=cortex-m0plus", "-mthumb"], "thumbv6m-none-eabi"),
        (["-mcpu=cortex-m3"], "thumbv7m-none-eabi"),
        (["-mcpu=cortex-m4", "-mfloat-abi=hard"], "thumbv7em-none-eabihf"),
        (["-mcpu=cortex-m7"], "thumbv7em-none-eabi"),
        (["-mcpu=cortex-m23"], "thumbv8m.base-none-eabi"),
        (["-mcpu=cortex-m33+nodsp"], "thumbv8m.main-none-eabi"),
    ]:
        same(build.target_for(flags), target, f"build.py: {flags}")
    try:
        build.target_for(["-Os"])
    except SystemExit as stop:
        same("custom_agentmote_target" in str(stop), True, "build.py: says what to set")
    else:
        raise SystemExit("build.py guesses a target of nothing")

    ran = []
    build.subprocess.run = lambda words, check: ran.append((words, check))

    class Env(dict):
        added = {}

        def GetProjectOption(self, name, default):
            return default

        def subst(self, text):
            return text.replace("$BUILD_DIR", "/build")

        def Append(self, **words):
            self.added.update(words)

    env = Env(CCFLAGS=["-mcpu=cortex-m3"])
    build.main(env, str(ROOT))
    (words, check), = ran
    same(check, True, "build.py: a failure is one")
    manifest = words[words.index("--manifest-path") + 1]
    same(os.path.isfile(manifest), True, "build.py: the manifest is there")
    same(words[words.index("--features") + 1], ",".join(FEATURES), "build.py: features")
    same(env.added["LIBPATH"], ["/build/agentmote/thumbv7m-none-eabi/release"], "build.py")
    same(env.added["LIBS"], ["agentmote"], "build.py")


def arduino():
    lines = (FFI / "arduino" / "library.properties").read_text().splitlines()
    about = dict(line.split("=", 1) for line in lines)
    same(about["version"], VERSION, "library.properties: version")
    wanted = "name version author maintainer sentence paragraph category url architectures"
    same([key for key in wanted.split() if not about.get(key)], [], "library.properties: missing")
    same(about["precompiled"], "full", "library.properties: precompiled")
    same(about["ldflags"], "-lagentmote", "library.properties: ldflags")
    same(about["includes"], "agentmote.h", "library.properties: includes")


def esp_idf():
    about = yaml.safe_load((FFI / "idf_component.yml").read_text())
    same(about["version"], VERSION, "idf_component.yml: version")
    options = kconfiglib.Kconfig(str(FFI / "Kconfig"), warn_to_stderr=False)
    same(options.warnings, [], "Kconfig: warnings")
    for feature in FEATURES:
        same(options.syms[f"AGENTMOTE_{feature.upper()}"].str_value, "y", feature)


def zephyr():
    about = yaml.safe_load((FFI / "zephyr" / "module.yml").read_text())
    same(about["name"], "agentmote", "module.yml: name")
    same((FFI / about["build"]["cmake"] / "CMakeLists.txt").is_file(), True, "module.yml: cmake")
    kconfig = FFI / about["build"]["kconfig"]
    for symbols, target in [
        (["CPU_CORTEX_M0PLUS"], "thumbv6m-none-eabi"),
        (["CPU_CORTEX_M3"], "thumbv7m-none-eabi"),
        (["CPU_CORTEX_M4"], "thumbv7em-none-eabi"),
        (["CPU_CORTEX_M4", "FP_HARDABI"], "thumbv7em-none-eabihf"),
        (["CPU_CORTEX_M33"], "thumbv8m.main-none-eabi"),
        (["RISCV"], "riscv32imac-unknown-none-elf"),
        (["RISCV", "64BIT"], ""),
    ]:
        with tempfile.TemporaryDirectory() as folder:
            text = "".join(f"config {name}\n\tdef_bool y\n" for name in symbols)
            text += f'source "{kconfig}"\n'
            file = pathlib.Path(folder) / "Kconfig"
            file.write_text(text)
            options = kconfiglib.Kconfig(str(file), warn_to_stderr=False)
            options.syms["AGENTMOTE"].set_value(2)
            same(options.syms["AGENTMOTE_RUST_TARGET"].str_value, target, f"Kconfig: {symbols}")
            for feature in FEATURES:
                same(options.syms[f"AGENTMOTE_{feature.upper()}"].str_value, "y", feature)


platformio()
arduino()
esp_idf()
zephyr()
print(f"packages: {made} checks")
