/* SPDX-License-Identifier: MIT
 *
 * What the two files of the JSON report share. Values are new references, NULL when memory is out.
 */
#ifndef FF_REPORT_REPORT_JSON_H
#define FF_REPORT_REPORT_JSON_H

#include "report/evidence.h"
#include "report/summary.h"

#include <jansson.h>

/* A name of the profile; bytes that are no UTF-8 become '?'. */
json_t *ff_json_text(const struct ff_profile *profile, uint32_t id);

/* At most 2^63 - 1: JSON's integers hold no more. */
json_t *ff_json_number(uint64_t value);

/* "gil", "gpus" and "verdict"; docs/formats.md has the fields. */
json_t *ff_json_gil(const struct ff_evidence *evidence);
json_t *ff_json_gpus(const struct ff_evidence *evidence);
json_t *ff_json_verdict(const struct ff_evidence *evidence);

#endif
