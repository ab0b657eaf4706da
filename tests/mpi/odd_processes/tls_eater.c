/* See full_tls.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
char* eaten(void);

static _Thread_local char room[16] __attribute__((tls_model("initial-exec")));

char* eaten(void) {
  return room;
}
