/** The posts of the server in the order of the server, with their comments. `change` events report that something is different. */

/**
 * @typedef {{ id: string, author: string, text: string, createdAt: string }} Comment
 * @typedef {Comment & { likes: number, comments: number }} Post
 * @typedef {{ items: Comment[], next: string | null }} Comments
 * @typedef {(path: string) => Promise<any>} Get
 */

const PAGE = 50;
const POSTS = "/v1/feed/posts";

export class Timeline extends EventTarget {
  /** @type {Map<string, Post>} */
  posts = new Map();
  /** Ids, newest first. @type {string[]} */
  order = [];
  /** Where the next page begins; null if there is none, undefined until that is known. @type {string | null | undefined} */
  next;
  isLoading = false;
  #get;
  /** @type {Map<string, Comments>} */
  #comments = new Map();
  /** Counts of posts that are not loaded yet. Counts only grow. @type {Map<string, { likes: number, comments: number }>} */
  #counts = new Map();
  /** @type {Set<string>} */
  #deleted = new Set();
  /** Events that arrive while the first page is loaded. @type {any[] | undefined} */
  #held;

  /** @param {Get} get reads from the API */
  constructor(get) {
    super();
    this.#get = get;
  }

  /**
   * Shows posts that were kept, until there are others.
   *
   * @param {Post[]} posts
   */
  restore(posts) {
    posts.forEach((post) => this.#append(post));
    this.#changed();
  }

  /** Loads the first page instead of all posts. The events from before on must be applied. */
  async reload() {
    this.#held = [];
    try {
      const page = await this.#get(`${POSTS}?limit=${PAGE}`);
      this.posts.clear();
      this.order = [];
      this.#comments.clear();
      page.items.forEach((/** @type {Post} */ post) => this.#append(post));
      this.next = page.next;
    } finally {
      const held = this.#held ?? [];
      this.#held = undefined;
      held.forEach((event) => this.apply(event));
    }
    this.#changed();
  }

  /** Loads the next page of older posts. */
  async older() {
    if (this.isLoading || this.next === null || this.next === undefined) {
      return;
    }
    this.isLoading = true;
    const from = this.next;
    try {
      const page = await this.#get(`${POSTS}?limit=${2 * PAGE}&after=${encodeURIComponent(from)}`);
      if (this.next === from) {
        page.items.forEach((/** @type {Post} */ post) => this.#append(post));
        this.next = page.next;
      }
    } finally {
      this.isLoading = false;
      this.#changed();
    }
  }

  /** @param {Post} post */
  #append(post) {
    if (!this.posts.has(post.id) && !this.#deleted.has(post.id)) {
      this.#put(post);
      this.order.push(post.id);
    }
  }

  /** @param {Post} post */
  #put(post) {
    const counts = this.#counts.get(post.id) ?? { likes: 0, comments: 0 };
    this.#counts.delete(post.id);
    this.posts.set(post.id, { ...post, likes: Math.max(post.likes, counts.likes), comments: Math.max(post.comments, counts.comments) });
  }

  /**
   * Applies an event of the server.
   *
   * @param {any} event
   */
  apply(event) {
    if (this.#held !== undefined) {
      this.#held.push(event);
      return;
    }
    const { type, postId } = event;
    if (type === "post" && !this.posts.has(postId) && !this.#deleted.has(postId)) {
      this.#put(event.post);
      this.order.unshift(postId);
    } else if (type === "like") {
      this.count(postId, event.likes, 0);
    } else if (type === "comment") {
      this.count(postId, 0, event.comments);
      const comments = this.#comments.get(postId);
      if (comments?.next === null && !comments.items.some(({ id }) => id === event.comment.id)) {
        comments.items.push(event.comment);
      }
    } else if (type === "delete") {
      this.remove(postId);
    }
    this.#changed();
  }

  /** @param {string} id @param {number} likes @param {number} comments */
  count(id, likes, comments) {
    const post = this.posts.get(id) ?? this.#counts.get(id) ?? { likes: 0, comments: 0 };
    post.likes = Math.max(post.likes, likes);
    post.comments = Math.max(post.comments, comments);
    if (!this.posts.has(id)) {
      this.#counts.set(id, post);
    }
  }

  /** @param {string} id */
  remove(id) {
    this.#deleted.add(id);
    this.#comments.delete(id);
    if (this.posts.delete(id)) {
      this.order = this.order.filter((each) => each !== id);
    }
    this.#changed();
  }

  /** @param {string} id */
  isDeleted(id) {
    return this.#deleted.has(id);
  }

  /**
   * Returns the comments of a post; undefined if they are not loaded.
   *
   * @param {string} id
   */
  comments(id) {
    return this.#comments.get(id);
  }

  /**
   * Loads the next comments of a post.
   *
   * @param {string} id
   */
  async loadComments(id) {
    const after = this.#comments.get(id)?.next;
    if (after === null) {
      return;
    }
    const page = await this.#get(`${POSTS}/${id}/comments?limit=${PAGE}${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`);
    const known = this.#comments.get(id) ?? { items: [], next: null };
    const fresh = page.items.filter((/** @type {Comment} */ each) => !known.items.some((other) => other.id === each.id));
    this.#comments.set(id, { items: [...known.items, ...fresh], next: page.next });
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
