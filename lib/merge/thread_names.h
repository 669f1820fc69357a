/* SPDX-License-Identifier: MIT
 *
 * Python's names of threads, joined to the threads that perf recorded.
 */
#ifndef FF_MERGE_THREAD_NAMES_H
#define FF_MERGE_THREAD_NAMES_H

#include "profile/profile.h"

/* Gives the threads of perf sources the Python names that py-spy sources have for their OS thread
 * ids: sets name and role of every generation of such a thread.
 *
 * A py-spy process belongs to the perf process with its pid, or where py-spy did not print one to
 * the process that has most of its named thread ids. Refused, never guessed: fewer than half of
 * them are there, two processes have equally many, the fitting recordings are of different hosts,
 * or two py-spy sources give one thread different names. Refusals and names that no recording has
 * stand in the ledger; the first refusal is also a message in NOTE (NULL is fine), which is not a
 * failure. IDENTITY (by process, NULL is fine) gets one number for all processes that are the same
 * one in several sources, 0 for those that no other source has. Returns ff_profile_status. Running it again changes nothing. */
enum ff_status ff_merge_names(struct ff_profile *profile, uint32_t *identity,
                              struct ff_error *note);

#endif
