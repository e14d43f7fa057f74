#pragma once
// libsodium: hashing, and later tokens and encryption.
#include <sodium.h>
