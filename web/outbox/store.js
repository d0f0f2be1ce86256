/**
 * The entries of an outbox in IndexedDB.
 *
 * - `queue`: pending and failed entries. Keys are numbers in the order of adding, also across tabs, since transactions that write are serial.
 *   The index `lane` has the entries of each lane in that order.
 * - `done`: confirmed entries, until they expire.
 * - `meta`: `sender`, the epoch of the tab that sends and its latest heartbeat; `keyLife`, which was learned from the API.
 *
 * Each write of the sender checks its epoch in the same transaction, so that a tab that has lost its right to send cannot write.
 */

import { OutboxError, storageError } from "./errors.js";

/**
 * An entry as it is stored. Times are in milliseconds since 1970.
 *
 * @typedef {import("./request.js").StoredRequest & {
 *   seq: number, id: string, idempotencyKey: string, clientTxId: string, user?: string, status: "pending" | "failed" | "confirmed",
 *   retryCount: number, nextRetryAt: number, createdAt: number, updatedAt: number, firstSentAt?: number, reason?: string,
 *   lastError?: string, response?: { status: number, body: string }, confirmedAt?: number
 * }} StoredEntry
 *
 * @typedef {{ epoch: number, beat: number }} Sender
 */

const FORMAT = 1;
const QUEUE = "queue";
const DONE = "done";
const META = "meta";
const SENDER = "sender";
const KEY_LIFE = "keyLife";

/** How long another tab may keep the database from being opened before that is reported. */
const BLOCKED_MILLIS = 5000;

/** Thrown in a transaction of a sender that is not the sender any more. */
export class LostEpochError extends Error {}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
function completion(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException("The transaction was aborted", "AbortError"));
  });
}

/**
 * All keys `[lane, seq]` of a lane.
 *
 * @param {string} lane
 */
function ofLane(lane) {
  return IDBKeyRange.bound([lane, 0], [lane, []], false, true);
}

export class EntryStore {
  /** @type {Promise<IDBDatabase> | undefined} */
  #database;
  #isClosed = false;
  #name;
  #onLost;

  /**
   * @param {string} name name of the database
   * @param {(error: OutboxError) => void} onLost is notified when the database was closed by the browser, deleted, or upgraded
   */
  constructor(name, onLost) {
    this.#name = name;
    this.#onLost = onLost;
  }

  /** @returns {Promise<IDBDatabase>} */
  #open() {
    if (this.#isClosed) {
      return Promise.reject(new OutboxError("closed", "The outbox is closed"));
    }
    if (this.#database === undefined) {
      const opening = this.#request();
      this.#database = opening;
      opening.catch(() => this.#forget(opening));
    }
    return this.#database;
  }

