// What tests use in a page: an outbox on a clock that runs faster than real time, and can be set forward.
import { Outbox, OutboxError, tid62, uuid4 } from "/assets/outbox/outbox.js";

class ScaledClock {
  #origin;
  #speed;
  #offset;
  #start = performance.now();
  #timers = new Set();

  constructor({ origin = Date.now(), speed = 1, offset = 0 } = {}) {
    this.#origin = origin + (Date.now() - origin) * speed;
    this.#speed = speed;
    this.#offset = offset;
  }

  now() {
    return Math.floor(this.#origin + (performance.now() - this.#start) * this.#speed + this.#offset);
  }

  setTimeout(action, millis) {
    const timer = { due: this.now() + millis, action, handle: 0 };
    this.#timers.add(timer);
    this.#schedule(timer);
    return timer;
  }

  #schedule(timer) {
    clearTimeout(timer.handle);
    timer.handle = setTimeout(
      () => {
        this.#timers.delete(timer);
        timer.action();
      },
      Math.max(0, timer.due - this.now()) / this.#speed,
    );
  }

  clearTimeout(timer) {
    if (timer !== undefined) {
      clearTimeout(timer.handle);
      this.#timers.delete(timer);
    }
  }

  advance(millis) {
    this.#offset += millis;
    this.#timers.forEach((timer) => this.#schedule(timer));
  }
}

/** The events of the outbox that was opened last. */
const changes = [];
const errors = [];

function open(options = {}, clock = {}) {
  const scaled = new ScaledClock(clock);
  const outbox = new Outbox({ clock: scaled, ...options });
  outbox.addEventListener("change", ({ detail }) => changes.push(detail));
  outbox.addEventListener("error", ({ detail }) => errors.push({ code: detail.code, message: detail.message }));
  Object.assign(harness, { outbox, clock: scaled });
  return outbox;
}

/** Returns a new token of a server in dev mode. Tokens of the same second would be equal, but for the role. */
async function devToken(api, user) {
  const response = await fetch(new URL("/v1/dev/token", api), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ user, roles: [uuid4()] }),
    signal: AbortSignal.timeout(4000),
  });
  return (await response.json()).token;
}

/** Returns the code of the OutboxError that an operation fails with. */
async function codeOf(operation) {
  try {
    await operation();
    return "";
  } catch (e) {
    return e instanceof OutboxError ? e.code : String(e);
  }
}

const harness = { Outbox, OutboxError, tid62, uuid4, open, devToken, codeOf, changes, errors, outbox: undefined, clock: undefined };
window.harness = harness;
