/* SPDX-License-Identifier: MIT
 *
 * Functions that burn a little time, one for each call site of calls.py: the one that runs tells the
 * site. None returns anything else than 1.
 */
#define BURN(name)                                                                                 \
    long name(void)                                                                                \
    {                                                                                              \
        for (volatile int i = 0; i < 20000; i++)                                                   \
            ;                                                                                      \
        return 1;                                                                                  \
    }
#define TEN(tens)                                                                                  \
    BURN(site_##tens##0) BURN(site_##tens##1) BURN(site_##tens##2) BURN(site_##tens##3)            \
    BURN(site_##tens##4) BURN(site_##tens##5) BURN(site_##tens##6) BURN(site_##tens##7)            \
    BURN(site_##tens##8) BURN(site_##tens##9)
TEN(0) TEN(1) TEN(2) TEN(3)
