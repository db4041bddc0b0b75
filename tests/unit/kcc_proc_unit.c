// SPDX-License-Identifier: GPL-2.0
/* kcc_proc.c as a part of the unit tests; its file is read by tests/net */
#include "../../kcc_proc.c"
