/**
 * A durable queue of HTTP requests in the browser. Each request takes effect once: it is stored in IndexedDB with its idempotency key, and
 * sent with this key until the API confirms it, by one tab at a time. See docs/guides/browser-outbox.md of Semel.
 */

import { Attempts } from "./attempts.js";
import { SYSTEM_CLOCK } from "./clock.js";
import { proofOf } from "./decisions.js";
import { Election } from "./election.js";
import { OutboxError } from "./errors.js";
import { idempotencyKey, tid62, uuid4 } from "./ids.js";
import { KeyLife } from "./keylife.js";
import { checkRequest, payloadOf } from "./request.js";
import { Sender } from "./sender.js";
import { EntryStore } from "./store.js";
import { Tokens } from "./tokens.js";
import { Transport } from "./transport.js";

export { OutboxError, tid62, uuid4 };

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const NAME = /^[a-z0-9_]{1,32}$/;

/**
 * @param {import("./store.js").StoredEntry} stored
 * @returns {import("./outbox.js").OutboxEntry}
 */
function entryOf(stored) {
  return {
    id: stored.id,
    idempotencyKey: stored.idempotencyKey,
    clientTxId: stored.clientTxId,
    operation: stored.operation,
    method: stored.method,
    endpoint: stored.endpoint,
    contentType: stored.contentType,
    payload: payloadOf(stored),
    lane: stored.lane,
    status: stored.status,
    retryCount: stored.retryCount,
    nextRetryAt: new Date(stored.nextRetryAt),
    createdAt: new Date(stored.createdAt),
    ...(stored.firstSentAt === undefined ? {} : { firstSentAt: new Date(stored.firstSentAt) }),
    ...(stored.reason === undefined ? {} : { reason: stored.reason }),
    ...(stored.lastError === undefined ? {} : { lastError: stored.lastError }),
    ...(stored.response === undefined ? {} : { response: stored.response }),
  };
}

/**
 * @param {string} option
 * @param {unknown} value
 * @param {number} fallback
 * @param {number} [least]
 */
function numberOf(option, value, fallback, least = 1) {
  const number = value ?? fallback;
  if (typeof number !== "number" || !(number >= least)) {
    throw new OutboxError("invalid", `The option ${option} must be a number from ${least} on, not ${number}`);
  }
  return number;
}

/** @param {unknown} base */
function originOf(base) {
  const text = String(base);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol) || (url.href !== `${url.origin}/`)) {
    throw new OutboxError("invalid", `The base must be the origin of the API, such as https://api.example.com, not '${text}'`);
  }
  return url.origin;
}

/**
 * An outbox of one user. Any number of tabs may use it; one of them sends.
 *
 * It dispatches `change` events, a `CustomEvent` whose `detail` has the `id`, `clientTxId`, `operation`, `lane` and `status` of an entry and
 * what happened to it (`change`: `added`, `sending`, `waiting`, `failed`, `confirmed`, `retried`, `discarded` or `purged`), in all tabs; and
 * `error` events, whose `detail` is an `OutboxError`, if the storage fails in the background.
 */
export class Outbox extends EventTarget {
  #base;
  #user;
  #clock;
  #store;
  #tokens;
  #channel;
  #election;
  /** @type {Sender | undefined} */
  #sender;
  #isClosed = false;
  #listening = new AbortController();

