#pragma once
// libarchive: archives in the formats that every system can open.
#include <archive.h>
#include <archive_entry.h>
