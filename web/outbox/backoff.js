const FIRST = 1000;
const MOST_DOUBLINGS = 5;
const FIRST_QUESTION = 60_000;
const MOST_QUESTION_DOUBLINGS = 6;

/**
 * Shortens a pause by up to half at random, so that clients do not send all at once.
 *
 * @param {number} millis
 */
function shortened(millis) {
  return millis - (Math.random() * millis) / 2;
}

/**
 * Returns the pause after an attempt: 1, 2, 4, 8, 16 and then 32 seconds, shortened.
 *
 * @param {number} retries how many attempts have failed before this one
 * @param {number} atLeast a lower bound, to which the random part is added instead
 */
export function pauseAfter(retries, atLeast) {
  const millis = shortened(FIRST * 2 ** Math.min(retries, MOST_DOUBLINGS));
  return millis >= atLeast ? millis : atLeast + (Math.random() * FIRST) / 2;
}

/**
 * Returns the pause between questions about an unknown outcome: 1, 2, 4 minutes, up to about an hour, shortened.
 *
 * @param {number} retries
 */
export function pauseBetweenQuestions(retries) {
  return shortened(FIRST_QUESTION * 2 ** Math.min(retries, MOST_QUESTION_DOUBLINGS));
}
