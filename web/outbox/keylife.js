import { dateOf } from "./decisions.js";

const LONGEST_MARGIN = 5 * 60 * 1000;
const LONGEST = 3650 * 24 * 60 * 60 * 1000;

/**
 * How long the API keeps keys and tombstones. The life of keys is learned from `Idempotency-Expires`, and stored; until there was such a
 * response, a setting applies.
 */
export class KeyLife {
  #store;
  #keys;
  #tombstones;

  /**
   * @param {import("./store.js").EntryStore} store
   * @param {number} keys the life of keys while nothing is known, in milliseconds
   * @param {number} tombstones the life of tombstones, from the end of the key's life on
   */
  constructor(store, keys, tombstones) {
    this.#store = store;
    this.#keys = keys;
    this.#tombstones = tombstones;
  }

  /** Reads what was learned before. */
  async read() {
    this.#keys = (await this.#store.keyLife()) ?? this.#keys;
  }

  /**
   * Learns from the first response to a request. Both times are of the API's clock, as the clock of this machine may be wrong.
   *
   * @param {import("./decisions.js").Received} response
   */
  learn({ headers }) {
    const expires = headers.get("Idempotency-Expires");
    const sent = dateOf(headers.get("Date") ?? "");
    if (headers.has("Idempotency-Replayed") || expires === null || sent === null) {
      return;
    }
    const life = Date.parse(expires) - sent;
    if (life > 0 && life < LONGEST && Math.abs(life - this.#keys) > this.#keys / 10) {
      this.#keys = life;
      this.#store.setKeyLife(life).catch(() => {}); // it is learned again
    }
  }

  /**
   * Whether the API may have deleted the key of a request. A time in the future shows that the clock was set back.
   *
   * @param {number} firstSentAt
   * @param {number} now
   */
  mayBeOver(firstSentAt, now) {
    const age = now - firstSentAt;
    return age >= this.#keys - this.#margin() || age < -this.#margin();
  }

  /**
   * Whether the API may have deleted the tombstone, too.
   *
   * @param {number} firstSentAt
   * @param {number} now
   */
  mayBeForgotten(firstSentAt, now) {
    return now - firstSentAt >= this.#keys + this.#tombstones - this.#margin();
  }

  #margin() {
    return Math.min(this.#keys / 10, LONGEST_MARGIN);
  }
}
