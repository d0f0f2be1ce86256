import { h } from "./dom.js";

/**
 * Asks a question in a modal dialog. Returns whether the person has chosen the action; Escape does not.
 *
 * @param {string} title
 * @param {string} text
 * @param {string} action name of the button that does it
 * @returns {Promise<boolean>}
 */
export function ask(title, text, action) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { "aria-labelledby": "dialog-title", "aria-describedby": "dialog-text", close: () => closed() },
      h("h2", { id: "dialog-title" }, title),
      h("p", { id: "dialog-text" }, text),
      h(
        "div",
        { className: "actions" },
        h("button", { type: "button", autofocus: true, click: () => dialog.close("") }, "Cancel"),
        h("button", { type: "button", className: "primary", click: () => dialog.close("yes") }, action),
      ),
    );
    const closed = () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    };
    document.body.append(dialog);
    dialog.showModal();
  });
}
