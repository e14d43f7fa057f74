#pragma once
// libedit, with fixed-arity forms of its variadic calls.
#include <histedit.h>
