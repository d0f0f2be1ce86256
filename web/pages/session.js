/**
 * Who is signed in, and the token of this user. The name outlives the tab. In dev mode, tokens are fetched by name, and again when the server
 * has rejected one. Otherwise a person pastes a token: it is kept until the tab is closed, and shared with the other tabs of the user.
 */

import { userOf } from "/assets/outbox/tokens.js";

/** @typedef {{ user: string, isOperator: boolean }} Account */

const ACCOUNT = "semel.account";
const TOKEN = "semel.token";
const TIMEOUT = 10_000;
const ASKING = 500;

/** Thrown if there is no token now. */
export class SignInError extends Error {}

class Session extends EventTarget {
  #token = sessionStorage.getItem(TOKEN) ?? "";
  #channel = new BroadcastChannel("semel-session");
  /** @type {Promise<string> | undefined} */
  #renewal;

  /** Whether a name is enough to sign in. */
  isByName = document.querySelector("meta[name=semel-sign-in]")?.getAttribute("content") === "name";

  /** Whether a person has to paste a token. */
  needsToken = false;

  constructor() {
    super();
    window.addEventListener("storage", ({ key }) => {
      if (key === ACCOUNT || key === null) {
        location.reload(); // signed in or out in another tab
      }
    });
    this.#channel.onmessage = ({ data }) => {
      if (data.user !== this.account?.user) {
        return;
      }
      if (data.ask && this.#token !== "" && this.#token !== data.rejected) {
        this.#channel.postMessage({ user: data.user, token: this.#token });
      } else if (data.token !== undefined && data.token !== this.#token) {
        this.#keep(data.token);
      }
    };
  }

  /** @returns {Account | null} */
  get account() {
    try {
      const account = JSON.parse(localStorage.getItem(ACCOUNT) ?? "null");
      return typeof account?.user === "string" && account.user !== "" ? account : null;
    } catch {
      return null;
    }
  }

  /**
   * Signs in by name. The server checks the name.
   *
   * @param {string} user
   * @param {boolean} isOperator
   */
  async signInAs(user, isOperator) {
    const account = { user, isOperator };
    this.#keep(await fetchToken(account));
    localStorage.setItem(ACCOUNT, JSON.stringify(account));
  }

  /**
   * Signs in with a token, or replaces the token of the user who is signed in.
   *
   * @param {string} token
   */
  async signInWith(token) {
    const user = userOf(token);
    if (user === undefined || user === "") {
      throw new SignInError("This is not a JSON Web Token with a user.");
    }
    if (this.account !== null && this.account.user !== user) {
      throw new SignInError(`This is a token of ${user}. Sign out first.`);
    }
    const response = await request("/v1/feed/posts?limit=1", { headers: { Authorization: `Bearer ${token}` } });
    if (response.status === 401) {
      throw new SignInError((await detailOf(response)) ?? "The server rejects this token.");
    }
    this.#keep(token);
    localStorage.setItem(ACCOUNT, JSON.stringify({ user, isOperator: false }));
    this.#channel.postMessage({ user, token });
  }

  signOut() {
    localStorage.removeItem(ACCOUNT);
    sessionStorage.removeItem(TOKEN);
    this.#token = "";
  }

  /**
   * Returns a token of the user.
   *
   * @param {string | null} [rejected] the token that the server has rejected
   * @returns {Promise<string>}
   */
  async token(rejected = null) {
    if (this.#token !== "" && this.#token !== rejected) {
      return this.#token;
    }
    this.#renewal ??= this.#renew(rejected).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** @param {string | null} rejected */
  async #renew(rejected) {
    const { account } = this;
    if (account === null) {
      throw new SignInError("Nobody is signed in.");
    }
    const token = this.isByName ? await fetchToken(account) : await this.#askOtherTabs(account.user, rejected);
    if (token === "") {
      this.#keep("");
      throw new SignInError("A new token is needed.");
    }
    this.#keep(token);
    return token;
  }

  /**
   * @param {string} user
   * @param {string | null} rejected
   * @returns {Promise<string>} empty if no other tab has one
   */
  #askOtherTabs(user, rejected) {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.removeEventListener("token", done);
        resolve(this.#token === rejected ? "" : this.#token);
      };
      const timer = setTimeout(done, ASKING);
      this.addEventListener("token", done);
      this.#channel.postMessage({ user, ask: true, rejected });
    });
  }

  /** @param {string} token empty if there is none */
  #keep(token) {
    this.#token = token;
    this.needsToken = token === "";
    if (this.isByName) {
      sessionStorage.removeItem(TOKEN);
    } else {
      sessionStorage.setItem(TOKEN, token);
    }
    this.dispatchEvent(new Event(token === "" ? "needed" : "token"));
  }
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function request(path, options) {
  try {
    return await fetch(path, { ...options, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT) });
  } catch {
    throw new SignInError("The server cannot be reached.");
  }
}

/** @param {Account} account */
async function fetchToken({ user, isOperator }) {
  const response = await request("/v1/dev/token", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ user, roles: isOperator ? ["operator"] : [] }),
  });
  if (!response.ok) {
    throw new SignInError((await detailOf(response)) ?? `The server responds with status ${response.status}.`);
  }
  const { token } = await response.json();
  return /** @type {string} */ (token);
}

/**
 * Returns the description of an error; undefined if the response has none.
 *
 * @param {Response} response
 * @returns {Promise<string | undefined>}
 */
async function detailOf(response) {
  try {
    const { detail } = await response.json();
    return typeof detail === "string" ? detail : undefined;
  } catch {
    return undefined;
  }
}

export const session = new Session();