  /** @param {import("./outbox.js").OutboxOptions} [options] */
  constructor(options = {}) {
    super();
    const name = options.name ?? "outbox";
    if (!NAME.test(name)) {
      throw new OutboxError("invalid", `The name of an outbox must have 1 to 32 characters of a-z, 0-9 and _, not '${name}'`);
    }
    if (options.user !== undefined && (typeof options.user !== "string" || options.user === "")) {
      throw new OutboxError("invalid", "The user must be a text that is not empty");
    }
    if (globalThis.navigator?.locks === undefined || globalThis.indexedDB === undefined || globalThis.BroadcastChannel === undefined) {
      throw new OutboxError("storage_unavailable", "An outbox needs IndexedDB, Web Locks and BroadcastChannel, which browsers offer on pages of https and localhost");
    }
    this.#base = originOf(options.base ?? globalThis.location.origin);
    this.#user = options.user;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    const timeout = numberOf("timeout", options.timeout, 30_000);
    const settings = {
      proof: proofOf(options.proof),
      canAsk: options.canAsk ?? true,
      ifExpired: options.ifExpired ?? "fail",
      giveUpAttempts: numberOf("giveUpAfter.attempts", options.giveUpAfter?.attempts, Infinity),
      giveUpAge: numberOf("giveUpAfter.age", options.giveUpAfter?.age, Infinity),
      parallel: numberOf("parallel", options.parallel, 4),
      keepConfirmed: numberOf("keepConfirmed", options.keepConfirmed, 7 * DAY, 0),
    };
    const keyLife = numberOf("keyLife", options.keyLife, DAY);
    const tombstoneLife = numberOf("tombstoneLife", options.tombstoneLife, 30 * DAY, 0);

    const id = `semel-outbox:${name}${this.#user === undefined ? "" : `:${this.#user}`}`;
    const failed = (/** @type {unknown} */ error) => this.#failed(error);
    this.#store = new EntryStore(id, failed);
    this.#tokens = new Tokens(options.token, this.#user, timeout, this.#clock);
    this.#channel = new BroadcastChannel(id);
    this.#channel.onmessage = (event) => this.#received(event.data);
    this.#election = new Election(id, this.#store, this.#clock, {
      send: async (epoch, ended) => {
        const life = new KeyLife(this.#store, keyLife, tombstoneLife);
        await life.read();
        const transport = new Transport(this.#base, timeout, this.#clock);
        const attempts = new Attempts(settings, transport, this.#tokens, life, this.#clock);
        const events = {
          changed: (/** @type {import("./store.js").StoredEntry} */ entry, /** @type {string} */ change) => this.#changed(entry, change),
          lostEpoch: () => this.#election.endTerm(),
          failed,
        };
        const sender = new Sender(this.#store, attempts, settings, this.#clock, events, epoch);
        this.#sender = sender;
        try {
          await sender.run(ended, () => this.#isClosed);
        } finally {
          if (this.#sender === sender) {
            this.#sender = undefined;
          }
        }
      },
      askForHeartbeat: () => this.#post({ ask: "heartbeat" }),
      failed,
    });
    this.#listen();
  }

  /** Timers are late in hidden tabs and after the computer has slept. */
  #listen() {
    const { signal } = this.#listening;
    globalThis.addEventListener?.("online", () => this.wake(), { signal });
    globalThis.addEventListener?.("focus", () => this.#sender?.check(), { signal });
    globalThis.document?.addEventListener("visibilitychange", () => this.#sender?.check(), { signal });
    globalThis.document?.addEventListener("resume", () => this.#sender?.check(), { signal });
  }

  /** Whether this tab is the one that sends. */
  get isSender() {
    return this.#election.isSender;
  }

  /** The user whose entries these are; undefined if none was given. */
  get user() {
    return this.#user;
  }

  /**
   * Adds an entry. When the promise is fulfilled, the entry is on disk, and is sent even if the tab is closed.
   *
   * @param {import("./outbox.js").OutboxRequest} request
   */
  async add(request) {
    const checked = checkRequest(request, this.#base);
    const now = this.#clock.now();
    /** @type {Omit<import("./store.js").StoredEntry, "seq">} */
    const entry = {
      ...checked,
      id: tid62(now),
      idempotencyKey: idempotencyKey(now),
      clientTxId: uuid4(),
      user: this.#user ?? this.#tokens.user,
      status: "pending",
      retryCount: 0,
      nextRetryAt: now,
      createdAt: now,
      updatedAt: now,
    };
    await this.#store.add(entry);
    const stored = /** @type {import("./store.js").StoredEntry} */ (entry);
    this.#changed(stored, "added");
    this.#sender?.offer(stored.lane);
    return entryOf(stored);
  }

  /**
   * Returns entries in the order of adding.
   *
   * @param {import("./outbox.js").EntryQuery} [query]
   */
  async entries(query = {}) {
    return (await this.#store.list(query)).map(entryOf);
  }

  /**
   * Returns the entry with an id; undefined if there is none, or if it was confirmed and has expired.
   *
   * @param {string} id
   */
  async find(id) {
    const stored = await this.#store.find(id);
    return stored === undefined ? undefined : entryOf(stored);
  }

  /** Counts the entries of each status without reading them. */
  counts() {
    return this.#store.counts();
  }

  /**
   * Lets a failed entry be sent again, with the same key. Its lane continues with it.
   *
   * @param {string} id
   * @returns {Promise<boolean>} false if there is no such entry, or if it has not failed
   */
  async retry(id) {
    return this.#decided(await this.#store.retry(id, this.#clock.now()), "retried");
  }

  /**
   * Deletes an entry that is pending or has failed. Its lane continues with the next one. If the entry is being sent, or was sent before, the
   * API may have processed it.
   *
   * @param {string} id
   * @returns {Promise<boolean>} false if there is no such entry
   */
  async discard(id) {
    return this.#decided(await this.#store.discard(id), "discarded");
  }

  /**
   * @param {import("./store.js").StoredEntry | undefined} entry
   * @param {string} change
   */
  #decided(entry, change) {
    if (entry === undefined) {
      return false;
    }
    this.#changed(entry, change);
    this.#sender?.offer(entry.lane);
    return true;
  }

  /**
   * Deletes confirmed entries.
   *
   * @param {number} [olderThan] how long ago they were confirmed at least, in milliseconds
   * @returns {Promise<number>} how many were deleted
   */
  async purge(olderThan = 0) {
    const purged = await this.#store.purge(this.#clock.now() - numberOf("olderThan", olderThan, 0, 0));
    if (purged > 0) {
      this.#report({ change: "purged" });
    }
    return purged;
  }

  /** Ends the pauses of entries that failed for want of a network or of a token. Called by itself when the browser is online again. */
  wake() {
    this.#sender?.wake();
    this.#post({ ask: "wake" });
  }

  /**
   * Stops to send in this tab, and releases its resources. Entries stay; another tab sends them, or this one when it has an outbox again.
   * Attempts in progress have ten seconds to end.
   */
  async close() {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#listening.abort();
      await this.#election.close();
      await this.#store.close();
      this.#channel.close();
    }
  }

  /** Closes the outbox, and deletes it with all its entries, in all tabs. */
  async destroy() {
    await this.close();
    await this.#store.destroy();
  }

  /**
   * @param {import("./store.js").StoredEntry} entry
   * @param {string} change
   */
  #changed(entry, change) {
    const { id, clientTxId, operation, lane, status, reason } = entry;
    this.#report({ change, id, clientTxId, operation, lane, status, reason });
  }

  /** @param {Record<string, unknown>} detail */
  #report(detail) {
    this.#post({ detail });
    this.dispatchEvent(new CustomEvent("change", { detail }));
  }

  /** @param {unknown} message */
  #post(message) {
    try {
      this.#channel.postMessage(message);
    } catch {
      // the outbox is closed
    }
  }

  /** @param {{ detail?: { change: string, lane?: string }, ask?: string }} message */
  #received({ detail, ask }) {
    if (ask === "heartbeat") {
      this.#election.heartbeatRequested();
    } else if (ask === "wake") {
      this.#sender?.wake();
    } else if (detail !== undefined) {
      if (detail.lane !== undefined && ["added", "retried", "discarded"].includes(detail.change)) {
        this.#sender?.offer(detail.lane);
      }
      this.dispatchEvent(new CustomEvent("change", { detail }));
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    if (!this.#isClosed) {
      this.dispatchEvent(new CustomEvent("error", { detail: error }));
    }
  }
}
