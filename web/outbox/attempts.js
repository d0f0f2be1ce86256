/** Attempts to send entries, and decides from the response whether they are confirmed, sent again, or have failed. */

import { pauseAfter, pauseBetweenQuestions } from "./backoff.js";
import { decide } from "./decisions.js";
import { ask, problemOf } from "./inquiry.js";
import { NoTokenError, userOf } from "./tokens.js";

const LONGEST_ERROR = 500;

/**
 * The result of an attempt, with the entry as it has to be stored. `stopped` if the sender stops, or the entry was discarded before it was
 * sent.
 *
 * @typedef {import("./store.js").StoredEntry} StoredEntry
 * @typedef {{ kind: "confirmed" | "again" | "failed" | "stopped", entry: StoredEntry }} Result
 *
 * @typedef {object} AttemptSettings
 * @property {import("./decisions.js").Proof} proof
 * @property {boolean} canAsk
 * @property {"fail" | "send"} ifExpired
 * @property {number} giveUpAttempts Infinity for no limit
 * @property {number} giveUpAge in milliseconds; Infinity for no limit
 */

export class Attempts {
  #settings;
  #transport;
  #tokens;
  #keyLife;
  #clock;

  /**
   * @param {AttemptSettings} settings
   * @param {import("./transport.js").Transport} transport
   * @param {import("./tokens.js").Tokens} tokens
   * @param {import("./keylife.js").KeyLife} keyLife
   * @param {import("./clock.js").Clock} clock
   */
  constructor(settings, transport, tokens, keyLife, clock) {
    this.#settings = settings;
    this.#transport = transport;
    this.#tokens = tokens;
    this.#keyLife = keyLife;
    this.#clock = clock;
  }

  /**
   * Attempts to send an entry.
   *
   * @param {StoredEntry} entry
   * @param {(entry: StoredEntry) => Promise<StoredEntry | undefined>} mark stores that the entry is being sent; undefined if it was discarded
   * @param {AbortSignal} signal
   * @returns {Promise<Result>}
   */
  async attempt(entry, mark, signal) {
    const now = this.#clock.now();
    if (!isRetriedByAPerson(entry) && now - entry.createdAt >= this.#settings.giveUpAge) {
      return failed(entry, "gave_up", `the entry was added at ${new Date(entry.createdAt).toISOString()}`);
    }
    const { firstSentAt } = entry;
    if (firstSentAt !== undefined && this.#keyLife.mayBeOver(firstSentAt, now)) {
      const known = await this.#lookUp(entry, firstSentAt, signal);
      if (known !== null) {
        return known;
      }
    }
    return this.#send(entry, mark, signal);
  }