  /** @param {Promise<IDBDatabase>} database */
  #forget(database) {
    if (this.#database === database) {
      this.#database = undefined;
    }
  }

  /** @returns {Promise<IDBDatabase>} */
  #request() {
    const opening = new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, FORMAT);
      let isLate = false;
      const blocked = () => {
        isLate = true;
        reject(new OutboxError("storage_blocked", "Another tab keeps the storage of the outbox from being opened: close it or reload it"));
      };
      const timer = setTimeout(blocked, BLOCKED_MILLIS);
      request.onblocked = blocked;
      request.onupgradeneeded = () => create(request.result);
      request.onerror = () => {
        clearTimeout(timer);
        reject(storageError(request.error));
      };
      request.onsuccess = () => {
        clearTimeout(timer);
        if (isLate) {
          request.result.close();
        } else {
          resolve(request.result);
        }
      };
    }).catch((e) => {
      throw storageError(e); // also what indexedDB.open throws, if the browser has no storage for this page
    });
    return opening.then((/** @type {IDBDatabase} */ database) => {
      database.onclose = () => this.#lost("The browser has closed or deleted the storage of the outbox");
      database.onversionchange = (event) => {
        database.close();
        const isDeleted = event.newVersion === null;
        this.#lost(isDeleted ? "The storage of the outbox is deleted" : "A newer version of the outbox needs its storage: reload the page");
      };
      if (this.#isClosed) {
        database.close();
        throw new OutboxError("closed", "The outbox is closed");
      }
      return database;
    });
  }

  /** @param {string} message */
  #lost(message) {
    this.#database = undefined; // opened again by the next operation
    this.#onLost(new OutboxError("storage_unavailable", message));
  }

  async close() {
    this.#isClosed = true;
    const database = await this.#database?.catch(() => undefined);
    database?.close();
  }

  /** Deletes the database with all entries. Other tabs close theirs. */
  async destroy() {
    await this.close();
    const request = indexedDB.deleteDatabase(this.#name);
    await new Promise((resolve, reject) => {
      request.onsuccess = resolve;
      request.onerror = () => reject(storageError(request.error));
      request.onblocked = () => {}; // until the other tabs have closed it
    });
  }

  /**
   * Runs a transaction. The work awaits requests of the transaction only.
   *
   * @template T
   * @param {string[]} stores
   * @param {IDBTransactionMode} mode
   * @param {(transaction: IDBTransaction) => Promise<T>} work
   * @param {IDBTransactionDurability} [durability]
   * @returns {Promise<T>}
   */
  async #run(stores, mode, work, durability = "strict") {
    const transaction = await this.#begin(stores, mode, durability);
    const completed = completion(transaction);
    completed.catch(() => {}); // reported below
    let value;
    try {
      value = await work(transaction);
    } catch (e) {
      try {
        transaction.abort();
      } catch {
        // it has ended already
      }
      await completed.catch(() => {});
      throw e instanceof LostEpochError ? e : storageError(e);
    }
    try {
      await completed;
    } catch (e) {
      throw storageError(e);
    }
    return value;
  }

  /**
   * @param {string[]} stores
   * @param {IDBTransactionMode} mode
   * @param {IDBTransactionDurability} durability
   */
  async #begin(stores, mode, durability) {
    const opening = this.#open();
    try {
      return (await opening).transaction(stores, mode, { durability });
    } catch (e) {
      if (!(e instanceof DOMException && e.name === "InvalidStateError")) {
        throw storageError(e);
      }
    }
    this.#forget(opening); // the connection is closing: a new one
    try {
      return (await this.#open()).transaction(stores, mode, { durability });
    } catch (e) {
      throw storageError(e);
    }
  }

  /**
   * Adds an entry.
   *
   * @param {Omit<StoredEntry, "seq">} entry
   */
  add(entry) {
    return this.#run([QUEUE], "readwrite", async (tx) => {
      await result(tx.objectStore(QUEUE).add(entry));
    });
  }

  /**
   * @param {string} id
   * @returns {Promise<StoredEntry | undefined>}
   */
  find(id) {
    return this.#run([QUEUE, DONE], "readonly", async (tx) => {
      const queued = await result(tx.objectStore(QUEUE).index("id").get(id));
      return queued ?? (await result(tx.objectStore(DONE).index("id").get(id)));
    });
  }

  /**
   * Returns entries in the order of adding, one at a time read from the database.
   *
   * @param {{ status?: string, lane?: string, after?: string, limit?: number }} query
   * @returns {Promise<StoredEntry[]>}
   */
  list({ status, lane, after, limit = Infinity }) {
    return this.#run([QUEUE, DONE], "readonly", async (tx) => {
      const from = after === undefined ? 0 : await seqOf(tx, after);
      /** @type {StoredEntry[]} */
      const found = [];
      const stores = status === undefined ? [DONE, QUEUE] : [status === "confirmed" ? DONE : QUEUE];
      for (const store of stores) {
        let count = 0;
        const request = tx.objectStore(store).openCursor(IDBKeyRange.lowerBound(from, true));
        for (let cursor = await result(request); cursor !== null && count < limit; cursor = await result(request)) {
          /** @type {StoredEntry} */
          const entry = cursor.value;
          if ((status === undefined || entry.status === status) && (lane === undefined || entry.lane === lane)) {
            found.push(entry);
            count++;
          }
          cursor.continue();
        }
      }
      return found.sort((a, b) => a.seq - b.seq).slice(0, limit);
    });
  }

  /** Counts the entries of each status, without reading them. */
  counts() {
    return this.#run([QUEUE, DONE], "readonly", async (tx) => {
      const status = tx.objectStore(QUEUE).index("status");
      const [pending, failed, confirmed] = await Promise.all([
        result(status.count("pending")),
        result(status.count("failed")),
        result(tx.objectStore(DONE).count()),
      ]);
      return { pending, failed, confirmed };
    });
  }

  /** Returns the names of the lanes that have entries, reading keys only. */
  lanes() {
    return this.#run([QUEUE], "readonly", async (tx) => {
      /** @type {string[]} */
      const lanes = [];
      const request = tx.objectStore(QUEUE).index("lane").openKeyCursor();
      for (let cursor = await result(request); cursor !== null; cursor = await result(request)) {
        const lane = /** @type {[string, number]} */ (cursor.key)[0];
        lanes.push(lane);
        cursor.continue([lane, []]); // an array follows all numbers, so this is the next lane
      }
      return lanes;
    });
  }

  /**
   * Returns the first entry of a lane.
   *
   * @param {string} lane
   * @returns {Promise<StoredEntry | undefined>}
   */
  head(lane) {
    return this.#run([QUEUE], "readonly", (tx) => result(tx.objectStore(QUEUE).index("lane").get(ofLane(lane))));
  }

  /**
   * Lets a failed entry be sent again; returns it, or undefined if there is none.
   *
   * @param {string} id
   * @param {number} now
   * @returns {Promise<StoredEntry | undefined>}
   */
  retry(id, now) {
    return this.#run([QUEUE], "readwrite", async (tx) => {
      const queue = tx.objectStore(QUEUE);
      /** @type {StoredEntry | undefined} */
      const entry = await result(queue.index("id").get(id));
      if (entry?.status !== "failed") {
        return undefined;
      }
      if (entry.reason === "expired") {
        delete entry.firstSentAt; // a person has decided that it is sent as if for the first time
      }
      delete entry.reason;
      delete entry.response;
      const pending = { ...entry, status: /** @type {const} */ ("pending"), retryCount: 0, nextRetryAt: now, updatedAt: now };
      await result(queue.put(pending));
      return pending;
    });
  }

  /**
   * Deletes an entry that is pending or has failed; returns it.
   *
   * @param {string} id
   * @returns {Promise<StoredEntry | undefined>}
   */
  discard(id) {
    return this.#run([QUEUE], "readwrite", async (tx) => {
      const queue = tx.objectStore(QUEUE);
      /** @type {StoredEntry | undefined} */
      const entry = await result(queue.index("id").get(id));
      if (entry !== undefined) {
        await result(queue.delete(entry.seq));
      }
      return entry;
    });
  }

  /**
   * Deletes entries that were confirmed until a time; returns how many.
   *
   * @param {number} until
   */
  purge(until) {
    return this.#run([DONE], "readwrite", async (tx) => {
      const request = tx.objectStore(DONE).index("confirmedAt").openKeyCursor(IDBKeyRange.upperBound(until));
      let purged = 0;
      for (let cursor = await result(request); cursor !== null; cursor = await result(request)) {
        tx.objectStore(DONE).delete(cursor.primaryKey);
        purged++;
        cursor.continue();
      }
      return purged;
    });
  }

  /** @returns {Promise<Sender>} */
  sender() {
    return this.#run([META], "readonly", async (tx) => (await result(tx.objectStore(META).get(SENDER))) ?? { epoch: 0, beat: 0 });
  }

  /**
   * Begins a new epoch; returns its number, or undefined if the sender has shown that it is alive.
   *
   * @param {Sender} [seen] the sender that has been silent since; undefined if there is none
   * @returns {Promise<number | undefined>}
   */
  newEpoch(seen) {
    return this.#run([META], "readwrite", async (tx) => {
      const meta = tx.objectStore(META);
      /** @type {Sender} */
      const current = (await result(meta.get(SENDER))) ?? { epoch: 0, beat: 0 };
      if (seen !== undefined && (seen.epoch !== current.epoch || seen.beat !== current.beat)) {
        return undefined;
      }
      await result(meta.put({ epoch: current.epoch + 1, beat: 0 }, SENDER));
      return current.epoch + 1;
    });
  }

  /**
   * Writes a heartbeat. It need not survive a crash, as the sender does not.
   *
   * @param {number} epoch
   */
  beat(epoch) {
    return this.#run([META], "readwrite", (tx) => checkEpoch(tx, epoch), "relaxed");
  }

  /**
   * Marks an entry as sent, before it is sent; returns it, or undefined if it was discarded.
   *
   * @param {number} epoch
   * @param {StoredEntry} entry
   * @returns {Promise<StoredEntry | undefined>}
   */
  mark(epoch, entry) {
    return this.#change(epoch, entry.seq, async (queue, current) => {
      const marked = { ...current, firstSentAt: current.firstSentAt ?? entry.firstSentAt, user: entry.user };
      await result(queue.put(marked));
      return marked;
    });
  }

  /**
   * Writes an entry after an attempt; returns it, or undefined if it was discarded.
   *
   * @param {number} epoch
   * @param {StoredEntry} entry
   */
  update(epoch, entry) {
    return this.#change(epoch, entry.seq, async (queue) => {
      await result(queue.put(entry));
      return entry;
    });
  }

  /**
   * @template T
   * @param {number} epoch
   * @param {number} seq
   * @param {(queue: IDBObjectStore, current: StoredEntry) => Promise<T>} change
   * @returns {Promise<T | undefined>}
   */
  #change(epoch, seq, change) {
    return this.#run([META, QUEUE], "readwrite", async (tx) => {
      await checkEpoch(tx, epoch);
      const queue = tx.objectStore(QUEUE);
      const current = await result(queue.get(seq));
      return current === undefined ? undefined : change(queue, current);
    });
  }

  /**
   * Deletes an entry that is confirmed. This only deletes, so it also works if the storage is full.
   *
   * @param {number} epoch
   * @param {StoredEntry} entry
   * @returns {Promise<{ isStored: boolean, next: StoredEntry | undefined }>} `isStored` is false if the entry was discarded
   */
  forget(epoch, entry) {
    return this.#run([META, QUEUE], "readwrite", async (tx) => {
      await checkEpoch(tx, epoch, false);
      const queue = tx.objectStore(QUEUE);
      const isStored = (await result(queue.getKey(entry.seq))) !== undefined;
      await result(queue.delete(entry.seq));
      return { isStored, next: await result(queue.index("lane").get(ofLane(entry.lane))) };
    });
  }

  /**
   * Moves an entry to the confirmed ones, and marks the next one of its lane as sent, if it never was.
   *
   * @param {number} epoch
   * @param {StoredEntry} entry
   * @param {number} now
   * @returns {Promise<{ isStored: boolean, next: StoredEntry | undefined }>} `isStored` is false if the entry was discarded
   */
  confirm(epoch, entry, now) {
    return this.#run([META, QUEUE, DONE], "readwrite", async (tx) => {
      await checkEpoch(tx, epoch);
      const queue = tx.objectStore(QUEUE);
      const isStored = (await result(queue.getKey(entry.seq))) !== undefined;
      if (isStored) {
        await result(queue.delete(entry.seq));
        await result(tx.objectStore(DONE).put({ ...entry, confirmedAt: now }));
      }
      /** @type {StoredEntry | undefined} */
      let next = await result(queue.index("lane").get(ofLane(entry.lane)));
      if (next?.status === "pending" && next.firstSentAt === undefined && next.retryCount === 0) {
        next = { ...next, firstSentAt: now };
        await result(queue.put(next));
      }
      return { isStored, next };
    });
  }

  /** @returns {Promise<number | undefined>} */
  keyLife() {
    return this.#run([META], "readonly", (tx) => result(tx.objectStore(META).get(KEY_LIFE)));
  }

  /** @param {number} millis */
  setKeyLife(millis) {
    return this.#run([META], "readwrite", async (tx) => {
      await result(tx.objectStore(META).put(millis, KEY_LIFE));
    });
  }
}

