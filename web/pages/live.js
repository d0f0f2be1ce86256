/**
 * The events of the feed. Only a tab that is visible has a stream, since browsers allow few connections to a server; it resumes after the last
 * event. `state` events report whether there is a stream, `open` that it has started, and `message` what it contains.
 */

import { session } from "./session.js";

const PAUSES = [500, 1000, 2000, 4000];

/** The server sends something every 15 seconds. */
const SILENCE = 40_000;

/** A tab that is hidden for a moment only keeps its stream. */
const HIDDEN = 10_000;

export class Live extends EventTarget {
  /** Whether there is a stream; undefined until that is known. @type {boolean | undefined} */
  isOnline;
  #lastId = "";
  #attempt = new AbortController();
  #wake = () => {};
  #isStopped = false;

  start() {
    window.addEventListener("online", () => this.#wake());
    window.addEventListener("offline", () => this.#attempt.abort());
    let hiding = 0;
    document.addEventListener("visibilitychange", () => {
      clearTimeout(hiding);
      if (document.hidden) {
        hiding = setTimeout(() => this.#attempt.abort(), HIDDEN);
      } else {
        this.#wake();
      }
    });
    session.addEventListener("token", () => this.#wake());
    this.#run();
  }

  stop() {
    this.#isStopped = true;
    this.#attempt.abort();
  }

  /** Starts again, because the server has been heard of or something was missed. */
  reconnect() {
    if (this.isOnline) {
      this.#attempt.abort();
    }
    this.#wake();
  }

  async #run() {
    for (let failures = 0; !this.#isStopped; failures++) {
      if (document.hidden && this.isOnline !== undefined) {
        await this.#pause(Infinity);
      }
      this.#attempt = new AbortController();
      const wasOpened = await this.#connect(this.#attempt).catch(() => false);
      if (this.#isStopped) {
        return;
      }
      if (wasOpened) {
        failures = 0;
      }
      if (!(document.hidden && wasOpened)) {
        this.#report(false);
      }
      await this.#pause(PAUSES[Math.min(failures, PAUSES.length - 1)] * (0.75 + Math.random() / 2));
    }
  }

  /** @param {number} millis */
  #pause(millis) {
    return new Promise((resolve) => {
      const timer = millis === Infinity ? 0 : setTimeout(resolve, millis);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }

  /** @param {boolean} isOnline */
  #report(isOnline) {
    if (this.isOnline !== isOnline) {
      this.isOnline = isOnline;
      this.dispatchEvent(new Event("state"));
    }
  }

  /**
   * Reads a stream until it ends. Returns whether it was opened.
   *
   * @param {AbortController} attempt
   */
  async #connect(attempt) {
    const { signal } = attempt;
    let watchdog = setTimeout(() => attempt.abort(), SILENCE);
    let isOpen = false;
    try {
      const response = await this.#request(signal);
      if (!response.ok || response.body === null || !response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
        return false;
      }
      isOpen = true;
      this.#report(true);
      this.dispatchEvent(new Event("open"));
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          return true;
        }
        clearTimeout(watchdog);
        watchdog = setTimeout(() => attempt.abort(), SILENCE);
        const parts = (text + value).split("\n\n");
        text = parts.pop() ?? "";
        parts.forEach((part) => this.#receive(part));
      }
    } catch (e) {
      return isOpen;
    } finally {
      clearTimeout(watchdog);
      attempt.abort();
    }
  }

  /** @param {AbortSignal} signal */
  async #request(signal) {
    const open = (/** @type {string} */ token) =>
      fetch("/v1/feed/events", {
        headers: { Authorization: `Bearer ${token}`, ...(this.#lastId === "" ? {} : { "Last-Event-ID": this.#lastId }) },
        cache: "no-store",
        signal,
      });
    const token = await session.token();
    const response = await open(token);
    return response.status === 401 ? open(await session.token(token)) : response;
  }

  /** @param {string} event */
  #receive(event) {
    let id = "";
    let data = "";
    for (const line of event.split("\n")) {
      if (line.startsWith("id: ")) {
        id = line.slice(4);
      } else if (line.startsWith("data: ")) {
        data += line.slice(6);
      }
    }
    if (data !== "") {
      this.dispatchEvent(new CustomEvent("message", { detail: JSON.parse(data) }));
    }
    if (id !== "") {
      this.#lastId = id; // after the event has been handled
    }
  }
}
