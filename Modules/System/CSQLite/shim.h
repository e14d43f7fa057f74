#pragma once
// SQLite's C API, and fixed-arity forms of what Swift cannot call or see.
#include <sqlite3.h>

/// Tells SQLite to copy the bytes before the binding call returns.
static inline sqlite3_destructor_type strand_sqlite_transient(void) {
  return SQLITE_TRANSIENT;
}

/// Sets one boolean option of a connection (`sqlite3_db_config` is variadic).
static inline int strand_sqlite_config(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}
