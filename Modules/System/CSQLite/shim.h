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

/// Reads the beginning of a connection's database file as it lies there, without the log.
static inline int strand_sqlite_read_start(sqlite3 *db, void *bytes, int count) {
  sqlite3_file *file = 0;
  int result = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (result != SQLITE_OK) return result;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  return file->pMethods->xRead(file, bytes, count, 0);
}
