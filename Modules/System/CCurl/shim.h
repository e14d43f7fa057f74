#pragma once
// libcurl: an HTTP client. Its options are set by variadic functions, which Swift cannot call.
#include <curl/curl.h>
