/** Thrown if there is no token now. */
export class NoTokenError extends Error {}

const VISIBLE = /^[!-~]+$/;

/**
 * The current token, which is in memory only. One call of the supplier at a time serves all lanes (single flight).
 *
 * @typedef {undefined | string | ((rejected: string | null) => string | Promise<string>)} TokenSetting
 */
export class Tokens {
  #setting;
  #timeout;
  #clock;
  #user;
  /** @type {string | undefined} */
  #token;
  /** @type {Promise<string> | undefined} */
  #refresh;

  /**
   * @param {TokenSetting} setting
   * @param {string | undefined} user whose tokens are accepted; undefined for any
   * @param {number} timeout how long a lane waits for the supplier, in milliseconds
   * @param {import("./clock.js").Clock} clock
   */
  constructor(setting, user, timeout, clock) {
    this.#setting = setting;
    this.#user = user;
    this.#timeout = timeout;
    this.#clock = clock;
    if (typeof setting === "string") {
      this.#token = setting;
    }
  }

  /** Returns the user of the current token, as far as it is known. */
  get user() {
    return this.#token === undefined ? undefined : userOf(this.#token);
  }

  /**
   * Returns a token; null if requests are sent without one.
   *
   * @param {string | null} rejected a token that the API has rejected, so that another one is needed; null for any
   * @returns {Promise<string | null>}
   * @throws {NoTokenError} if there is none now
   */
  async get(rejected) {
    if (this.#setting === undefined) {
      return null;
    }
    if (typeof this.#setting === "string") {
      return this.#checked(this.#setting);
    }
    if (this.#token !== undefined && this.#token !== rejected) {
      return this.#token;
    }
    if (this.#refresh === undefined) {
      const refresh = this.#fetch(this.#setting, rejected).finally(() => {
        this.#refresh = undefined;
      });
      this.#refresh = refresh;
    }
    return this.#refresh;
  }

  /**
   * @param {(rejected: string | null) => string | Promise<string>} supplier
   * @param {string | null} rejected
   */
  async #fetch(supplier, rejected) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = this.#clock.setTimeout(
        () => reject(new NoTokenError(`the token supplier has not returned within ${this.#timeout} ms`)),
        this.#timeout,
      );
    });
    try {
      const token = this.#checked(await Promise.race([supplier(rejected), late]));
      this.#token = token;
      return token;
    } catch (e) {
      throw e instanceof NoTokenError ? e : new NoTokenError(`the token supplier has failed: ${e instanceof Error ? e.message : e}`);
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }

  /** @param {unknown} token */
  #checked(token) {
    if (typeof token !== "string" || !VISIBLE.test(token)) {
      throw new NoTokenError("a token must have visible ASCII characters only");
    }
    const user = userOf(token);
    if (this.#user !== undefined && user !== undefined && user !== this.#user) {
      throw new NoTokenError("the token belongs to another user than the outbox");
    }
    return token;
  }
}

/**
 * Returns the subject of a JSON Web Token; undefined if a token is none. The signature is not checked: that is up to the API.
 *
 * @param {string} token
 * @returns {string | undefined}
 */
export function userOf(token) {
  const parts = token.split(".");
  if (parts.length !== 3) {
    return undefined;
  }
  try {
    const bytes = Uint8Array.from(atob(parts[1].replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims.sub === "string" ? claims.sub : undefined;
  } catch {
    return undefined;
  }
}
