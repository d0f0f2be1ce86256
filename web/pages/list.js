/**
 * A long list, of which only the part around the visible one is in the document. Gaps stand for the rest, with the heights that were measured
 * or are expected. The browser keeps what is visible in place (scroll anchoring) if a height was expected wrongly.
 */

import { h } from "./dom.js";

/** How far beyond the window elements are rendered, in pixels. */
const AROUND = 1500;

const EXPECTED = 150;

export class WindowedList {
  #container;
  #create;
  #update;
  #nearEnd;
  /** @type {string[]} */
  #keys = [];
  /** @type {Map<string, HTMLElement>} */
  #elements = new Map();
  /** @type {Map<string, number>} */
  #heights = new Map();
  #sum = 0;
  /** Where each element begins, and the end of the last one. */
  #offsets = new Float64Array(1);
  #gaps = [gap(), gap(), gap()];
  #isScheduled = false;
  #observer = new ResizeObserver((changes) => this.#measured(changes));

  /**
   * @param {HTMLElement} container
   * @param {(key: string) => HTMLElement} create
   * @param {(element: HTMLElement, key: string, index: number) => void} update
   * @param {() => void} nearEnd is called when the end of the list is near
   */
  constructor(container, create, update, nearEnd) {
    this.#container = container;
    this.#create = create;
    this.#update = update;
    this.#nearEnd = nearEnd;
    container.append(...this.#gaps);
    window.addEventListener("scroll", () => this.schedule(), { passive: true });
    window.addEventListener("resize", () => this.schedule());
    container.addEventListener("focusout", () => this.schedule());
  }

  /** @param {string[]} keys */
  set keys(keys) {
    this.#keys = keys;
    this.#addUp();
    this.schedule();
  }

  /** Renders before the next frame. */
  schedule() {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      requestAnimationFrame(() => {
        this.#isScheduled = false;
        this.#render();
      });
    }
  }

  /**
   * Moves the focus to an element.
   *
   * @param {string} key
   * @param {number} step how many elements further
   */
  focus(key, step) {
    const index = this.#keys.indexOf(key) + step;
    if (index >= 0 && index < this.#keys.length) {
      const next = this.#keys[index];
      if (!this.#elements.has(next)) {
        window.scrollTo(0, this.#container.getBoundingClientRect().top + window.scrollY + this.#offsets[index]);
        this.#render();
      }
      this.#elements.get(next)?.focus();
    }
  }

  /**
   * Creates an element again, since what does not change otherwise has changed.
   *
   * @param {string} key
   */
  forget(key) {
    const element = this.#elements.get(key);
    if (element !== undefined) {
      this.#observer.unobserve(element);
      this.#elements.delete(key);
      element.remove();
    }
  }

  #addUp() {
    const expected = this.#heights.size === 0 ? EXPECTED : this.#sum / this.#heights.size;
    const offsets = new Float64Array(this.#keys.length + 1);
    this.#keys.forEach((key, i) => {
      offsets[i + 1] = offsets[i] + (this.#heights.get(key) ?? expected);
    });
    this.#offsets = offsets;
  }

  /**
   * Returns the index of the element at a position.
   *
   * @param {number} position
   */
  #indexAt(position) {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#offsets[middle + 1] <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  #render() {
    const top = -this.#container.getBoundingClientRect().top;
    const from = this.#indexAt(top - AROUND);
    const to = Math.min(this.#keys.length, this.#indexAt(top + window.innerHeight + AROUND) + 1);
    const focused = this.#focusedIndex();
    /** @type {Node[]} */
    const nodes = [];
    let gaps = 0;
    let end = 0;
    const skipTo = (/** @type {number} */ index) => {
      const space = this.#gaps[gaps++];
      space.style.height = `${this.#offsets[index] - this.#offsets[end]}px`;
      nodes.push(space);
      end = index;
    };
    const add = (/** @type {number} */ index) => {
      nodes.push(this.#element(index));
      end = index + 1;
    };
    if (focused >= 0 && focused < from) {
      skipTo(focused);
      add(focused);
    }
    skipTo(from);
    for (let i = from; i < to; i++) {
      add(i);
    }
    if (focused >= to) {
      skipTo(focused);
      add(focused);
    }
    skipTo(this.#keys.length);
    this.#place(nodes);
    if (to >= this.#keys.length - 20) {
      this.#nearEnd();
    }
  }

  #focusedIndex() {
    const article = document.activeElement?.closest("[data-key]");
    const key = article instanceof HTMLElement && this.#container.contains(article) ? article.dataset.key : undefined;
    return key === undefined ? -1 : this.#keys.indexOf(key);
  }

  /** @param {number} index */
  #element(index) {
    const key = this.#keys[index];
    let element = this.#elements.get(key);
    if (element === undefined) {
      element = this.#create(key);
      element.dataset.key = key;
      this.#elements.set(key, element);
      this.#observer.observe(element);
    }
    this.#update(element, key, index);
    return element;
  }

  /**
   * Makes nodes the only children, without moving those that stay: an element that is moved loses its focus.
   *
   * @param {Node[]} nodes
   */
  #place(nodes) {
    const wanted = new Set(nodes);
    for (const [key, element] of this.#elements) {
      if (!wanted.has(element)) {
        this.#observer.unobserve(element);
        this.#elements.delete(key);
        element.remove();
      }
    }
    let before = this.#container.firstChild;
    for (const node of nodes) {
      while (before !== null && before !== node && before.nodeType === Node.ELEMENT_NODE && !(/** @type {HTMLElement} */ (before).dataset.key)) {
        before = before.nextSibling; // a gap, which is placed by itself
      }
      if (node === before) {
        before = before.nextSibling;
      } else {
        this.#container.insertBefore(node, before);
      }
    }
    for (const space of this.#gaps) {
      if (!wanted.has(space)) {
        space.remove();
      }
    }
  }

  /** @param {ResizeObserverEntry[]} changes */
  #measured(changes) {
    let isDifferent = false;
    for (const { target, borderBoxSize } of changes) {
      const key = /** @type {HTMLElement} */ (target).dataset.key ?? "";
      const height = borderBoxSize[0].blockSize;
      const known = this.#heights.get(key);
      if (height > 0 && known !== height) {
        this.#sum += height - (known ?? 0);
        this.#heights.set(key, height);
        isDifferent = true;
      }
    }
    if (isDifferent) {
      this.#addUp();
      this.schedule();
    }
  }
}

function gap() {
  return h("div", { className: "gap" });
}
