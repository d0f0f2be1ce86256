/** The feed page: posts of the server and changes of the user in one list. */

import { Outbox, OutboxError, tid62 } from "/assets/outbox/outbox.js";
import { createArticle, updateArticle } from "./article.js";
import { PostCache } from "./cache.js";
import { byId, handOver, setText } from "./dom.js";
import { Entries } from "./entries.js";
import { WindowedList } from "./list.js";
import { Live } from "./live.js";
import { session, SignInError } from "./session.js";
import { onSignOut } from "./shell.js";
import { Timeline } from "./timeline.js";

const DAY = 24 * 60 * 60 * 1000;
const TIMEOUT = 15_000;
const MINUTE = 60_000;

/** How long signing out waits for a request in progress. It stays in the outbox. */
const CLOSING = 1000;

/** @param {string} text */
function wellFormed(text) {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {import("./entries.js").Change} change */
function reasonOf({ response, lastError, reason }) {
  const { detail, error } = objectOf(response?.body ?? "");
  const text = detail ?? error;
  if (typeof text === "string" && text !== "") {
    return text;
  }
  return lastError ?? reason ?? "unknown";
}

class FeedPage {
  #user;
  #outbox;
  #entries;
  #cache;
  #timeline = new Timeline((path) => this.#get(path));
  #live = new Live();
  #list;
  /** Posts whose comments are shown. @type {Set<string>} */
  #open = new Set();
  /** Notes about posts that are not changes. @type {Map<string, string>} */
  #notes = new Map();
  /** Posts that are confirmed, and that the server has not shown yet. @type {Map<string, import("./entries.js").Change>} */
  #arriving = new Map();
  /** Comments that are confirmed, and that the server has not shown yet. @type {Map<string, import("./entries.js").Change>} */
  #comments = new Map();
  /** @type {Set<string>} */
  #liked;
  /** Posts outside of the list that the user has changed. @type {Map<string, import("./timeline.js").Post | null>} */
  #others = new Map();
  #isLoaded = false;
  #isShowing = false;
  /** @type {Map<string, number>} */
  #positions = new Map();

  /** @param {string} user */
  constructor(user) {
    this.#user = user;
    this.#outbox = new Outbox({ name: "feed", user, keepConfirmed: DAY, token: (rejected) => session.token(rejected) });
    this.#entries = new Entries(this.#outbox);
    this.#cache = new PostCache(user);
    const kept = this.#cache.read();
    this.#liked = new Set(kept.liked);
    /** @type {import("./article.js").Actions} */
    const actions = {
      like: (id) => this.#like(id),
      toggle: (id) => this.#toggle(id),
      sendAgain: (id) => this.#sendAgain(id),
      remove: (id) => this.#run(() => this.#entries.delete(id)),
      retry: (id) => this.#decide(id, (change) => this.#entries.retry(change.id)),
      discard: (id) => this.#decide(id, (change) => this.#entries.discard(change)),
      more: (id) => this.#run(() => this.#timeline.loadComments(id)),
      comment: (id, text) => this.#comment(id, text),
      drafts: new Map(),
    };
    this.#list = new WindowedList(
      byId("feed"),
      (id) => createArticle(this.#view(id), actions),
      (element, id, index) => {
        element.setAttribute("aria-posinset", String(index + 1));
        element.setAttribute("aria-setsize", this.#timeline.next === null ? String(this.#positions.size) : "-1");
        updateArticle(element, this.#view(id), actions);
      },
      () => this.#older(),
    );
    this.#timeline.restore(kept.posts);
  }

  async start() {
    byId("composer").hidden = false;
    this.#listen();
    onSignOut(
      async () => {
        const { pending, failed } = await this.#outbox.counts();
        return pending + failed;
      },
      async () => {
        this.#live.stop();
        this.#cache.clear();
        await this.#outbox.purge().catch(() => {}); // what is confirmed need not stay on the device
        await Promise.race([this.#outbox.close(), new Promise((resolve) => setTimeout(resolve, CLOSING))]);
      },
    );
    try {
      await this.#entries.start();
    } catch (e) {
      this.#notice(e);
    }
    this.#live.start();
    this.#show();
  }

  #listen() {
    this.#entries.addEventListener("change", () => this.#show());
    this.#entries.addEventListener("confirmed", (event) => this.#confirmed(/** @type {CustomEvent} */ (event).detail));
    this.#outbox.addEventListener("error", ({ detail }) => this.#notice(detail));
    this.#timeline.addEventListener("change", () => {
      this.#show();
      if (this.#isLoaded) {
        this.#cache.writeSoon(() => this.#kept());
      }
    });
    this.#live.addEventListener("state", () => {
      this.#show();
      if (this.#live.isOnline) {
        this.#outbox.wake();
      }
    });
    this.#live.addEventListener("open", () => this.#opened());
    this.#live.addEventListener("message", (event) => this.#received(/** @type {CustomEvent} */ (event).detail));
    session.addEventListener("token", () => this.#outbox.wake());
    window.addEventListener("pagehide", () => {
      if (this.#isLoaded) {
        this.#cache.write(this.#kept());
      }
    });
    setInterval(() => this.#list.schedule(), MINUTE);
    byId("feed").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
    const text = byId("text");
    byId("composer").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#post(text);
    });
    text.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        byId("composer").requestSubmit();
      }
    });
    text.addEventListener("input", () => setText(byId("problem"), ""));
  }

  #kept() {
    const posts = this.#timeline.order.map((id) => /** @type {import("./timeline.js").Post} */ (this.#timeline.posts.get(id)));
    return { posts, liked: [...this.#liked] };
  }

  /** @param {string} path */
  async #get(path) {
    const read = (/** @type {string} */ token) =>
      fetch(path, { headers: { Authorization: `Bearer ${token}` }, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT) });
    const token = await session.token();
    let response = await read(token);
    if (response.status === 401) {
      response = await read(await session.token(token));
    }
    if (!response.ok) {
      throw Object.assign(new Error(`The server responds with status ${response.status}.`), { status: response.status });
    }
    return response.json();
  }

  // What the server reports

  async #opened() {
    if (!this.#isLoaded) {
      await this.#reload();
    }
  }

  async #reload() {
    try {
      await this.#timeline.reload();
      this.#isLoaded = true;
      this.#others.clear();
      this.#arrived();
      this.#open.forEach((id) => this.#timeline.loadComments(id).catch(() => {}));
      this.#show();
    } catch (e) {
      this.#isLoaded = false;
      this.#live.reconnect();
    }
  }

  /** @param {any} event */
  #received(event) {
    if (event.type === "reset") {
      this.#reload();
      return;
    }
    if (event.type === "like" && event.user === this.#user) {
      this.#liked.add(event.postId);
    }
    if (event.type === "comment" && event.clientTxId !== undefined) {
      this.#comments.delete(event.clientTxId);
    }
    this.#timeline.apply(event);
    this.#arrived();
  }

  #arrived() {
    for (const id of this.#arriving.keys()) {
      if (this.#timeline.posts.has(id) || this.#timeline.isDeleted(id)) {
        this.#arriving.delete(id);
      }
    }
  }

  /** @param {import("./entries.js").Change} change */
  #confirmed(change) {
    const { operation, postId, clientTxId } = change;
    const result = objectOf(change.response?.body ?? "");
    if (operation === "create_post" && !this.#timeline.posts.has(postId)) {
      this.#arriving.set(postId, change);
    } else if (operation === "like") {
      this.#liked.add(postId);
      this.#timeline.count(postId, result.likes ?? 0, 0);
    } else if (operation === "comment") {
      const isKnown = this.#timeline.comments(postId)?.items.some(({ id }) => id === result.id) ?? false;
      if (!isKnown) {
        this.#comments.set(clientTxId, change);
      }
    } else if (operation === "delete_post") {
      this.#timeline.remove(postId);
    }
    this.#arrived();
    if (!this.#live.isOnline) {
      this.#live.reconnect();
    }
  }

  // What the user does

  /** @param {HTMLTextAreaElement} field */
  async #post(field) {
    field.focus();
    if (field.value.trim() !== "") {
      const wrong = await handOver(field, (text) => this.#stored(this.#entries.post(tid62(), wellFormed(text))));
      setText(byId("problem"), wrong);
    }
  }

  /** @param {string} id @param {string} text */
  #comment(id, text) {
    return this.#stored(this.#entries.comment(id, wellFormed(text)));
  }

  /**
   * Returns why a change could not be stored; an empty text if it was.
   *
   * @param {Promise<void>} adding
   */
  async #stored(adding) {
    try {
      await adding;
      return "";
    } catch (e) {
      return messageOf(e);
    }
  }

  /** @param {string} id */
  #like(id) {
    const isWaiting = this.#changesOf(id).some(({ operation }) => operation === "like");
    if (!isWaiting && !this.#liked.has(id)) {
      this.#run(() => this.#entries.like(id));
    }
  }

  /** @param {string} id */
  #toggle(id) {
    if (!this.#open.delete(id)) {
      this.#open.add(id);
      if (this.#timeline.posts.has(id) && this.#timeline.comments(id) === undefined) {
        this.#timeline.loadComments(id).catch(() => {}); // offline, only own comments are shown
      }
    }
    this.#show();
  }

  /** @param {string} id @param {(change: import("./entries.js").Change) => Promise<unknown>} action */
  #decide(id, action) {
    const failed = this.#changesOf(id).find(({ status }) => status === "failed");
    if (failed !== undefined) {
      this.#run(() => action(failed));
    }
  }

  /**
   * Sends the request that has created a post once more, with the same key. The server responds with what it has recorded.
   *
   * @param {string} id
   */
  async #sendAgain(id) {
    const created = this.#entries.created(id);
    if (created === undefined) {
      return;
    }
    this.#note(id, "Sending");
    try {
      const token = await session.token();
      const response = await fetch(created.endpoint, {
        method: created.method,
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": created.contentType,
          "Idempotency-Key": created.idempotencyKey,
          "X-Client-Tx-Id": created.clientTxId,
        },
        body: JSON.stringify(created.payload),
        signal: AbortSignal.timeout(TIMEOUT),
      });
      const isReplayed = response.headers.get("Idempotency-Replayed") === "true";
      this.#note(id, isReplayed ? "Replayed" : `Not replayed: status ${response.status}`);
    } catch (e) {
      this.#note(id, e instanceof SignInError ? `Not sent: ${e.message}` : "Not sent: the server cannot be reached");
    }
  }

  /** @param {string} id @param {string} text */
  #note(id, text) {
    this.#notes.set(id, text);
    this.#show();
  }

  /** @param {() => Promise<unknown>} action */
  async #run(action) {
    try {
      await action();
    } catch (e) {
      this.#notice(e);
    }
  }

  /** @param {unknown} error */
  #notice(error) {
    const notice = byId("notice");
    const isPassing = error instanceof OutboxError && error.code === "closed";
    if (!isPassing) {
      notice.hidden = false;
      setText(notice, messageOf(error));
    }
  }

  /** Moves the focus between articles, as is usual in a feed. @param {KeyboardEvent} event */
  #key(event) {
    const article = event.target instanceof HTMLElement ? event.target.closest("article") : null;
    const isTyping = event.target instanceof HTMLTextAreaElement;
    if (article === null || isTyping) {
      return;
    }
    if (event.key === "PageDown" || event.key === "PageUp") {
      this.#list.focus(article.dataset.key ?? "", event.key === "PageDown" ? 1 : -1);
      event.preventDefault();
    } else if ((event.key === "Home" || event.key === "End") && event.ctrlKey) {
      byId(event.key === "Home" ? "text" : "end").focus();
      event.preventDefault();
    }
  }

  #older() {
    if (this.#live.isOnline && this.#isLoaded) {
      this.#timeline.older().catch(() => {}); // asked for again by the next scroll
    }
  }

  // What is shown

  /** @param {string} id */
  #changesOf(id) {
    return this.#entries.of(id);
  }

  /** Shows everything before the next frame. */
  #show() {
    if (!this.#isShowing) {
      this.#isShowing = true;
      requestAnimationFrame(() => {
        this.#isShowing = false;
        this.#render();
      });
    }
  }

  #render() {
    const isOnline = this.#live.isOnline;
    const network = byId("network");
    network.hidden = isOnline === undefined;
    network.dataset.state = isOnline ? "online" : "offline";
    setText(network, isOnline ? "Online" : `Offline – ${this.#entries.waiting} changes waiting`);
    const own = [...this.#ownPosts()];
    const keys = [...own, ...this.#timeline.order];
    this.#positions = new Map(keys.map((key, i) => [key, i]));
    byId("feed").hidden = keys.length === 0;
    this.#list.keys = keys;
    byId("feed").setAttribute("aria-busy", String(this.#timeline.isLoading));
    const end = byId("end");
    end.hidden = keys.length > 0 && this.#timeline.next !== null;
    setText(end, keys.length === 0 ? (this.#isLoaded ? "Nothing here yet. Write the first post." : "") : "That is all.");
  }

  /** Returns the ids of posts that the server has not shown, newest first, and of other posts that the user has changed. */
  #ownPosts() {
    /** @type {Set<string>} */
    const ids = new Set();
    const all = this.#entries.all;
    const created = all.filter(({ operation }) => operation === "create_post");
    for (const { postId } of [...this.#arriving.values(), ...created].reverse()) {
      if (!this.#timeline.posts.has(postId)) {
        ids.add(postId);
      }
    }
    for (const { postId } of all) {
      if (!this.#timeline.posts.has(postId) && !ids.has(postId)) {
        ids.add(postId);
        this.#findOther(postId);
      }
    }
    return ids;
  }

  /** @param {string} id */
  async #findOther(id) {
    if (!this.#others.has(id) && this.#isLoaded && this.#live.isOnline) {
      this.#others.set(id, null);
      try {
        this.#others.set(id, await this.#get(`/v1/feed/posts/${id}`));
      } catch (e) {
        // it does not exist, or is read after the next start
      }
      this.#list.forget(id);
      this.#show();
    }
  }

  /** @param {string} id @returns {import("./article.js").View} */
  #view(id) {
    const changes = this.#changesOf(id);
    const creation = changes.find(({ operation }) => operation === "create_post") ?? this.#arriving.get(id);
    const post = this.#timeline.posts.get(id) ?? this.#others.get(id);
    const failed = changes.find(({ status }) => status === "failed");
    const isSending = this.#live.isOnline !== false && changes.some((change) => change.isSending);
    const state = failed !== undefined ? "failed" : isSending ? "sending" : changes.length > 0 ? "waiting" : "";
    const status = { failed: failed && `Failed: ${reasonOf(failed)}`, sending: "Sending", waiting: "Waiting", "": this.#notes.get(id) ?? "" }[state] ?? "";
    const isGone = !post && creation === undefined;
    const likes = changes.some(({ operation }) => operation === "like") && !this.#liked.has(id) ? 1 : 0;
    const unsent = [...changes.filter(({ operation }) => operation === "comment"), ...[...this.#comments.values()].filter(({ postId }) => postId === id)];
    const known = this.#timeline.comments(id);
    const author = post?.author ?? (creation === undefined ? "" : this.#user);
    return {
      id,
      author,
      text: post?.text ?? creation?.payload.text ?? "This post is not here any more.",
      createdAt: post?.createdAt ?? creation?.createdAt.toISOString() ?? "",
      likes: (post?.likes ?? 0) + likes,
      isLiked: likes > 0 || this.#liked.has(id),
      comments: (post?.comments ?? 0) + changes.filter(({ operation }) => operation === "comment").length,
      isOwn: author === this.#user,
      isGone,
      isBeingDeleted: changes.some(({ operation }) => operation === "delete_post"),
      state: state === "" && this.#notes.get(id) === "Replayed" ? "replayed" : state,
      status,
      canSendAgain: changes.length === 0 && this.#entries.created(id) !== undefined,
      isOpen: this.#open.has(id),
      shown: [
        ...(known?.items ?? []).map((comment) => ({ ...comment, key: comment.id, state: "" })),
        ...unsent.map((change) => ({
          key: change.clientTxId,
          author: this.#user,
          text: change.payload.text,
          createdAt: change.createdAt.toISOString(),
          state: change.status === "confirmed" ? "" : change.status === "failed" ? "Failed" : "Waiting",
        })),
      ],
      hasMore: known !== undefined && known.next !== null,
    };
  }
}

/**
 * Returns a JSON object; an empty one if a text is none, for example because it is incomplete.
 *
 * @param {string} json
 * @returns {any}
 */
function objectOf(json) {
  try {
    return Object(JSON.parse(json));
  } catch {
    return {};
  }
}

let isStarted = false;

function start() {
  const { account } = session;
  if (account !== null && !isStarted) {
    isStarted = true;
    try {
      new FeedPage(account.user).start();
    } catch (e) {
      const notice = byId("notice");
      notice.hidden = false;
      setText(notice, messageOf(e));
    }
  }
}

window.addEventListener("semel-signed-in", () => {
  start();
  byId("text").focus();
});
start();
