#pragma once
// libcbor's streaming coder: it allocates nothing and reads one item at a time.
#include <cbor.h>
#include <stdint.h>

/// What one item of the stream is.
enum strand_cbor_kind {
  STRAND_CBOR_NOTHING,
  STRAND_CBOR_UNSIGNED,
  STRAND_CBOR_NEGATIVE,
  STRAND_CBOR_BYTES,
  STRAND_CBOR_TEXT,
  STRAND_CBOR_ARRAY,
  STRAND_CBOR_MAP,
  STRAND_CBOR_TAG,
  STRAND_CBOR_SHORT_FLOAT,
  STRAND_CBOR_DOUBLE,
  STRAND_CBOR_NULL,
  STRAND_CBOR_UNDEFINED,
  STRAND_CBOR_BOOLEAN,
  STRAND_CBOR_INDEFINITE,
};

/// One item of the stream: a head, and for strings where their content begins.
///
/// `number` is the integer, the count, the tag or the length; for negative integers it is
/// minus one minus the value, as on the wire.
struct strand_cbor_item {
  enum strand_cbor_kind kind;
  uint64_t number;
  double real;
};

static inline void strand_cbor_put(void *out, enum strand_cbor_kind kind, uint64_t number) {
  struct strand_cbor_item *item = (struct strand_cbor_item *)out;
  item->kind = kind;
  item->number = number;
}

static inline void strand_cbor_uint8(void *out, uint8_t n) {
  strand_cbor_put(out, STRAND_CBOR_UNSIGNED, n);
}
static inline void strand_cbor_uint16(void *out, uint16_t n) {
  strand_cbor_put(out, STRAND_CBOR_UNSIGNED, n);
}
static inline void strand_cbor_uint32(void *out, uint32_t n) {
  strand_cbor_put(out, STRAND_CBOR_UNSIGNED, n);
}
static inline void strand_cbor_uint64(void *out, uint64_t n) {
  strand_cbor_put(out, STRAND_CBOR_UNSIGNED, n);
}
static inline void strand_cbor_negint8(void *out, uint8_t n) {
  strand_cbor_put(out, STRAND_CBOR_NEGATIVE, n);
}
static inline void strand_cbor_negint16(void *out, uint16_t n) {
  strand_cbor_put(out, STRAND_CBOR_NEGATIVE, n);
}
static inline void strand_cbor_negint32(void *out, uint32_t n) {
  strand_cbor_put(out, STRAND_CBOR_NEGATIVE, n);
}
static inline void strand_cbor_negint64(void *out, uint64_t n) {
  strand_cbor_put(out, STRAND_CBOR_NEGATIVE, n);
}
static inline void strand_cbor_bytes(void *out, cbor_data data, size_t n) {
  (void)data;
  strand_cbor_put(out, STRAND_CBOR_BYTES, n);
}
static inline void strand_cbor_text(void *out, cbor_data data, size_t n) {
  (void)data;
  strand_cbor_put(out, STRAND_CBOR_TEXT, n);
}
static inline void strand_cbor_array(void *out, size_t n) {
  strand_cbor_put(out, STRAND_CBOR_ARRAY, n);
}
static inline void strand_cbor_map(void *out, size_t n) {
  strand_cbor_put(out, STRAND_CBOR_MAP, n);
}
static inline void strand_cbor_tag(void *out, uint64_t n) {
  strand_cbor_put(out, STRAND_CBOR_TAG, n);
}
static inline void strand_cbor_float(void *out, float n) {
  (void)n;
  strand_cbor_put(out, STRAND_CBOR_SHORT_FLOAT, 0);
}
static inline void strand_cbor_double(void *out, double n) {
  strand_cbor_put(out, STRAND_CBOR_DOUBLE, 0);
  ((struct strand_cbor_item *)out)->real = n;
}
static inline void strand_cbor_null(void *out) { strand_cbor_put(out, STRAND_CBOR_NULL, 0); }
static inline void strand_cbor_undefined(void *out) {
  strand_cbor_put(out, STRAND_CBOR_UNDEFINED, 0);
}
static inline void strand_cbor_boolean(void *out, bool on) {
  strand_cbor_put(out, STRAND_CBOR_BOOLEAN, on);
}
static inline void strand_cbor_indefinite(void *out) {
  strand_cbor_put(out, STRAND_CBOR_INDEFINITE, 0);
}

/// Reads the item that begins at `data` and tells how many bytes it took.
static inline struct cbor_decoder_result strand_cbor_read(
    const unsigned char *data, size_t size, struct strand_cbor_item *item) {
  static const struct cbor_callbacks callbacks = {
      .uint8 = strand_cbor_uint8,
      .uint16 = strand_cbor_uint16,
      .uint32 = strand_cbor_uint32,
      .uint64 = strand_cbor_uint64,
      .negint64 = strand_cbor_negint64,
      .negint32 = strand_cbor_negint32,
      .negint16 = strand_cbor_negint16,
      .negint8 = strand_cbor_negint8,
      .byte_string_start = strand_cbor_indefinite,
      .byte_string = strand_cbor_bytes,
      .string = strand_cbor_text,
      .string_start = strand_cbor_indefinite,
      .indef_array_start = strand_cbor_indefinite,
      .array_start = strand_cbor_array,
      .indef_map_start = strand_cbor_indefinite,
      .map_start = strand_cbor_map,
      .tag = strand_cbor_tag,
      .float2 = strand_cbor_float,
      .float4 = strand_cbor_float,
      .float8 = strand_cbor_double,
      .undefined = strand_cbor_undefined,
      .null = strand_cbor_null,
      .boolean = strand_cbor_boolean,
      .indef_break = strand_cbor_indefinite,
  };
  item->kind = STRAND_CBOR_NOTHING;
  return cbor_stream_decode(data, size, &callbacks, item);
}
