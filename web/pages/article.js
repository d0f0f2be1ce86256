/** A post as an element of the feed. */

import { h, handOver, setText } from "./dom.js";

/** Longer texts are folded. */
const LONG = 1200;
const MANY_LINES = 14;

/**
 * What an article shows.
 *
 * @typedef {object} View
 * @property {string} id
 * @property {string} author empty if it is not known
 * @property {string} text
 * @property {string} createdAt
 * @property {number} likes
 * @property {boolean} isLiked
 * @property {number} comments
 * @property {boolean} isOwn
 * @property {boolean} isGone whether the post does not exist any more, and only changes to it do
 * @property {boolean} isBeingDeleted
 * @property {"" | "sending" | "waiting" | "failed" | "replayed"} state
 * @property {string} status its text
 * @property {boolean} canSendAgain
 * @property {boolean} isOpen whether comments are shown
 * @property {{ key: string, author: string, text: string, createdAt: string, state: string }[]} shown comments
 * @property {boolean} hasMore whether there are further comments
 *
 * @typedef {object} Actions
 * @property {(id: string) => void} like
 * @property {(id: string) => void} toggle
 * @property {(id: string) => void} sendAgain
 * @property {(id: string) => void} remove
 * @property {(id: string) => void} retry
 * @property {(id: string) => void} discard
 * @property {(id: string) => void} more
 * @property {(id: string, text: string) => Promise<string>} comment returns what is wrong; empty if nothing
 * @property {Map<string, string>} drafts comments that are being written, by post
 */

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const AGES = /** @type {const} */ ([
  [60_000, 1000, "second"],
  [3_600_000, 60_000, "minute"],
  [86_400_000, 3_600_000, "hour"],
  [7 * 86_400_000, 86_400_000, "day"],
]);
const AGE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** @param {string} time */
function ageOf(time) {
  const age = Date.now() - Date.parse(time);
  if (age < 45_000) {
    return "now";
  }
  for (const [below, unit, name] of AGES) {
    if (age < below) {
      return AGE.format(-Math.round(age / unit), name);
    }
  }
  return DATE.format(new Date(time));
}

/** @param {string} time */
function timeElement(time) {
  return h("time", { dateTime: time, title: EXACT.format(new Date(time)) }, ageOf(time));
}

/** @param {string} id @param {string} name @param {(id: string) => void} action @param {string} [className] */
function button(id, name, action, className = "quiet") {
  return h("button", { type: "button", className, click: () => action(id) }, name);
}

/**
 * Returns an article without its changing parts.
 *
 * @param {View} view
 * @param {Actions} actions
 */
export function createArticle(view, actions) {
  const { id } = view;
  const isLong = view.text.length > LONG || view.text.split("\n", MANY_LINES + 1).length > MANY_LINES;
  const text = h("p", { className: isLong ? "text folded" : "text", id: `text-${id}`, dir: "auto" }, view.text);
  const unfold = (/** @type {Event} */ { target }) => {
    const isFolded = text.classList.toggle("folded");
    const control = /** @type {HTMLElement} */ (target);
    setText(control, isFolded ? "Show all" : "Show less");
    control.setAttribute("aria-expanded", String(!isFolded));
  };
  const author = h("bdi", { className: "author", id: `author-${id}` }, view.author === "" ? "A post" : view.author);
  const article = h(
    "article",
    { className: "post", tabIndex: 0, "aria-labelledby": `author-${id}`, "aria-describedby": `text-${id}` },
    h("span", { className: "seal", "aria-hidden": "true" }),
    h("header", {}, author, view.createdAt === "" ? "" : timeElement(view.createdAt)),
    text,
    isLong ? h("button", { type: "button", className: "quiet unfold", "aria-expanded": "false", click: unfold }, "Show all") : "",
    h("div", { className: "actions" }),
    h("p", { className: "status", role: "status", hidden: true }),
    h("div", { className: "decide", hidden: true }),
  );
  return article;
}

/**
 * Shows what may have changed.
 *
 * @param {HTMLElement} article
 * @param {View} view
 * @param {Actions} actions
 */
export function updateArticle(article, view, actions) {
  const { id } = view;
  article.dataset.state = view.state;
  article.classList.toggle("being-deleted", view.isBeingDeleted);
  const time = article.querySelector("time");
  if (time !== null && view.createdAt !== "") {
    setText(time, ageOf(view.createdAt));
  }
  updateActions(/** @type {HTMLElement} */ (article.querySelector(".actions")), view, actions);
  const status = /** @type {HTMLElement} */ (article.querySelector(".status"));
  status.hidden = view.status === "";
  setText(status, view.status);
  const decide = /** @type {HTMLElement} */ (article.querySelector(".decide"));
  const isFailed = view.state === "failed";
  if (isFailed && decide.firstChild === null) {
    decide.append(button(id, "Retry", actions.retry, "small primary"), button(id, "Discard", actions.discard, "small"));
  } else if (!isFailed) {
    decide.replaceChildren();
  }
  decide.hidden = !isFailed;
  updateComments(article, view, actions);
}

