import { OutboxError } from "./errors.js";

export const DEFAULT_LANE = "default";

const JSON_TYPE = "application/json";
const METHODS = ["POST", "PUT", "PATCH", "DELETE"];
const LONGEST_NAME = 255;
const LONGEST_ENDPOINT = 2048;
const MOST_PAYLOAD_BYTES = 1 << 20;
const MEDIA_TYPE = /^[!-.0-~]+\/[!-.0-~]+( *;[ -~]*)?$/;
const HALF_OF_A_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const ESCAPED_HALF = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/**
 * A request as it is stored, without key and state.
 *
 * @typedef {object} StoredRequest
 * @property {string} operation
 * @property {string} method
 * @property {string} endpoint
 * @property {string} contentType
 * @property {string | null} body the bytes that are sent in every attempt, as text; null for none
 * @property {string} lane
 */

/** @param {string} message */
function invalid(message) {
  return new OutboxError("invalid", message);
}

/** @param {string} text */
function quote(text) {
  return `'${text.length <= 60 ? text : `${text.slice(0, 60)}…`}'`;
}

/**
 * Checks a request, and returns it as it is stored.
 *
 * @param {any} given
 * @param {string} base origin of the API
 * @returns {StoredRequest}
 */
export function checkRequest(given, base) {
  if (given === null || typeof given !== "object") {
    throw invalid("A request must be an object such as { endpoint: '/v1/feed/posts', payload: { text: 'hello' } }");
  }
  const method = given.method ?? "POST";
  if (!METHODS.includes(method)) {
    throw invalid(`The method must be POST, PUT, PATCH or DELETE, not ${quote(String(method))}`);
  }
  const contentType = given.contentType ?? JSON_TYPE;
  checkName("content type", contentType);
  if (!MEDIA_TYPE.test(contentType)) {
    throw invalid(`The content type must be a media type such as application/json, not ${quote(contentType)}`);
  }
  const operation = given.operation ?? method.toLowerCase();
  checkName("operation", operation);
  const lane = given.lane ?? DEFAULT_LANE;
  checkName("lane", lane);
  const endpoint = given.endpoint;
  checkEndpoint(endpoint, base);
  return { operation, method, endpoint, contentType, body: bodyOf(given.payload, contentType), lane };
}

/**
 * @param {string} field
 * @param {unknown} text
 */
function checkName(field, text) {
  const length = typeof text === "string" ? Array.from(text).length : 0;
  if (typeof text !== "string" || length < 1 || length > LONGEST_NAME) {
    throw invalid(`The ${field} must be a text of 1 to ${LONGEST_NAME} characters`);
  }
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text) || HALF_OF_A_PAIR.test(text)) {
    throw invalid(`The ${field} must not contain control characters or halves of surrogate pairs`);
  }
}

/**
 * The token is sent to every endpoint, so all are of one origin. The path must be in the form in which the browser sends it: the server
 * knows keys by the path.
 *
 * @param {unknown} endpoint
 * @param {string} base
 */
function checkEndpoint(endpoint, base) {
  if (typeof endpoint === "string" && endpoint.length > LONGEST_ENDPOINT) {
    throw invalid(`The endpoint has ${endpoint.length} characters; the most is ${LONGEST_ENDPOINT}`);
  }
  if (typeof endpoint === "string" && /^\/(?![/\\])[!-~]*$/.test(endpoint)) {
    const url = URL.canParse(endpoint, base) ? new URL(endpoint, base) : null;
    if (url !== null && url.origin === base && url.pathname + url.search === endpoint) {
      return;
    }
  }
  throw invalid(
    `The endpoint must be a path of ${base} such as /v1/feed/posts, encoded as in a URL and without a fragment, not ${quote(String(endpoint))}`,
  );
}

/**
 * @param {unknown} payload
 * @param {string} contentType
 */
function bodyOf(payload, contentType) {
  if (payload === undefined) {
    return null;
  }
  const body = isJson(contentType) ? jsonOf(payload) : payload;
  if (typeof body !== "string") {
    throw invalid(`The payload of a ${contentType} must be a text`);
  }
  if (!isJson(contentType) && HALF_OF_A_PAIR.test(body)) {
    throw invalid("The payload contains half of a surrogate pair, which UTF-8 cannot encode");
  }
  const bytes = new TextEncoder().encode(body).length;
  if (bytes > MOST_PAYLOAD_BYTES) {
    throw invalid(`The payload has ${bytes} bytes; the most is ${MOST_PAYLOAD_BYTES}`);
  }
  return body;
}

/** @param {unknown} payload */
function jsonOf(payload) {
  let json;
  try {
    json = JSON.stringify(payload);
  } catch (e) {
    throw invalid(`The payload cannot be written as JSON: ${e instanceof Error ? e.message : e}`);
  }
  if (json === undefined) {
    throw invalid("The payload cannot be written as JSON");
  }
  if (ESCAPED_HALF.test(json)) {
    throw invalid("The payload contains half of a surrogate pair, which JSON in UTF-8 cannot encode");
  }
  return json;
}

/** @param {string} contentType */
function isJson(contentType) {
  const type = contentType.toLowerCase().split(";", 1)[0].trim();
  return type === JSON_TYPE || (type.startsWith("application/") && type.endsWith("+json"));
}

/**
 * Returns the payload that a stored body was made from.
 *
 * @param {StoredRequest} request
 */
export function payloadOf(request) {
  if (request.body === null) {
    return undefined;
  }
  return isJson(request.contentType) ? JSON.parse(request.body) : request.body;
}
