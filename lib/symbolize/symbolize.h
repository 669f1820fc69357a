/* SPDX-License-Identifier: MIT
 *
 * The stage that names frames.
 */
#ifndef FF_SYMBOLIZE_SYMBOLIZE_H
#define FF_SYMBOLIZE_SYMBOLIZE_H

#include "image/images.h"
#include "profile/profile.h"

/* Names, in place, every native or kernel frame that is FF_NAMED_NOT, from the images:
 *   elf, vdso              file offset -> module offset -> symbol (see ff_elf_functions), else PLT
 *                          slot, else the start of the FDE (FF_NAMED_FUNCTION)
 *   kernel, kernel-module  address -> kallsyms
 *   perf-map               address -> the process's perf map; the name as it stands there
 * What nothing covers stays FF_NAMED_NOT. The ledger gets, over all sources, how often samples hold
 * frames in no module, of modules without a source, in no range, and the number of modules whose
 * file differs or is not verified. Running it again with more images names more.
 * FF_USAGE or FF_BAD_INPUT, with the message in the profile's error, when a kallsyms or a perf map
 * cannot be used; frames named so far stay named. */
enum ff_status ff_symbolize(struct ff_profile *profile, struct ff_images *images);

#endif
