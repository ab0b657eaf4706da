# With CMAKE_UNITY_BUILD several files are compiled as one. The files named here have names of their own, in unnamed
# namespaces or macros, that another file of their target has as well.
function(waitprof_compile_alone target)
  if(TARGET ${target})
    list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

waitprof_compile_alone(waitdiag_read analyzer/read/archive_events.cpp analyzer/read/symbols.cpp)
waitprof_compile_alone(waitdiag_report analyzer/report/text_extra.cpp analyzer/report/verdict.cpp)
waitprof_compile_alone(waitdiag_steps analyzer/steps/step_loops.cpp)
waitprof_compile_alone(waitdiag_summary analyzer/summary/cause_detail.cpp analyzer/summary/critical_path_rows.cpp)
waitprof_compile_alone(waitdiag_tool tools/waitdiag/terminal.cpp)
foreach(recorder waitprof waitprof_smpi_objects)
  waitprof_compile_alone(${recorder}
    libwaitprof/callpath/path_tree.cpp libwaitprof/hooks/one_sided.cpp libwaitprof/record/crash_safe.cpp
    libwaitprof/record/windows.cpp libwaitprof/regions/entry_points.cpp)
endforeach()
waitprof_compile_alone(waitprof_callpath libwaitprof/callpath/path_tree.cpp libwaitprof/regions/entry_points.cpp)
waitprof_compile_alone(unit_recorder libwaitprof/hooks/one_sided.cpp libwaitprof/record/crash_safe.cpp libwaitprof/record/windows.cpp)
waitprof_compile_alone(call_trees_omit-frame-pointer tests/unit/callpath/path_memo_test.cpp)
waitprof_compile_alone(unit_diagnosis tests/unit/diagnosis/generated_run_test.cpp)

# A name of one file hides that of another; where files are compiled alone the warning means something.
target_compile_options(waitprof_flags INTERFACE -Wno-shadow)
