/**
 * A clock and its timers. Tests pass one that runs faster.
 *
 * @typedef {object} Clock
 * @property {() => number} now milliseconds since 1970
 * @property {(action: () => void, millis: number) => any} setTimeout
 * @property {(timer: any) => void} clearTimeout
 */

/** @type {Clock} */
export const SYSTEM_CLOCK = {
  now: () => Date.now(),
  setTimeout: (action, millis) => globalThis.setTimeout(action, millis),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
};

/**
 * Waits until a time has passed, or a signal is aborted.
 *
 * @param {Clock} clock
 * @param {number} millis
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(clock, millis, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clock.clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.setTimeout(end, millis);
    signal.addEventListener("abort", end);
  });
}