/** @param {IDBDatabase} database */
function create(database) {
  const queue = database.createObjectStore(QUEUE, { keyPath: "seq", autoIncrement: true });
  queue.createIndex("id", "id", { unique: true });
  queue.createIndex("lane", ["lane", "seq"]);
  queue.createIndex("status", "status");
  const done = database.createObjectStore(DONE, { keyPath: "seq" });
  done.createIndex("id", "id", { unique: true });
  done.createIndex("confirmedAt", "confirmedAt");
  database.createObjectStore(META);
}

/**
 * Checks that a tab is still the sender, and counts a heartbeat.
 *
 * @param {IDBTransaction} tx
 * @param {number} epoch
 * @param {boolean} [beats] whether it counts a heartbeat
 */
async function checkEpoch(tx, epoch, beats = true) {
  const meta = tx.objectStore(META);
  /** @type {Sender | undefined} */
  const current = await result(meta.get(SENDER));
  if (current?.epoch !== epoch) {
    throw new LostEpochError(`Epoch ${epoch} has ended, and it is ${current?.epoch} now`);
  }
  if (beats) {
    await result(meta.put({ epoch, beat: current.beat + 1 }, SENDER));
  }
}

/**
 * @param {IDBTransaction} tx
 * @param {string} id
 */
async function seqOf(tx, id) {
  const key = (await result(tx.objectStore(QUEUE).index("id").getKey(id))) ?? (await result(tx.objectStore(DONE).index("id").getKey(id)));
  if (key === undefined) {
    throw new OutboxError("invalid", "There is no entry with the id given as after");
  }
  return key;
}
