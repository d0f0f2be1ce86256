/**
 * Sends the entries of an outbox while this tab is the sender. The entries of a lane are sent in order, one at a time; several lanes at the
 * same time. A lane rests if it has no entry or a failed one, and waits if its first entry is due later.
 */

import { isOfNetwork } from "./decisions.js";
import { OutboxError } from "./errors.js";
import { LostEpochError } from "./store.js";
import { pause } from "./clock.js";

/** A lane lets others go first after so many entries. */
const MOST_ENTRIES = 128;

/** Clocks are set back so far all the time. */
const SMALL_CORRECTION = 1000;

/** The longest timer: a computer that sleeps stops timers, and its clock jumps. */
const LONGEST_TIMER = 15_000;

/** How often all lanes are searched, as a message of a tab that was closed may be lost. */
const BETWEEN_SEARCHES = 30_000;

const BETWEEN_SWEEPS = 6 * 60 * 60 * 1000;
const AFTER_FAILURE = 2000;
const WHEN_FULL = 32_000;

/** How long attempts in progress may take when the outbox is closed. */
const CLOSING = 10_000;

/**
 * @typedef {import("./store.js").StoredEntry} StoredEntry
 * @typedef {object} SenderSettings
 * @property {number} parallel how many lanes are sent at the same time
 * @property {number} keepConfirmed how long confirmed entries are kept, in milliseconds
 *
 * @typedef {object} SenderEvents
 * @property {(entry: StoredEntry, change: string) => void} changed
 * @property {() => void} lostEpoch another tab sends
 * @property {(error: unknown) => void} failed
 */

/** @param {unknown} error */
function isFull(error) {
  return error instanceof OutboxError && error.code === "storage_full";
}

export class Sender {
  #store;
  #attempts;
  #settings;
  #clock;
  #events;
  #epoch;

  /** Lanes that run. @type {Map<string, { isOfferedAgain: boolean }>} */
  #running = new Map();
  /** Lanes that can run, in the order in which they were offered. @type {Set<string>} */
  #ready = new Set();
  /** When lanes that wait are due. @type {Map<string, number>} */
  #waiting = new Map();
  /** Stops attempts in progress. */
  #cutOff = new AbortController();
  #isStopped = false;
  #networkSince = -Infinity;
  /** @type {any} */
  #timer;
  #timerDue = Infinity;
  #lastTick = 0;
  #nextSearch = 0;
  #nextSweep = 0;
  #idle = () => {};

  /**
   * @param {import("./store.js").EntryStore} store
   * @param {import("./attempts.js").Attempts} attempts
   * @param {SenderSettings} settings
   * @param {import("./clock.js").Clock} clock
   * @param {SenderEvents} events
   * @param {number} epoch
   */
  constructor(store, attempts, settings, clock, events, epoch) {
    this.#store = store;
    this.#attempts = attempts;
    this.#settings = settings;
    this.#clock = clock;
    this.#events = events;
    this.#epoch = epoch;
  }

  /**
   * Sends until the signal is aborted.
   *
   * @param {AbortSignal} ended
   * @param {() => boolean} isClosing whether attempts in progress may end; otherwise another tab has taken over
   */
  async run(ended, isClosing) {
    if (!ended.aborted) {
      this.#tick();
      await new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
    }
    this.#isStopped = true;
    this.#clock.clearTimeout(this.#timer);
    if (isClosing() && this.#running.size > 0) {
      const enough = new AbortController();
      this.#idle = () => enough.abort();
      await pause(this.#clock, CLOSING, enough.signal);
    }
    this.#cutOff.abort();
  }

  /**
   * A lane may have something to send.
   *
   * @param {string} lane
   */
  offer(lane) {
    const run = this.#running.get(lane);
    if (run !== undefined) {
      run.isOfferedAgain = true;
      return;
    }
    this.#waiting.delete(lane);
    this.#ready.add(lane);
    this.#startLanes();
  }

  /** Ends the pauses of entries that failed for want of a network or of a token. */
  wake() {
    this.#networkSince = this.#clock.now();
    this.#nextSearch = 0;
    for (const lane of [...this.#waiting.keys()]) {
      this.offer(lane);
    }
    this.check();
  }

  /** Starts what is due, after timers may have been late. */
  check() {
    if (!this.#isStopped) {
      this.#clock.clearTimeout(this.#timer);
      this.#tick();
    }
  }

  #tick() {
    this.#timerDue = Infinity;
    const now = this.#clock.now();
    if (now >= this.#nextSearch || this.#nextSearch - now > BETWEEN_SEARCHES) {
      this.#nextSearch = now + BETWEEN_SEARCHES;
      this.#search();
    }
    if (now >= this.#nextSweep || this.#nextSweep - now > BETWEEN_SWEEPS) {
      this.#nextSweep = now + BETWEEN_SWEEPS;
      this.#store.purge(now - this.#settings.keepConfirmed).catch(this.#events.failed);
    }
    let next = this.#nextSearch;
    const isSetBack = now + SMALL_CORRECTION < this.#lastTick;
    this.#lastTick = now;
    for (const [lane, due] of [...this.#waiting]) {
      if (due <= now || isSetBack) {
        this.offer(lane); // it checks when it is due
      } else {
        next = Math.min(next, due);
      }
    }
    this.#wakeAt(next);
  }

  /**
   * Sets the timer, if it is not due earlier already.
   *
   * @param {number} time
   */
  #wakeAt(time) {
    if (!this.#isStopped && time < this.#timerDue) {
      const now = this.#clock.now();
      this.#timerDue = Math.min(time, now + LONGEST_TIMER);
      this.#clock.clearTimeout(this.#timer);
      this.#timer = this.#clock.setTimeout(() => this.#tick(), Math.max(0, this.#timerDue - now));
    }
  }

  /** Offers all lanes that have entries. */
  #search() {
    this.#store.lanes().then(
      (lanes) => lanes.filter((lane) => !this.#waiting.has(lane)).forEach((lane) => this.offer(lane)),
      (e) => {
        if (!this.#isStopped) {
          this.#nextSearch = this.#clock.now() + AFTER_FAILURE;
          this.#wakeAt(this.#nextSearch);
          this.#events.failed(e);
        }
      },
    );
  }

