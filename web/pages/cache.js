/** The newest posts as they were last seen, so that there is something to read offline. Bounded, and each user's own. */

const MOST_POSTS = 200;
const MOST_CHARACTERS = 500_000;
const BETWEEN_WRITES = 1000;

export class PostCache {
  #key;
  #timer = 0;

  /** @param {string} user */
  constructor(user) {
    this.#key = `semel.posts:${user}`;
  }

  /** @returns {{ posts: import("./timeline.js").Post[], liked: string[] }} */
  read() {
    try {
      const { posts, liked } = JSON.parse(localStorage.getItem(this.#key) ?? "");
      return { posts: Array.isArray(posts) ? posts : [], liked: Array.isArray(liked) ? liked : [] };
    } catch {
      return { posts: [], liked: [] };
    }
  }

  /**
   * Writes soon, once for all changes until then.
   *
   * @param {() => { posts: import("./timeline.js").Post[], liked: string[] }} content
   */
  writeSoon(content) {
    if (this.#timer === 0) {
      this.#timer = setTimeout(() => this.write(content()), BETWEEN_WRITES);
    }
  }

  /** @param {{ posts: import("./timeline.js").Post[], liked: string[] }} content */
  write({ posts, liked }) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    let left = MOST_CHARACTERS;
    const kept = posts.slice(0, MOST_POSTS).filter(({ text }) => (left -= text.length) >= 0);
    try {
      localStorage.setItem(this.#key, JSON.stringify({ posts: kept, liked: liked.slice(-1000) }));
    } catch {
      localStorage.removeItem(this.#key); // no space: only reading offline suffers
    }
  }

  clear() {
    clearTimeout(this.#timer);
    localStorage.removeItem(this.#key);
  }
}
