/** The changes of the user in the outbox, by the post that they belong to. `change` events report that there are others. */

/**
 * @typedef {import("/assets/outbox/outbox.js").OutboxEntry} OutboxEntry
 * @typedef {"create_post" | "like" | "comment" | "delete_post"} Operation
 * @typedef {OutboxEntry & { postId: string, isSending: boolean }} Change
 */

const POST = /^\/v1\/feed\/posts\/([0-9A-Za-z]+)/;
const POSTS = "/v1/feed/posts";

/** The lane of all own posts, so that they arrive in the order of writing. */
const LANE = "posts";

export class Entries extends EventTarget {
  #outbox;
  /** @type {Map<string, Change>} */
  #changes = new Map();
  /** @type {Map<string, Change[]> | undefined} */
  #grouped;
  /** Own posts that are confirmed, with the request that created them, while its key is kept. @type {Map<string, Change>} */
  #created = new Map();

  /** @param {any} outbox */
  constructor(outbox) {
    super();
    this.#outbox = outbox;
    outbox.addEventListener("change", (/** @type {CustomEvent} */ event) => this.#changed(event.detail));
  }

  async start() {
    for (const entry of await this.#outbox.entries()) {
      this.#put(entry);
    }
    this.#changedAny();
  }

  /** @param {OutboxEntry} entry */
  #put(entry) {
    const postId = entry.operation === "create_post" ? entry.payload.id : (POST.exec(entry.endpoint)?.[1] ?? "");
    const change = { ...entry, postId, isSending: this.#changes.get(entry.id)?.isSending ?? false };
    if (entry.status === "confirmed") {
      this.#changes.delete(entry.id);
      if (entry.operation === "create_post") {
        this.#created.set(postId, change);
      }
    } else {
      this.#changes.set(entry.id, change);
    }
    return change;
  }

  /** @param {import("/assets/outbox/outbox.js").OutboxChange} detail */
  async #changed({ change, id = "" }) {
    const known = this.#changes.get(id);
    if (change === "sending" && known !== undefined) {
      known.isSending = true;
    } else if (change === "discarded") {
      this.#changes.delete(id);
    } else if (change === "purged") {
      return;
    } else {
      const entry = await this.#outbox.find(id);
      if (entry !== undefined) {
        const current = this.#put(entry);
        current.isSending = change === "sending";
        if (entry.status === "confirmed") {
          this.#grouped = undefined;
          this.dispatchEvent(new CustomEvent("confirmed", { detail: current }));
        }
      } else {
        this.#changes.delete(id);
      }
    }
    this.#changedAny();
  }

  /** Returns all changes that are not confirmed, in the order of adding. */
  get all() {
    return [...this.#changes.values()];
  }

  /** @param {string} postId @returns {Change[]} */
  of(postId) {
    return this.#byPost().get(postId) ?? [];
  }

  #byPost() {
    if (this.#grouped === undefined) {
      this.#grouped = new Map();
      for (const change of this.all) {
        this.#grouped.set(change.postId, [...(this.#grouped.get(change.postId) ?? []), change]);
      }
    }
    return this.#grouped;
  }

  #changedAny() {
    this.#grouped = undefined;
    this.dispatchEvent(new Event("change"));
  }

  /** Returns how many changes have not been sent. */
  get waiting() {
    return [...this.#changes.values()].filter(({ status }) => status === "pending").length;
  }

  /** @param {string} postId */
  created(postId) {
    return this.#created.get(postId);
  }

  /** @param {string} id @param {string} text */
  post(id, text) {
    return this.#add({ operation: "create_post", endpoint: POSTS, payload: { id, text }, lane: LANE });
  }

  /** @param {string} postId */
  like(postId) {
    return this.#add({ operation: "like", endpoint: `${POSTS}/${postId}/likes`, lane: this.#laneOf(postId) });
  }

  /** @param {string} postId @param {string} text */
  comment(postId, text) {
    return this.#add({ operation: "comment", endpoint: `${POSTS}/${postId}/comments`, payload: { text }, lane: this.#laneOf(postId) });
  }

  /** @param {string} postId */
  delete(postId) {
    return this.#add({ operation: "delete_post", method: "DELETE", endpoint: `${POSTS}/${postId}`, lane: this.#laneOf(postId) });
  }

  /** @param {any} request */
  async #add(request) {
    this.#put(await this.#outbox.add(request));
    this.#changedAny();
  }

  /**
   * What belongs to a post is sent in order, and after the post itself.
   *
   * @param {string} postId
   */
  #laneOf(postId) {
    const last = this.all.filter((change) => change.postId === postId).pop();
    return last?.lane ?? `post-${postId}`;
  }

  /** @param {string} id */
  retry(id) {
    return this.#outbox.retry(id);
  }

  /**
   * Discards a change, and with a post that was never created, what belongs to it.
   *
   * @param {Change} change
   */
  async discard(change) {
    const also = change.operation === "create_post" ? this.all.filter(({ postId, id }) => postId === change.postId && id !== change.id) : [];
    for (const each of [...also.reverse(), change]) {
      await this.#outbox.discard(each.id);
    }
  }
}
