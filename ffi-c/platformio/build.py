"""Builds the static library for the board of a PlatformIO project.

The option `custom_agentmote_target` of the project's environment names the
target of rustc; without it, it is guessed from the flags of the compiler.
`custom_agentmote_features` names what it is built with. Unverified on
hardware.
"""

import os
import subprocess

FEATURES = (
    "http,resources,prompts,input,sessions,subscriptions,logging,scopes,credentials"
)

TARGETS = [
    ("cortex-m0", "thumbv6m-none-eabi"),
    ("cortex-m1", "thumbv6m-none-eabi"),
    ("cortex-m23", "thumbv8m.base-none-eabi"),
    ("cortex-m3", "thumbv7m-none-eabi"),
    ("cortex-m4", "thumbv7em-none-eabi"),
    ("cortex-m7", "thumbv7em-none-eabi"),
]


def target_for(flags):
    """The target of rustc for the flags of a compiler for Arm."""
    words = [str(flag) for flag in flags]
    cpus = [word.split("=", 1)[1] for word in words if word.startswith("-mcpu=")]
    for cpu in cpus:
        if cpu.startswith("cortex-m33"):
            target = "thumbv8m.main-none-eabi"
        else:
            target = next((t for name, t in TARGETS if cpu.startswith(name)), None)
        if target is None:
            continue
        if "-mfloat-abi=hard" in words:
            target += "hf"
        return target
    raise SystemExit("agentmote: set custom_agentmote_target, such as thumbv7m-none-eabi")


def command(root, folder, target, features):
    """The words that build the library, and where it then is."""
    words = ["cargo", "build", "--release", "--locked"]
    words += ["--manifest-path", os.path.join(root, "ffi-c", "library", "Cargo.toml")]
    words += ["--target-dir", folder, "--target", target]
    words += ["--config", os.path.join(root, "ffi-c", "library", ".cargo", "config.toml")]
    words += ["--no-default-features", "--features", features]
    return words, os.path.join(folder, target, "release")


def main(env, root):
    """Called by PlatformIO."""
    option = env.GetProjectOption
    target = option("custom_agentmote_target", "") or target_for(env.get("CCFLAGS", []))
    features = option("custom_agentmote_features", FEATURES)
    folder = os.path.join(env.subst("$BUILD_DIR"), "agentmote")
    words, place = command(root, folder, target, features)
    subprocess.run(words, check=True)
    env.Append(LIBPATH=[place], LIBS=["agentmote"])
    # The header then tells the sizes of this library.
    switches = [name for name in ("a2a", "policy") if name in features.split(",")]
    env.Append(CPPDEFINES=["AGENTMOTE_" + name.upper() for name in switches])


try:
    Import("env")  # noqa: F821
except NameError:
    # Not under PlatformIO: imported by a test.
    pass
else:
    HERE = env.Dir(".").srcnode().abspath  # noqa: F821
    main(env, os.path.dirname(HERE))  # noqa: F821
