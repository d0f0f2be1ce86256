/** The most bytes of a response that are kept. */
const MOST_KEPT_BYTES = 1 << 16;

/** A response with more bytes counts as lost. */
const MOST_READ_BYTES = 64 << 20;

/** Sends requests. Follows no redirects, sends no cookies, and uses no cache. */
export class Transport {
  #base;
  #timeout;
  #clock;

  /**
   * @param {string} base origin of the API
   * @param {number} timeout for the whole of a request and its response, in milliseconds
   * @param {import("./clock.js").Clock} clock
   */
  constructor(base, timeout, clock) {
    this.#base = base;
    this.#timeout = timeout;
    this.#clock = clock;
  }

  /**
   * Sends the request of an entry.
   *
   * @param {import("./store.js").StoredEntry} entry
   * @param {string | null} token
   * @param {AbortSignal} signal
   */
  send(entry, token, signal) {
    const headers = {
      "Idempotency-Key": entry.idempotencyKey,
      "X-Client-Tx-Id": entry.clientTxId,
      ...(entry.body === null ? {} : { "Content-Type": entry.contentType }),
    };
    return this.#exchange(entry.endpoint, { method: entry.method, headers, body: entry.body }, token, signal);
  }

  /**
   * Sends a GET request for JSON.
   *
   * @param {string} endpoint
   * @param {string | null} token
   * @param {AbortSignal} signal
   */
  get(endpoint, token, signal) {
    return this.#exchange(endpoint, { method: "GET", headers: { Accept: "application/json" } }, token, signal);
  }

  /**
   * @param {string} endpoint
   * @param {RequestInit & { headers: Record<string, string> }} init
   * @param {string | null} token
   * @param {AbortSignal} signal
   * @returns {Promise<import("./decisions.js").Reply>}
   */
  async #exchange(endpoint, init, token, signal) {
    if (signal.aborted) {
      return { kind: "lost", problem: "the outbox has stopped to send" };
    }
    let request;
    const exchange = new AbortController();
    try {
      request = new Request(new URL(endpoint, this.#base), {
        ...init,
        headers: token === null ? init.headers : { ...init.headers, Authorization: `Bearer ${token}` },
        redirect: "manual",
        credentials: "omit",
        cache: "no-store",
        referrerPolicy: "no-referrer",
        signal: exchange.signal,
      });
    } catch (e) {
      return { kind: "unsendable", problem: textOf(e) };
    }
    let problem = "";
    const abort = (/** @type {string} */ reason) => {
      problem = reason;
      exchange.abort();
    };
    const timer = this.#clock.setTimeout(() => abort(`no complete response within ${this.#timeout} ms`), this.#timeout);
    const stop = () => abort("the outbox has stopped to send");
    signal.addEventListener("abort", stop);
    try {
      const response = await fetch(request);
      const redirected = response.type === "opaqueredirect";
      const body = redirected ? "" : await startOf(response);
      return { kind: "received", status: response.status, headers: response.headers, body, at: this.#clock.now(), redirected };
    } catch (e) {
      return { kind: "lost", problem: problem || textOf(e) };
    } finally {
      this.#clock.clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }
}

/**
 * Reads a body to its end, and returns its start as text.
 *
 * @param {Response} response
 */
async function startOf(response) {
  if (response.body === null) {
    return "";
  }
  const reader = response.body.getReader();
  const kept = new Uint8Array(MOST_KEPT_BYTES);
  let keptBytes = 0;
  let readBytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    readBytes += part.value.length;
    if (readBytes > MOST_READ_BYTES) {
      await reader.cancel();
      throw new Error(`the response has more than ${MOST_READ_BYTES} bytes`);
    }
    const start = part.value.subarray(0, MOST_KEPT_BYTES - keptBytes);
    kept.set(start, keptBytes);
    keptBytes += start.length;
  }
  return new TextDecoder().decode(kept.subarray(0, keptBytes));
}

/** @param {unknown} e */
function textOf(e) {
  return e instanceof Error || e instanceof DOMException ? e.message : String(e);
}
