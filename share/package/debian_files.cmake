# Run by cpack in front of packaging: what Debian's packages have and other installations do without.
#   usr/share/doc/PACKAGE/changelog.gz, copyright; compressed manual pages
file(GLOB roots "${CPACK_TEMPORARY_DIRECTORY}/*")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, if it is set
foreach(root IN LISTS roots)
  if(NOT IS_DIRECTORY "${root}/usr")
    continue()
  endif()
  get_filename_component(component "${root}" NAME)
  string(TOUPPER "${component}" component)
  set(package "${CPACK_DEBIAN_${component}_PACKAGE_NAME}")
  set(documents "${root}/usr/share/doc/${package}")
  file(WRITE "${documents}/changelog" "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
       "  * What changed for users: CHANGELOG.md of the sources.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(COPY "${CMAKE_CURRENT_LIST_DIR}/../../LICENSE" DESTINATION "${documents}")
  file(RENAME "${documents}/LICENSE" "${documents}/copyright")
  file(GLOB pages "${root}/usr/share/man/man*/*.[1-9]")
  execute_process(COMMAND gzip --best --no-name --force "${documents}/changelog" ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE files LIST_DIRECTORIES true "${root}/usr/*")  # whatever the umask of who builds it
  foreach(file IN LISTS files)
    if(IS_DIRECTORY "${file}")
      file(CHMOD "${file}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endif()
  endforeach()
endforeach()
