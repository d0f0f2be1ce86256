/** Creates elements. Texts are set as text, never as HTML. */

/**
 * Returns a new element.
 *
 * @param {string} name
 * @param {Record<string, any>} [properties] properties of the element; those with a dash and `role` are attributes, and functions listeners
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === "function") {
      element.addEventListener(key, value);
    } else if (key.includes("-") || key === "role") {
      element.setAttribute(key, value);
    } else {
      element[key] = value;
    }
  }
  element.append(...children);
  return element;
}

/**
 * Returns an element of the page.
 *
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * Sets the text of an element, if it has another one: screen readers announce each change.
 *
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/**
 * Hands over the text of a field, and empties the field at once, so that what is written meanwhile stays in it. If the text is not accepted, it
 * is put back before that.
 *
 * @param {HTMLTextAreaElement} field
 * @param {(text: string) => Promise<string>} accept returns what is wrong; an empty text if it was accepted
 * @returns {Promise<string>} what is wrong
 */
export async function handOver(field, accept) {
  const text = field.value;
  field.value = "";
  const wrong = await accept(text);
  if (wrong !== "") {
    field.value = field.value === "" ? text : `${text}\n${field.value}`;
  }
  return wrong;
}
