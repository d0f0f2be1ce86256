/** What all pages with scripts have in common: signing in and out, and updates of the pages. */

import { ask } from "./dialog.js";
import { byId, h, setText } from "./dom.js";
import { session } from "./session.js";

/** Counts what would stay behind on signing out. @type {() => Promise<number>} */
let countUnsent = async () => 0;
/** @type {() => Promise<void>} */
let beforeSignOut = async () => {};

/**
 * Sets what happens when the user signs out.
 *
 * @param {() => Promise<number>} count how many changes have not been sent
 * @param {() => Promise<void>} before what has to end
 */
export function onSignOut(count, before) {
  countUnsent = count;
  beforeSignOut = before;
}

/** Shows who is signed in, or the form to sign in. */
function show() {
  const { account } = session;
  const who = byId("who");
  const gate = gateElement();
  if (account !== null) {
    who.replaceChildren(h("bdi", { className: "user" }, account.user), h("button", { type: "button", click: signOut }, "Sign out"));
  } else {
    who.replaceChildren();
  }
  const isOpen = account !== null && (session.isByName || !session.needsToken);
  gate.hidden = isOpen;
  if (isOpen) {
    gate.replaceChildren();
  } else if (gate.firstChild === null) {
    gate.append(form(account?.user));
  }
}

function gateElement() {
  let gate = byId("gate");
  if (gate === null) {
    gate = h("div", { id: "gate", className: "gate", role: "region", "aria-label": "Sign in" });
    document.querySelector("header")?.after(gate);
  }
  return gate;
}

/** @param {string | undefined} user who needs a new token; undefined if nobody is signed in */
function form(user) {
  const problem = h("p", { className: "problem", id: "sign-in-problem", role: "alert" });
  const name = h("input", { id: "name", autocomplete: "username", maxLength: 255, required: true, spellcheck: false, dir: "auto", "aria-describedby": "sign-in-problem" });
  const operator = h("input", { id: "operator", type: "checkbox" });
  const token = h("textarea", { id: "token", rows: 3, required: true, spellcheck: false, autocomplete: "off", "aria-describedby": "sign-in-problem" });
  const button = h("button", { className: "primary" }, "Sign in");
  const fields = session.isByName
    ? [
        h("div", { className: "field" }, h("label", { htmlFor: "name" }, "Name"), name),
        h("div", { className: "check" }, operator, h("label", { htmlFor: "operator" }, "Operator")),
      ]
    : [h("div", { className: "field" }, h("label", { htmlFor: "token" }, "Token"), token)];
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setText(problem, "");
    button.setAttribute("aria-disabled", "true");
    try {
      if (session.isByName) {
        await session.signInAs(name.value, operator.checked);
      } else {
        await session.signInWith(token.value.trim());
      }
      show();
      window.dispatchEvent(new Event("semel-signed-in"));
    } catch (e) {
      setText(problem, e instanceof Error ? e.message : String(e));
      (session.isByName ? name : token).focus();
    } finally {
      button.removeAttribute("aria-disabled");
    }
  };
  return h(
    "form",
    { className: "sheet sign-in", submit },
    h("h2", {}, user === undefined ? "Every write, once." : "Your token has expired"),
    h(
      "p",
      { className: "lead" },
      user === undefined
        ? session.isByName
          ? "Sign in with any name. Write with the network down, close the tab, come back tomorrow: each change arrives exactly once."
          : "Sign in with a token of this server. It stays in this browser until you close the tab."
        : "Paste a new token. Your changes are kept on this device, and sent with it.",
    ),
    ...fields,
    problem,
    button,
  );
}

async function signOut() {
  const user = session.account?.user;
  const unsent = await countUnsent();
  const isSure =
    unsent === 0 ||
    (await ask(
      "Sign out?",
      `${unsent === 1 ? "One change has" : `${unsent} changes have`} not been sent. They stay on this device, and are sent when ${user} signs in again.`,
      "Sign out anyway",
    ));
  if (isSure) {
    await beforeSignOut();
    session.signOut();
    location.reload();
  }
}

/** Installs the service worker. A new version waits until no tab uses the old one, or a person requests it. */
async function keepForOffline() {
  if (!("serviceWorker" in navigator)) {
    return;
  }
  try {
    const registration = await navigator.serviceWorker.register("/worker.js");
    const offer = () => {
      if (registration.waiting !== null && navigator.serviceWorker.controller !== null) {
        offerUpdate(registration.waiting);
      }
    };
    offer();
    registration.addEventListener("updatefound", () => {
      registration.installing?.addEventListener("statechange", offer);
    });
  } catch {
    // the page works without, as long as there is a network
  }
}

/** @param {ServiceWorker} worker */
function offerUpdate(worker) {
  if (byId("update") !== null) {
    return;
  }
  const update = () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    worker.postMessage("activate");
  };
  document.body.append(
    h(
      "div",
      { id: "update", className: "update", role: "region", "aria-label": "Update" },
      h("p", {}, "A new version of this page is ready."),
      h("button", { type: "button", className: "primary", click: update }, "Update"),
    ),
  );
}

session.addEventListener("needed", show);
session.addEventListener("token", show);
show();
keepForOffline();
