#pragma once
// GNU libmicrohttpd: an HTTP server with threads of its own.
#include <microhttpd.h>
