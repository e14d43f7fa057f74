#pragma once
// libcurl: an HTTP client, and fixed-arity forms of its variadic functions, which Swift cannot
// call.
#include <curl/curl.h>
#include <sys/socket.h>

/// Sets an option of a transfer that takes a number.
static inline CURLcode strand_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option of a transfer that takes a 64-bit number.
static inline CURLcode strand_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option of a transfer that takes text, which curl copies.
static inline CURLcode strand_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option of a transfer that takes a pointer, which must outlive the transfer.
static inline CURLcode strand_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Copies the body of a request into the transfer.
static inline CURLcode strand_curl_copy_body(CURL *easy, const void *bytes, curl_off_t count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

/// What curl calls with a piece of the answer's head or body; another count ends the transfer.
typedef size_t (*strand_curl_receiver)(char *bytes, size_t size, size_t count, void *context);

/// Says who receives the answer's head, line by line, and its body.
static inline CURLcode strand_curl_set_receivers(
    CURL *easy, strand_curl_receiver head, strand_curl_receiver body, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  return code;
}

/// Opens a socket that child processes do not inherit.
static inline curl_socket_t strand_curl_open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)context;
  (void)purpose;
  int type = address->socktype;
#ifdef SOCK_CLOEXEC
  type |= SOCK_CLOEXEC;
#endif
  return socket(address->family, type, address->protocol);
}

/// Keeps the transfer's sockets from child processes.
static inline CURLcode strand_curl_keep_sockets(CURL *easy) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, strand_curl_open_socket);
}

/// Reads a number that curl tells about a transfer; 0 where it does not know it.
static inline long strand_curl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

/// The transfer that has ended and its result, or null where no further one has.
static inline CURL *strand_curl_next_end(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return 0;
}
