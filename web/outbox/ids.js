/**
 * Ids that sort by time (tid62) or are random (UUID version 4), and the keys of entries.
 * The same as `IdSchemes.TID62` and `IdSchemes.UUID4` of the Java library.
 */

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TID62_LENGTH = 17;
const TID62_EPOCH_SECONDS = Date.UTC(2020, 0, 1) / 1000;
const HIGHEST_SECONDS = 0xffffffff;

/** @param {number} count */
function randomBytes(count) {
  return crypto.getRandomValues(new Uint8Array(count));
}

/**
 * Returns a new tid62: 4 bytes of seconds since 2020 and 8 random bytes, in 17 characters of base 62.
 *
 * @param {number} [now] milliseconds since 1970
 * @param {Uint8Array} [random] 8 bytes
 */
export function tid62(now = Date.now(), random = randomBytes(8)) {
  const seconds = Math.floor(now / 1000) - TID62_EPOCH_SECONDS;
  if (!(seconds >= 0 && seconds <= HIGHEST_SECONDS)) {
    throw new RangeError("A tid62 has a time from 2020 to 2156: check the clock");
  }
  let number = BigInt(seconds);
  for (const byte of random) {
    number = (number << 8n) | BigInt(byte);
  }
  let text = "";
  for (let i = 0; i < TID62_LENGTH; i++) {
    text = BASE62[Number(number % 62n)] + text;
    number /= 62n;
  }
  return text;
}

/**
 * Returns a new UUID of version 4. Unlike `crypto.randomUUID`, it also works on pages without HTTPS.
 *
 * @param {Uint8Array} [random] 16 bytes
 */
export function uuid4(random = randomBytes(16)) {
  const bytes = Uint8Array.from(random);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Returns a new idempotency key. An entry keeps its key in every attempt to send it.
 *
 * @param {number} now milliseconds since 1970
 */
export function idempotencyKey(now) {
  return `${uuid4()}-${Math.floor(now)}`;
}
