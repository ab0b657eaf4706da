# waitprof_python_tests(prefix script [BY_CLASS] [ONLY configuration] [PROPERTIES ...] [ENVIRONMENT ...]): every test method of a Python
# script (classes of unittest.TestCase) is one CTest test, named prefix.script.method; a test that skips itself is a skipped test.
# BY_CLASS: every class is one, named prefix.script.class, where all of its tests need the same that takes long to start.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(NOT DEFINED WAITPROF_PYTHON)  # the interpreter itself: a shim before it (pyenv) takes up to 0.2 s for every test
  execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import sys; print(sys.executable)" OUTPUT_VARIABLE python
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(WAITPROF_PYTHON "${python}" CACHE INTERNAL "Starts the tests that are written in Python")
endif()

function(waitprof_python_tests prefix script)
  cmake_parse_arguments(PYTHON "BY_CLASS" "ONLY" "PROPERTIES;ENVIRONMENT" ${ARGN})
  set(configurations "")
  if(PYTHON_ONLY)  # registered for `ctest -C <configuration>`
    set(configurations CONFIGURATIONS ${PYTHON_ONLY})
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${script}.py")
  file(STRINGS "${script}.py" lines REGEX "^class [A-Za-z]+|^  +def test_")
  foreach(line IN LISTS lines)
    set(test "")
    if(line MATCHES "^class ([A-Za-z]+)")
      set(class "${CMAKE_MATCH_1}")
      if(PYTHON_BY_CLASS)
        set(test "${prefix}.${script}.${class}")
        set(method "")
      endif()
    elseif(NOT PYTHON_BY_CLASS AND line MATCHES "def test_([a-z0-9_]+)")
      set(test "${prefix}.${script}.${CMAKE_MATCH_1}")
      set(method ".test_${CMAKE_MATCH_1}")
    endif()
    if(test)
      add_test(NAME ${test} ${configurations} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
               COMMAND "${WAITPROF_PYTHON}" -B -m unittest "${script}.${class}${method}")
      set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "OK .skipped=" ${PYTHON_PROPERTIES})
      set_property(TEST ${test} PROPERTY ENVIRONMENT "TEST_SOURCE=${PROJECT_SOURCE_DIR}" ${PYTHON_ENVIRONMENT})
    endif()
  endforeach()
endfunction()
