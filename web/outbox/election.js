/**
 * Elects the tab that sends. The tab with the Web Lock of the outbox is the sender; the others wait for the lock, which the browser gives to
 * the next tab when the sender's is closed or crashes. A tab that is frozen keeps its lock. So while there is something to send, the other tabs
 * ask for a heartbeat, which the sender writes to the database. If there is none for some time, a tab begins a new epoch, and steals the
 * lock. Every write of a sender checks that its epoch is the current one.
 */

import { storageError } from "./errors.js";
import { pause } from "./clock.js";
import { LostEpochError } from "./store.js";

/** How often other tabs ask for a heartbeat. */
const BETWEEN_CHECKS = 3000;

/** A sender that has not responded to so many requests is silent. Hidden tabs check once a minute, so this counts checks and not time. */
const MOST_SILENT_CHECKS = 3;

const AFTER_FAILURE = 2000;

export class Election {
  #name;
  #store;
  #clock;
  #events;
  #closing = new AbortController();
  #done;
  /** @type {{ epoch: number, ended: AbortController } | undefined} */
  #term;

  /**
   * @param {string} name name of the lock
   * @param {import("./store.js").EntryStore} store
   * @param {import("./clock.js").Clock} clock
   * @param {object} events
   * @param {(epoch: number, ended: AbortSignal) => Promise<void>} events.send called when this tab becomes the sender; the lock is kept until
   *   the promise is resolved, which has to happen when the signal is aborted
   * @param {() => void} events.askForHeartbeat
   * @param {(error: unknown) => void} events.failed
   */
  constructor(name, store, clock, events) {
    this.#name = name;
    this.#store = store;
    this.#clock = clock;
    this.#events = events;
    this.#done = this.#run();
  }

  /** Whether this tab is the sender. */
  get isSender() {
    return this.#term !== undefined;
  }

  /** Another tab asks whether this one is alive. */
  heartbeatRequested() {
    const term = this.#term;
    if (term !== undefined) {
      this.#store.beat(term.epoch).catch((e) => {
        if (e instanceof LostEpochError) {
          term.ended.abort();
        } // otherwise another tab takes over if it goes on
      });
    }
  }

  /** Ends the term of this tab, if it is the sender. */
  endTerm() {
    this.#term?.ended.abort();
  }

  /** Gives the lock back. */
  async close() {
    this.#closing.abort();
    this.endTerm();
    await this.#done;
  }

  async #run() {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const candidate = new AbortController();
      signal.addEventListener("abort", () => candidate.abort(), { signal: candidate.signal });
      /** @type {number | undefined} */
      let stolenEpoch;
      const watching = this.#watch(candidate.signal).then((epoch) => {
        stolenEpoch = epoch;
        candidate.abort();
      });
      const wasGranted = await this.#hold({ signal: candidate.signal }, undefined, candidate);
      candidate.abort();
      await watching;
      if (!wasGranted && stolenEpoch !== undefined && !signal.aborted) {
        await this.#hold({ steal: true }, stolenEpoch, candidate);
      }
    }
  }

  /**
   * Waits for the lock, and keeps it while this tab sends. Returns whether it was granted.
   *
   * @param {LockOptions} options
   * @param {number | undefined} epoch the epoch that has begun; undefined to begin one
   * @param {AbortController} candidate aborted when the lock is granted
   */
  async #hold(options, epoch, candidate) {
    const ended = new AbortController();
    let wasGranted = false;
    try {
      await navigator.locks.request(this.#name, options, async () => {
        wasGranted = true;
        candidate.abort();
        await this.#reign(epoch, ended);
      });
    } catch (e) {
      const isExpected = this.#closing.signal.aborted || (e instanceof DOMException && e.name === "AbortError");
      if (!isExpected) {
        this.#events.failed(storageError(e));
        await pause(this.#clock, AFTER_FAILURE, this.#closing.signal);
      }
    } finally {
      ended.abort(); // the lock was given back, or another tab has stolen it
    }
    return wasGranted;
  }

  /**
   * @param {number | undefined} given
   * @param {AbortController} ended
   */
  async #reign(given, ended) {
    if (this.#closing.signal.aborted) {
      return;
    }
    const epoch = given ?? /** @type {number} */ (await this.#store.newEpoch());
    const term = { epoch, ended };
    this.#term = term;
    try {
      if (!this.#closing.signal.aborted) {
        await this.#events.send(epoch, ended.signal);
      }
    } finally {
      if (this.#term === term) {
        this.#term = undefined;
      }
    }
  }

  /**
   * Watches the sender while this tab waits. Returns the number of a new epoch if the sender is silent although there is something to send;
   * undefined when the signal is aborted.
   *
   * @param {AbortSignal} signal
   */
  async #watch(signal) {
    let seen = { epoch: -1, beat: -1 };
    let silent = 0;
    while (!signal.aborted) {
      await pause(this.#clock, BETWEEN_CHECKS, signal);
      if (signal.aborted) {
        return undefined;
      }
      try {
        const sender = await this.#store.sender();
        const isSilent = sender.epoch === seen.epoch && sender.beat === seen.beat;
        silent = isSilent ? silent + 1 : 0;
        seen = sender;
        if (silent > MOST_SILENT_CHECKS) {
          const epoch = signal.aborted ? undefined : await this.#store.newEpoch(sender);
          if (epoch !== undefined) {
            return epoch;
          }
        } else if ((await this.#store.counts()).pending > 0) {
          this.#events.askForHeartbeat();
        } else {
          silent = 0;
        }
      } catch (e) {
        if (!signal.aborted) {
          this.#events.failed(e);
        }
      }
    }
    return undefined;
  }
}