/** @param {HTMLElement} bar @param {View} view @param {Actions} actions */
function updateActions(bar, view, actions) {
  const { id } = view;
  const wanted = view.isGone
    ? []
    : ["like", "comment", "count", ...(view.canSendAgain ? ["again"] : []), ...(view.isOwn ? ["delete"] : [])];
  if (bar.dataset.has !== wanted.join()) {
    const made = {
      like: () => button(id, "", actions.like, "quiet like"),
      comment: () => button(id, "Comment", actions.toggle),
      count: () => h("span", { className: "count" }),
      again: () => button(id, "Send again", actions.sendAgain),
      delete: () => button(id, "Delete", actions.remove, "quiet delete"),
    };
    const old = new Map([...bar.children].map((child) => [/** @type {HTMLElement} */ (child).dataset.is, child]));
    wanted.forEach((name, i) => {
      const element = old.get(name) ?? made[/** @type {keyof typeof made} */ (name)]();
      element.dataset.is = name;
      if (bar.children[i] !== element) {
        bar.insertBefore(element, bar.children[i] ?? null);
      }
    });
    [...bar.children].slice(wanted.length).forEach((child) => child.remove());
    bar.dataset.has = wanted.join();
  }
  if (!view.isGone) {
    const like = /** @type {HTMLElement} */ (bar.querySelector(".like"));
    setText(like, `Like (${view.likes})`);
    like.setAttribute("aria-pressed", String(view.isLiked));
    bar.querySelector("[data-is=comment]")?.setAttribute("aria-expanded", String(view.isOpen));
    setText(/** @type {HTMLElement} */ (bar.querySelector(".count")), view.comments === 0 ? "" : view.comments === 1 ? "1 comment" : `${view.comments} comments`);
  }
}

/** @param {HTMLElement} article @param {View} view @param {Actions} actions */
function updateComments(article, view, actions) {
  let section = /** @type {HTMLElement | null} */ (article.querySelector(".comments"));
  if (!view.isOpen) {
    section?.remove();
    return;
  }
  if (section === null) {
    section = commentSection(view, actions);
    article.append(section);
  }
  const list = /** @type {HTMLElement} */ (section.querySelector("ol"));
  const shown = new Map([...list.children].map((item) => [/** @type {HTMLElement} */ (item).dataset.comment, item]));
  const items = view.shown.map((comment) => {
    const item = /** @type {HTMLElement} */ (shown.get(comment.key) ?? commentItem(comment));
    item.dataset.state = comment.state;
    setText(/** @type {HTMLElement} */ (item.querySelector(".state")), comment.state);
    return item;
  });
  const kept = new Set(items);
  [...list.children].filter((item) => !kept.has(/** @type {HTMLElement} */ (item))).forEach((item) => item.remove());
  items.forEach((item, i) => {
    if (list.children[i] !== item) {
      list.insertBefore(item, list.children[i] ?? null);
    }
  });
  list.hidden = items.length === 0;
  /** @type {HTMLElement} */ (section.querySelector("form")).hidden = view.isGone;
  /** @type {HTMLElement} */ (section.querySelector(".more")).hidden = !view.hasMore;
}

/** @param {{ key: string, author: string, text: string, createdAt: string }} comment */
function commentItem({ key, author, text, createdAt }) {
  return h(
    "li",
    { "data-comment": key },
    h("p", { className: "by" }, h("bdi", { className: "author" }, author), timeElement(createdAt), h("span", { className: "state" })),
    h("p", { className: "text", dir: "auto" }, text),
  );
}

/** @param {View} view @param {Actions} actions */
function commentSection({ id }, actions) {
  const field = h("textarea", {
    id: `comment-${id}`,
    rows: 1,
    placeholder: "Reply",
    dir: "auto",
    value: actions.drafts.get(id) ?? "",
    input: () => actions.drafts.set(id, field.value),
    keydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        form.requestSubmit();
      }
    },
  });
  const problem = h("p", { className: "problem", role: "alert" });
  const form = h(
    "form",
    {
      className: "reply",
      submit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        if (field.value.trim() === "") {
          field.focus();
          return;
        }
        setText(problem, await handOver(field, (text) => actions.comment(id, text)));
        actions.drafts.set(id, field.value);
      },
    },
    h("label", { className: "unseen", htmlFor: `comment-${id}` }, "Write a comment"),
    field,
    h("button", { className: "small primary" }, "Send"),
    problem,
  );
  return h(
    "div",
    { className: "comments", role: "group", "aria-label": "Comments" },
    h("ol", {}),
    button(id, "More comments", actions.more, "quiet more"),
    form,
  );
}
