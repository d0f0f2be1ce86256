/**
 * Asks a Semel server what became of an entry that was first sent so long ago that its key may have expired. Then a request with this key
 * would be executed again.
 */

import { membersOf } from "./decisions.js";

/** The type of the problem that a Semel server responds with. A gateway has others. */
const NO_SUCH_KEY = "urn:semel:problem:not_found";

/** Paths that a server cannot take for another one. */
const PLAIN = /^(\/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)+\/?$/;

/**
 * What the server knows about an entry: it was processed, sending it is safe, no such key, nobody knows, the token is rejected, or there is no
 * usable response.
 *
 * @typedef {{ kind: "processed", response: { status: number, body: string } } | { kind: "sendable" } | { kind: "unknown" }
 *   | { kind: "unclear" } | { kind: "unauthorized" } | { kind: "no_answer", reason: string, problem: string }} Finding
 */

/**
 * @param {import("./transport.js").Transport} transport
 * @param {import("./store.js").StoredEntry} entry
 * @param {string | null} token
 * @param {AbortSignal} signal
 * @returns {Promise<Finding>}
 */
export async function ask(transport, entry, token, signal) {
  const path = entry.endpoint.split("?", 1)[0];
  const query = new URLSearchParams({ endpoint: `${entry.method} ${path}` });
  const reply = await transport.get(`/v1/idempotency/${entry.idempotencyKey}?${query}`, token, signal);
  if (reply.kind !== "received") {
    return { kind: "no_answer", reason: "no_response", problem: reply.problem };
  }
  const members = membersOf(reply.body);
  if (reply.status === 200 && members.clientTxId === entry.clientTxId) {
    return findingOf(members);
  }
  if (reply.status === 404 && members.type === NO_SUCH_KEY) {
    return { kind: PLAIN.test(path) ? "unknown" : "unclear" };
  }
  if (reply.status === 401) {
    return { kind: "unauthorized" };
  }
  return { kind: "no_answer", reason: reply.status >= 500 ? "server_error" : "not_proven", problem: problemOf(reply) };
}

/**
 * @param {Record<string, string>} members
 * @returns {Finding}
 */
function findingOf({ status, outcome = "", cause }) {
  if (status === "completed" || status === "expired") {
    if (cause !== undefined || outcome.startsWith("5")) {
      return { kind: "sendable" }; // it has failed, and nothing remains of it
    }
    return /^[1-5][0-9]{2}$/.test(outcome)
      ? { kind: "processed", response: { status: Number(outcome), body: "" } }
      : { kind: "unclear" };
  }
  // the API itself decides what a retry does
  return { kind: ["processing", "failed", "unknown"].includes(status) ? "sendable" : "unclear" };
}

/**
 * Describes what went wrong.
 *
 * @param {import("./decisions.js").Reply} reply
 */
export function problemOf(reply) {
  if (reply.kind !== "received") {
    return reply.problem;
  }
  if (reply.redirected) {
    return "the response is a redirect";
  }
  const members = membersOf(reply.body);
  const detail = members.detail ?? members.error ?? "";
  return `status ${reply.status}${detail === "" ? "" : `, ${detail}`}`;
}
