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
