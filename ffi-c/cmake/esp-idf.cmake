# agentmote as a component of ESP-IDF: EXTRA_COMPONENT_DIRS names this folder's
# parent. Unverified on hardware.
idf_component_register(INCLUDE_DIRS "../include")

if(NOT CMAKE_BUILD_EARLY_EXPANSION)
  include("${CMAKE_CURRENT_LIST_DIR}/cargo.cmake")
  idf_build_get_property(chip IDF_TARGET)
  if(chip MATCHES "^esp32(c2|c3)$")
    set(rust_target riscv32imc-unknown-none-elf)
  elseif(chip MATCHES "^esp32(c5|c6|c61|h2)$")
    set(rust_target riscv32imac-unknown-none-elf)
  elseif(chip MATCHES "^esp32p4$")
    set(rust_target riscv32imafc-unknown-none-elf)
  elseif(chip MATCHES "^esp32(s2|s3)?$")
    # Xtensa: needs a Rust toolchain that has it, and the core library built
    # along.
    set(rust_target "xtensa-${chip}-none-elf")
    set(CONFIG_AGENTMOTE_BUILD_CORE ON)
  else()
    message(FATAL_ERROR "agentmote: no target of rustc is known for ${chip}")
  endif()
  set(features "")
  foreach(feature http resources prompts input sessions subscriptions logging scopes
                  credentials a2a policy)
    string(TOUPPER "${feature}" upper)
    if(CONFIG_AGENTMOTE_${upper})
      list(APPEND features ${feature})
    endif()
  endforeach()
  agentmote_library(rust_target "${rust_target}" "${features}" "${CONFIG_AGENTMOTE_BUILD_CORE}")
  target_link_libraries(${COMPONENT_LIB} INTERFACE agentmote::agentmote)
endif()
