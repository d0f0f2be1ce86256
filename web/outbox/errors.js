/**
 * An operation of an outbox that has failed.
 *
 * `code` is one of
 * - `invalid`: the request or an option is malformed, see the message
 * - `storage_full`: the browser has no space left for this site; nothing was stored
 * - `storage_unavailable`: the browser refuses storage, or it is damaged; nothing was stored
 * - `storage_blocked`: another tab keeps the database from being opened
 * - `storage_newer`: a newer version of the outbox has written the database: reload the page
 * - `closed`: the outbox was closed
 */
export class OutboxError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(code, message, cause) {
    super(message, { cause });
    this.name = "OutboxError";
    this.code = code;
  }
}

/**
 * Returns the error that a failure of IndexedDB stands for.
 *
 * @param {unknown} cause
 */
export function storageError(cause) {
  if (cause instanceof OutboxError) {
    return cause;
  }
  const name = cause instanceof Error || cause instanceof DOMException ? cause.name : "";
  if (name === "QuotaExceededError") {
    return new OutboxError("storage_full", "The browser has no space left for this site", cause);
  }
  if (name === "VersionError") {
    return new OutboxError("storage_newer", "A newer version of the outbox is in use: reload the page", cause);
  }
  const detail = cause instanceof Error || cause instanceof DOMException ? `${cause.name}: ${cause.message}` : String(cause);
  return new OutboxError("storage_unavailable", `The storage of the browser has failed (${detail})`, cause);
}
