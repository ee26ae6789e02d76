# How the static library is built by cargo; used by every package of it.

set(AGENTMOTE_ROOT "${CMAKE_CURRENT_LIST_DIR}/../..")

# The version of the header.
function(agentmote_version result)
  file(STRINGS "${AGENTMOTE_ROOT}/include/agentmote.h" line REGEX "^#define AGENTMOTE_VERSION \"")
  string(REGEX REPLACE ".*\"(.*)\"" "\\1" version "${line}")
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# The target of rustc for the processor flags of a cross compiler for Arm;
# empty where nothing is known.
function(agentmote_guess_target result)
  set(target "")
  if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
    set(flags "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}")
    set(float "")
    if(flags MATCHES "-mfloat-abi=hard")
      set(float "hf")
    endif()
    if(flags MATCHES "-mcpu=cortex-m0|-mcpu=cortex-m1|-march=armv6s?-m")
      set(target "thumbv6m-none-eabi")
    elseif(flags MATCHES "-mcpu=cortex-m3|-march=armv7-m")
      set(target "thumbv7m-none-eabi")
    elseif(flags MATCHES "-mcpu=cortex-m[47]|-march=armv7e-m")
      set(target "thumbv7em-none-eabi${float}")
    elseif(flags MATCHES "-mcpu=cortex-m23")
      set(target "thumbv8m.base-none-eabi")
    elseif(flags MATCHES "-mcpu=cortex-m(33|35p|52|55|85)|-march=armv8")
      set(target "thumbv8m.main-none-eabi${float}")
    else()
      message(FATAL_ERROR "agentmote: no target of rustc is known for the flags `${flags}`; "
                          "set AGENTMOTE_RUST_TARGET")
    endif()
  endif()
  set(${result} "${target}" PARENT_SCOPE)
endfunction()

# Defines agentmote::agentmote, built by cargo for a target of rustc (empty:
# guessed, or this machine) with some features.
function(agentmote_library result target features build_core)
  find_program(AGENTMOTE_CARGO cargo HINTS "$ENV{HOME}/.cargo/bin")
  if(NOT AGENTMOTE_CARGO)
    message(FATAL_ERROR "agentmote: cargo was not found; install Rust, or set AGENTMOTE_CARGO")
  endif()
  if(NOT target)
    agentmote_guess_target(target)
  endif()
  set(AGENTMOTE_CARGO_FOLDER "${CMAKE_CURRENT_BINARY_DIR}/cargo" CACHE PATH
      "Where cargo builds, to be shared by several builds")
  set(folder "${AGENTMOTE_CARGO_FOLDER}")
  set(feature_list "${features}")
  string(REPLACE ";" "," features "${features}")
  set(words build --release --locked --manifest-path "${AGENTMOTE_ROOT}/ffi-c/library/Cargo.toml"
      --target-dir "${folder}" --no-default-features)
  if(features)
    list(APPEND words --features "${features}")
  endif()
  set(environment "")
  set(library "${folder}/release/libagentmote.a")
  if(target)
    list(APPEND words --target "${target}"
         --config "${AGENTMOTE_ROOT}/ffi-c/library/.cargo/config.toml")
    set(library "${folder}/${target}/release/libagentmote.a")
  endif()
  set(AGENTMOTE_RUSTC "" CACHE FILEPATH "Compiler that cargo takes; empty: its own")
  if(AGENTMOTE_RUSTC)
    list(APPEND environment "RUSTC=${AGENTMOTE_RUSTC}" --unset=LD_LIBRARY_PATH)
  endif()
  if(build_core)
    list(APPEND words -Zbuild-std=core)
    list(APPEND environment RUSTC_BOOTSTRAP=1)
  endif()
  # cargo knows best what has changed: it is asked each time.
  add_custom_target(agentmote_cargo
    COMMAND "${CMAKE_COMMAND}" -E env --unset=RUSTFLAGS ${environment} "${AGENTMOTE_CARGO}" ${words}
    BYPRODUCTS "${library}"
    COMMENT "Building agentmote with cargo"
    VERBATIM)
  add_library(agentmote::agentmote STATIC IMPORTED GLOBAL)
  set_target_properties(agentmote::agentmote PROPERTIES
    IMPORTED_LOCATION "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${AGENTMOTE_ROOT}/include")
  # The header then tells the sizes of this library.
  set(definitions "")
  foreach(feature a2a policy)
    if(feature IN_LIST feature_list)
      string(TOUPPER "AGENTMOTE_${feature}" definition)
      list(APPEND definitions "${definition}")
    endif()
  endforeach()
  if(definitions)
    set_target_properties(agentmote::agentmote PROPERTIES
      INTERFACE_COMPILE_DEFINITIONS "${definitions}")
  endif()
  add_dependencies(agentmote::agentmote agentmote_cargo)
  set(${result} "${target}" PARENT_SCOPE)
endfunction()
