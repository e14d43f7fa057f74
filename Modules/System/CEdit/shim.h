#pragma once
// libedit, with fixed-arity forms of its variadic calls, one function per option.
#include <histedit.h>
#include <stdio.h>
#include <wchar.h>

// Declared by the system's headers only under a feature macro.
extern int wcwidth(wchar_t character);
extern FILE *open_memstream(char **buffer, size_t *size);

/// A function that returns the prompt in the multibyte encoding of the locale.
typedef char *(*strand_edit_prompt_function)(EditLine *);

/// A function that can be bound to keys; it returns one of the `CC_` codes.
typedef unsigned char (*strand_edit_key_function)(EditLine *, int);

/// Sets the prompt function; `escape` encloses what takes no room on the screen.
static inline int strand_edit_set_prompt(
    EditLine *edit, strand_edit_prompt_function function, char escape) {
  return el_set(edit, EL_PROMPT_ESC, function, (int)escape);
}

/// Sets the function that reads one character.
static inline int strand_edit_set_reader(EditLine *edit, el_rfunc_t function) {
  return el_set(edit, EL_GETCFN, function);
}

/// Attaches a pointer that the callbacks can ask for.
static inline int strand_edit_set_client(EditLine *edit, void *client) {
  return el_set(edit, EL_CLIENTDATA, client);
}

/// The attached pointer, or NULL.
static inline void *strand_edit_client(EditLine *edit) {
  void *client = NULL;
  return el_get(edit, EL_CLIENTDATA, &client) == 0 ? client : NULL;
}

/// Chooses the key map, `emacs` or `vi`.
static inline int strand_edit_set_editor(EditLine *edit, const char *name) {
  return el_set(edit, EL_EDITOR, name);
}

/// Whether the key map is that of vi.
static inline int strand_edit_is_vi(EditLine *edit) {
  const char *name = NULL;
  return el_get(edit, EL_EDITOR, &name) == 0 && name != NULL && name[0] == 'v';
}

/// Says whether libedit handles signals itself.
static inline int strand_edit_set_signals(EditLine *edit, int on) {
  return el_set(edit, EL_SIGNAL, on);
}

/// Binds keys to an editor command.
static inline int strand_edit_bind(EditLine *edit, const char *keys, const char *command) {
  return el_set(edit, EL_BIND, keys, command, NULL);
}

/// Binds keys in the alternative map, which is vi's command mode.
static inline int strand_edit_bind_alternative(
    EditLine *edit, const char *keys, const char *command) {
  return el_set(edit, EL_BIND, "-a", keys, command, NULL);
}

/// Makes a function known under a name, so that keys can be bound to it.
static inline int strand_edit_add_function(
    EditLine *edit, const char *name, const char *help, strand_edit_key_function function) {
  return el_set(edit, EL_ADDFN, name, help, function);
}

/// Connects a history.
static inline int strand_edit_set_history(EditLine *edit, History *events) {
  return el_set(edit, EL_HIST, history, events);
}

/// Turns echo and line buffering of the terminal off between lines, and applies that now; and has
/// the terminal keep its buffers on an interrupt, since throwing them away may take what the
/// program wrote in answer to it.
static inline int strand_edit_prepare_modes(EditLine *edit) {
  int result = el_set(edit, EL_SETTY, "-d", "+noflsh", NULL);
  return el_set(edit, EL_SETTY, "-x", "-echo", "-icanon", "+noflsh", NULL) | result;
}

/// Puts the terminal into the editor's mode, or into the mode between lines.
static inline int strand_edit_prepare_terminal(EditLine *edit, int editing) {
  return el_set(edit, EL_PREP_TERM, editing);
}

/// Draws prompt and line anew, from the first column of the row where the cursor stands.
static inline int strand_edit_refresh(EditLine *edit) {
  return el_wset(edit, EL_REFRESH);
}

/// Limits how many lines the history holds.
static inline int strand_history_set_size(History *events, int size) {
  HistEvent event;
  return history(events, &event, H_SETSIZE, size);
}

/// Has the history drop a line that repeats the one before.
static inline int strand_history_set_unique(History *events, int on) {
  HistEvent event;
  return history(events, &event, H_SETUNIQUE, on);
}

/// Adds a line to the history.
static inline int strand_history_enter(History *events, const char *line) {
  HistEvent event;
  return history(events, &event, H_ENTER, line);
}

/// How many columns a character takes in the locale's encoding; -1 for a control character.
static inline int strand_column_count(unsigned int scalar) {
  return wcwidth((wchar_t)scalar);
}

/// Opens a stream into memory that grows as it needs.
static inline FILE *strand_memory_stream(char **buffer, size_t *size) {
  return open_memstream(buffer, size);
}
