// Declarations that the compiler's library does not have yet.
// SPDX-License-Identifier: BSD-3-Clause
declare module "*.css";
declare class DecompressionStream {
  constructor(format: "deflate" | "gzip");
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}
