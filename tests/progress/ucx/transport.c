/* SPDX-License-Identifier: Apache-2.0
 * In the place of UCX, by the name NAME. */
#include "worker.h"

unsigned ucp_worker_progress(struct worker* worker) {
  worker->looked = NAME;
  ++worker->looks;
  return worker->events;
}
