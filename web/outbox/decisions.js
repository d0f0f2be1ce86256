/**
 * Decides what happens to an entry after an attempt to send it. The table, with the test of each cell, is in docs/reference/outbox.md of
 * Semel; the Java outbox has the same one, and both are tested with the same cells.
 */

/**
 * The result of sending a request. `lost` is no complete response; `unsendable` is a request that cannot be created.
 *
 * @typedef {{ kind: "received", status: number, headers: Headers, body: string, at: number, redirected?: boolean }} Received
 * @typedef {Received | { kind: "lost", problem: string } | { kind: "unsendable", problem: string }} Reply
 */

/**
 * @typedef {"confirm" | "retry" | "refresh_token" | "ask_later" | "look_up" | "fail"} DecisionKind
 * @typedef {object} Decision
 * @property {DecisionKind} kind
 * @property {string} [reason] of `retry` and `fail`
 * @property {number} [atLeast] of `retry`: the shortest pause that the API asks for, in milliseconds
 */

/**
 * @typedef {{ clientTxId: string }} HasClientTxId
 * @typedef {(entry: any, response: { status: number, headers: Headers }) => boolean} Proof
 */

/** The longest pause that an API can ask for. */
const LONGEST_PAUSE = 24 * 60 * 60 * 1000;

const HTTP_DATE =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?(\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/i;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Reasons that the network, or something in it, may cause. */
const OF_NETWORK = ["no_response", "not_proven", "redirected"];

/** @param {string | undefined} reason */
export function isOfNetwork(reason) {
  return reason !== undefined && OF_NETWORK.includes(reason);
}

/**
 * The proof of Semel's own responses. The response to another request, which a faulty proxy may deliver, proves nothing.
 *
 * @type {Proof}
 */
export function semelProof(entry, { headers }) {
  const repeated = headers.get("X-Client-Tx-Id");
  return repeated === null
    ? headers.has("Idempotency-Replayed") || headers.has("Idempotency-Expires")
    : repeated.split(",").some((each) => each.trim() === entry.clientTxId);
}

/**
 * Returns the proof that a setting stands for.
 *
 * @param {undefined | Proof | { header: string } | { contentType: string }} setting
 * @returns {Proof}
 */
export function proofOf(setting) {
  if (setting === undefined) {
    return semelProof;
  }
  if (typeof setting === "function") {
    return setting;
  }
  if ("header" in setting) {
    return (entry, { headers }) => headers.has(setting.header);
  }
  const expected = setting.contentType.toLowerCase();
  return (entry, { headers }) => (headers.get("Content-Type") ?? "").toLowerCase().split(";", 1)[0].trim() === expected;
}

/**
 * @param {HasClientTxId} entry
 * @param {Reply} reply
 * @param {Proof} proof
 * @returns {Decision}
 */
export function decide(entry, reply, proof) {
  if (reply.kind !== "received") {
    return reply.kind === "unsendable" ? { kind: "fail", reason: "invalid" } : retry("no_response");
  }
  if (reply.redirected) {
    return retry("redirected"); // browsers hide where from and where to, so it proves nothing
  }
  const { status } = reply;
  const retryAfter = retryAfterOf(reply);
  if (status === 401) {
    return { kind: "refresh_token" };
  }
  if (status === 408 || status === 425 || status === 429) {
    return retry("busy", status === 429 ? retryAfter : null);
  }
  if (status >= 500) {
    return retry("server_error", status === 503 ? retryAfter : null);
  }
  const code = status === 409 || status === 410 || status === 422 ? membersOf(reply.body).code ?? "" : "";
  if (status === 409 && (retryAfter !== null || code === "in_progress")) {
    return retry("in_progress", retryAfter);
  }
  const isRedirect = status >= 300 && status < 400;
  if (!proof(entry, reply)) {
    return retry(isRedirect ? "redirected" : "not_proven");
  }
  if (status >= 200 && status < 300) {
    return { kind: "confirm" };
  }
  if (status === 409 && code === "outcome_unknown") {
    return { kind: "ask_later" };
  }
  if (status === 410 && code === "key_expired") {
    return { kind: "look_up" };
  }
  if (status === 422 && code === "payload_mismatch") {
    return { kind: "fail", reason: "payload_mismatch" };
  }
  return { kind: "fail", reason: isRedirect ? "redirected" : "rejected" };
}

/**
 * @param {string} reason
 * @param {number | null} [atLeast]
 * @returns {Decision}
 */
function retry(reason, atLeast) {
  return { kind: "retry", reason, atLeast: atLeast ?? 0 };
}

/**
 * Returns the texts, numbers and booleans of a JSON object, as texts.
 *
 * @param {string} json
 * @returns {Record<string, string>}
 */
export function membersOf(json) {
  /** @type {Record<string, string>} */
  const members = Object.create(null);
  try {
    const value = JSON.parse(json);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (["string", "number", "boolean"].includes(typeof member)) {
          members[name] = String(member);
        }
      }
    }
  } catch {
    // not JSON
  }
  return members;
}

/**
 * Returns the pause that a response asks for in milliseconds, in seconds or until a date by the server's clock; null if it asks for none.
 *
 * @param {Received} response
 */
function retryAfterOf(response) {
  const value = (response.headers.get("Retry-After") ?? "").trim();
  if (/^[0-9]{1,10}$/.test(value)) {
    return bounded(Number(value) * 1000);
  }
  const until = dateOf(value);
  if (until === null) {
    return null;
  }
  return bounded(until - (dateOf(response.headers.get("Date") ?? "") ?? response.at));
}

/** @param {number} millis */
function bounded(millis) {
  return Math.max(0, Math.min(millis, LONGEST_PAUSE));
}

/**
 * Returns the time of a date in a header, in milliseconds since 1970; null if it is malformed.
 *
 * @param {string} text
 */
export function dateOf(text) {
  const parts = HTTP_DATE.exec(text);
  if (parts === null) {
    return null;
  }
  const [, day, month, year, hours, minutes, seconds] = parts;
  return Date.UTC(Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day), Number(hours), Number(minutes), Number(seconds));
}
