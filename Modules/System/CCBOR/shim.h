#pragma once
// libcbor's streaming coder: it allocates nothing and reads one item at a time.
#include <cbor.h>
