#pragma once
// GNU libmicrohttpd: an HTTP server with threads of its own. Starting it takes a list of options
// of any length and unions carry what it tells, neither of which Swift can express.
#include <microhttpd.h>
#include <poll.h>
#include <stdint.h>
#include <stddef.h>

/// How a server is started.
struct strand_http_setup {
  /// A socket that is bound and listens.
  int socket;
  /// Threads that wait for sockets.
  unsigned int threads;
  /// Connections above which none is accepted.
  unsigned int connections;
  /// The greatest memory of one connection, for its head and its buffers.
  size_t connection_memory;
  /// The texts of a certificate chain and its key in PEM; both null without TLS.
  const char *certificate;
  const char *key;
  /// What all callbacks are given.
  void *context;
  MHD_AcceptPolicyCallback accept;
  MHD_AccessHandlerCallback handle;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  /// Called when the first line of a request has come; its result is the request's own pointer.
  void *(*begun)(void *context, const char *uri, struct MHD_Connection *connection);
  /// Called in place of the decoding of `%HH`.
  size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
};

/// Starts a server whose threads wait by epoll; null where that fails.
static inline struct MHD_Daemon *strand_http_start(const struct strand_http_setup *setup) {
  struct MHD_OptionItem items[] = {
      {MHD_OPTION_LISTEN_SOCKET, setup->socket, NULL},
      {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)setup->connections, NULL},
      {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)setup->connection_memory, NULL},
      {MHD_OPTION_CONNECTION_TIMEOUT, 0, NULL},
      {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
      {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)setup->completed, setup->context},
      {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)setup->connection, setup->context},
      {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)setup->begun, setup->context},
      {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)setup->unescape, setup->context},
      // The last three are cut off where they are not wanted.
      {MHD_OPTION_END, 0, NULL},
      {MHD_OPTION_END, 0, NULL},
      {MHD_OPTION_END, 0, NULL},
      {MHD_OPTION_END, 0, NULL},
      {MHD_OPTION_END, 0, NULL},
  };
  size_t count = 9;
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  if (setup->threads > 1) {
    struct MHD_OptionItem item = {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)setup->threads, NULL};
    items[count++] = item;
  }
  if (setup->certificate && setup->key) {
    flags |= MHD_USE_TLS;
    struct MHD_OptionItem certificate = {
        MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)setup->certificate};
    struct MHD_OptionItem key = {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)setup->key};
    struct MHD_OptionItem priorities = {
        MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"};
    items[count++] = certificate;
    items[count++] = key;
    items[count++] = priorities;
  }
  return MHD_start_daemon(
      flags, 0, setup->accept, setup->context, setup->handle, setup->context, MHD_OPTION_ARRAY, items,
      MHD_OPTION_END);
}

/// The socket of a connection, or -1.
static inline int strand_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// What the notice of the connection's beginning has left with it.
static inline void *strand_http_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// The size of the request's head.
static inline size_t strand_http_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/// The other side's address, or null.
static inline const struct sockaddr *strand_http_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// An answer with all of its body, which is copied.
static inline struct MHD_Response *strand_http_bytes(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/// An answer whose body goes on coming.
static inline struct MHD_Response *strand_http_stream(
    size_t block, MHD_ContentReaderCallback read, void *context,
    MHD_ContentReaderFreeCallback release) {
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block, read, context, release);
}

/// Whether the other side of a socket has gone; no byte is read for that.
static inline int strand_socket_hung_up(int socket) {
#ifdef __linux__
  const short gone = 0x2000;  // POLLRDHUP, which is hidden without _GNU_SOURCE.
#else
  const short gone = POLLHUP;
#endif
  struct pollfd item = {socket, gone, 0};
  return poll(&item, 1, 0) > 0 && (item.revents & (gone | POLLHUP | POLLERR)) != 0;
}

// The library's constants under names that do not depend on how its enumerations are imported.
static const enum MHD_Result strand_http_yes = MHD_YES;
static const enum MHD_Result strand_http_no = MHD_NO;
static const enum MHD_ValueKind strand_http_header_kind = MHD_HEADER_KIND;
static const enum MHD_ConnectionNotificationCode strand_http_started =
    MHD_CONNECTION_NOTIFY_STARTED;

/// What a reader of a body returns at its regular end.
static const ssize_t strand_http_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