  #startLanes() {
    for (const lane of this.#ready) {
      if (this.#isStopped || this.#running.size >= this.#settings.parallel) {
        return;
      }
      this.#ready.delete(lane);
      this.#start(lane);
    }
  }

  /** @param {string} lane */
  async #start(lane) {
    const state = { isOfferedAgain: false };
    this.#running.set(lane, state);
    /** @type {number | null} when the lane runs again; null if it rests */
    let due;
    try {
      due = await this.#runLane(lane);
    } catch (e) {
      due = this.#clock.now() + (isFull(e) ? WHEN_FULL : AFTER_FAILURE);
      if (e instanceof LostEpochError) {
        this.#isStopped = true;
        this.#events.lostEpoch();
      } else if (!this.#isStopped) {
        this.#events.failed(e);
      }
    }
    this.#running.delete(lane);
    if (this.#isStopped) {
      if (this.#running.size === 0) {
        this.#idle();
      }
      return;
    }
    if (state.isOfferedAgain || (due !== null && due <= this.#clock.now())) {
      this.#ready.add(lane);
    } else if (due !== null) {
      this.#waiting.set(lane, due);
      this.#wakeAt(due);
    }
    this.#startLanes();
  }

  /**
   * Sends the entries of a lane. Returns when to run it again; null if it rests.
   *
   * @param {string} lane
   */
  async #runLane(lane) {
    let entry = await this.#store.head(lane);
    for (let sent = 0; entry !== undefined; sent++) {
      if (entry.status === "failed") {
        return null;
      }
      const now = this.#clock.now();
      const wait = this.#pauseBefore(entry, now);
      if (wait > 0) {
        return now + wait;
      }
      if (this.#isStopped || (sent >= MOST_ENTRIES && this.#ready.size > 0)) {
        return now;
      }
      this.#events.changed(entry, "sending");
      const result = await this.#attempts.attempt(entry, (marked) => this.#mark(marked), this.#cutOff.signal);
      if (result.kind === "stopped") {
        entry = this.#isStopped ? undefined : await this.#store.head(lane);
      } else if (result.kind === "confirmed") {
        entry = await this.#confirm(result.entry);
      } else {
        const stored = await this.#store.update(this.#epoch, { ...result.entry, updatedAt: this.#clock.now() });
        if (stored !== undefined) {
          this.#events.changed(stored, stored.status === "failed" ? "failed" : "waiting");
          return stored.status === "failed" ? null : stored.nextRetryAt;
        }
        entry = await this.#store.head(lane); // it was discarded
      }
    }
    return null;
  }

  /**
   * Stores that an entry is being sent; returns undefined if it was discarded. If the storage is full, the entry is sent nevertheless: that makes
   * space.
   *
   * @param {StoredEntry} entry
   */
  async #mark(entry) {
    try {
      return await this.#store.mark(this.#epoch, entry);
    } catch (e) {
      if (!isFull(e)) {
        throw e;
      }
      this.#events.failed(e);
      return entry;
    }
  }

  /**
   * Stores that an entry is confirmed; returns the next one of its lane.
   *
   * @param {StoredEntry} confirmed
   */
  async #confirm(confirmed) {
    let result;
    try {
      result =
        this.#settings.keepConfirmed > 0
          ? await this.#store.confirm(this.#epoch, confirmed, this.#clock.now())
          : await this.#store.forget(this.#epoch, confirmed);
    } catch (e) {
      if (!isFull(e)) {
        throw e;
      }
      this.#events.failed(e);
      result = await this.#store.forget(this.#epoch, confirmed);
    }
    if (result.isStored) {
      this.#events.changed(confirmed, "confirmed");
    }
    return result.next;
  }

  /**
   * Returns how long to wait before an entry is sent. If the clock was set back since it was written, it is due: nobody knows for how long.
   *
   * @param {StoredEntry} entry
   * @param {number} now
   */
  #pauseBefore(entry, now) {
    if (entry.retryCount === 0 || entry.reason === undefined) {
      return 0;
    }
    const isWoken = isOfNetwork(entry.reason) || entry.reason === "unauthorized";
    if ((isWoken && entry.updatedAt <= this.#networkSince) || now + SMALL_CORRECTION < entry.updatedAt) {
      return 0;
    }
    return Math.max(0, entry.nextRetryAt - now);
  }
}
