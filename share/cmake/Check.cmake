# cmake --build BUILD --target check: format, scripts, build, lint, tests; what a developer runs before a commit.
add_custom_target(check
  COMMAND "${PROJECT_SOURCE_DIR}/tools/dev/format" --check
  COMMAND "${PROJECT_SOURCE_DIR}/tools/dev/lint-scripts"
  COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}"
  COMMAND "${PROJECT_SOURCE_DIR}/tools/dev/lint" "${PROJECT_BINARY_DIR}"
  COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${PROJECT_BINARY_DIR}" --output-on-failure
  USES_TERMINAL VERBATIM)
