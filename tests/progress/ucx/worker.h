/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

struct worker {
  char looked;     /* the name of the transport that has looked last */
  unsigned looks;  /* all of them */
  unsigned events; /* each of them finds */
};

__attribute__((visibility("default"))) unsigned ucp_worker_progress(struct worker* worker);