  /**
   * Returns a token for an entry; a result if there is none.
   *
   * @param {StoredEntry} entry
   * @param {string | null} rejected
   * @returns {Promise<{ token: string | null } | Result>}
   */
  async #token(entry, rejected) {
    let token;
    try {
      token = await this.#tokens.get(rejected);
    } catch (e) {
      if (e instanceof NoTokenError) {
        return this.#again(entry, "unauthorized", e.message, 0);
      }
      throw e;
    }
    const user = token === null ? undefined : userOf(token);
    if (entry.user !== undefined && user !== undefined && entry.user !== user) {
      return this.#again(entry, "unauthorized", "the entry belongs to another user than the token", 0);
    }
    if (token !== null && token === rejected) {
      return this.#again(entry, "unauthorized", "the token is rejected", 0);
    }
    return { token };
  }

  /**
   * Asks for the result of an earlier attempt, whose key may have expired. Returns null if the entry can be sent.
   *
   * @param {StoredEntry} entry
   * @param {number} firstSentAt
   * @param {AbortSignal} signal
   * @returns {Promise<Result | null>}
   */
  async #lookUp(entry, firstSentAt, signal) {
    if (!this.#settings.canAsk) {
      return this.#ifExpired(entry, firstSentAt);
    }
    let rejected = null;
    for (;;) {
      const given = await this.#token(entry, rejected);
      if ("kind" in given) {
        return given;
      }
      const finding = await ask(this.#transport, entry, given.token, signal);
      if (signal.aborted) {
        return { kind: "stopped", entry };
      }
      switch (finding.kind) {
        case "unauthorized":
          if (given.token === null || rejected !== null) {
            return this.#again(entry, "unauthorized", "the token is rejected", 0);
          }
          rejected = given.token;
          break;
        case "processed":
          return finding.response.status < 300
            ? confirmed(entry, finding.response)
            : failed(entry, "rejected", `status ${finding.response.status}`, finding.response);
        case "no_answer":
          return this.#again(entry, finding.reason, finding.problem, 0);
        case "unclear":
          return this.#ifExpired(entry, firstSentAt);
        case "unknown":
          return this.#keyLife.mayBeForgotten(firstSentAt, this.#clock.now()) ? this.#ifExpired(entry, firstSentAt) : null;
        default:
          return null;
      }
    }
  }

  /**
   * @param {StoredEntry} entry
   * @param {number} firstSentAt
   * @returns {Result | null}
   */
  #ifExpired(entry, firstSentAt) {
    const since = new Date(firstSentAt).toISOString();
    return this.#settings.ifExpired === "send"
      ? null
      : failed(entry, "expired", `the request was first sent at ${since}, and nobody knows its outcome any more`);
  }

  /**
   * @param {StoredEntry} waiting
   * @param {(entry: StoredEntry) => Promise<StoredEntry | undefined>} mark
   * @param {AbortSignal} signal
   * @returns {Promise<Result>}
   */
  async #send(waiting, mark, signal) {
    let entry = waiting;
    let rejected = null;
    for (;;) {
      const given = await this.#token(entry, rejected);
      if ("kind" in given) {
        return given;
      }
      const { token } = given;
      const user = entry.user ?? (token === null ? undefined : userOf(token));
      if (entry.firstSentAt === undefined || user !== entry.user) {
        const marked = await mark({ ...entry, firstSentAt: entry.firstSentAt ?? this.#clock.now(), user });
        if (marked === undefined) {
          return { kind: "stopped", entry };
        }
        entry = marked;
      }
      const reply = await this.#transport.send(entry, token, signal);
      if (signal.aborted && reply.kind !== "received") {
        return { kind: "stopped", entry };
      }
      const decision = decide(entry, reply, this.#settings.proof);
      if (decision.kind === "refresh_token" && token !== null && rejected === null) {
        rejected = token;
        continue;
      }
      return this.#result(entry, reply, decision, signal);
    }
  }

  /**
   * @param {StoredEntry} entry
   * @param {import("./decisions.js").Reply} reply
   * @param {import("./decisions.js").Decision} decision
   * @param {AbortSignal} signal
   * @returns {Promise<Result>}
   */
  async #result(entry, reply, decision, signal) {
    const response = reply.kind === "received" && !reply.redirected ? { status: reply.status, body: reply.body } : undefined;
    const problem = problemOf(reply);
    switch (decision.kind) {
      case "confirm":
        if (reply.kind === "received") {
          this.#keyLife.learn(reply);
        }
        return confirmed(entry, response);
      case "retry":
        return this.#again(entry, decision.reason ?? "", problem, decision.atLeast ?? 0);
      case "refresh_token":
        return this.#again(entry, "unauthorized", problem, 0);
      case "ask_later":
        return this.#againAfter(entry, "outcome_unknown", problem, pauseBetweenQuestions(entry.retryCount));
      case "look_up": {
        const known = await this.#lookUp(entry, entry.firstSentAt ?? this.#clock.now(), signal);
        return known ?? failed(entry, "expired", problem, response);
      }
      default:
        return failed(entry, decision.reason ?? "rejected", problem, response);
    }
  }

  /**
   * @param {StoredEntry} entry
   * @param {string} reason
   * @param {string} problem
   * @param {number} atLeast
   */
  #again(entry, reason, problem, atLeast) {
    return this.#againAfter(entry, reason, problem, pauseAfter(entry.retryCount, atLeast));
  }

  /**
   * @param {StoredEntry} entry
   * @param {string} reason
   * @param {string} problem
   * @param {number} millis
   * @returns {Result}
   */
  #againAfter(entry, reason, problem, millis) {
    const retryCount = entry.retryCount + 1;
    if (retryCount >= this.#settings.giveUpAttempts) {
      return failed(entry, "gave_up", `attempt ${retryCount} failed: ${reason}, ${problem}`);
    }
    const nextRetryAt = this.#clock.now() + millis;
    return { kind: "again", entry: { ...entry, retryCount, nextRetryAt, reason, lastError: errorOf(reason, problem) } };
  }
}

/**
 * Whether a person has decided that the entry is sent again, and it was not since. It then has one attempt, however old it is.
 *
 * @param {StoredEntry} entry
 */
function isRetriedByAPerson(entry) {
  return entry.retryCount === 0 && entry.lastError !== undefined;
}

/**
 * @param {StoredEntry} entry
 * @param {{ status: number, body: string } | undefined} response
 * @returns {Result}
 */
function confirmed({ reason, lastError, ...entry }, response) {
  return { kind: "confirmed", entry: { ...entry, status: "confirmed", response } };
}

/**
 * @param {StoredEntry} entry
 * @param {string} reason
 * @param {string} problem
 * @param {{ status: number, body: string }} [response]
 * @returns {Result}
 */
function failed(entry, reason, problem, response) {
  return { kind: "failed", entry: { ...entry, status: "failed", reason, lastError: errorOf(reason, problem), response } };
}

/**
 * @param {string} reason
 * @param {string} problem
 */
function errorOf(reason, problem) {
  const text = `${reason}: ${problem}`;
  return text.length <= LONGEST_ERROR ? text : `${text.slice(0, LONGEST_ERROR)}…`;
}
