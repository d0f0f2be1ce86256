/**
 * Keeps one version of the pages and their files, so that they load offline. Requests to the API always go to the server. Paths of files
 * contain the version, and a page and its files come from the same cache, so versions never mix.
 */

const VERSION = "{version}";
const PATHS = ["{paths}"];
const PREFIX = "semel-pages-";
const CACHE = PREFIX + VERSION;

self.addEventListener("install", (event) => event.waitUntil(install()));

async function install() {
  const cache = await caches.open(CACHE);
  await Promise.all(
    PATHS.map(async (path) => {
      const response = await fetch(path, { headers: { Accept: "text/html, */*" }, cache: "no-cache" });
      if (!response.ok || response.redirected) {
        throw new Error(`${path} has status ${response.status}`);
      }
      if (!path.startsWith("/assets/") && !(await response.clone().text()).includes(VERSION)) {
        throw new Error(`${path} is of another version`);
      }
      await cache.put(path, response);
    }),
  );
}

self.addEventListener("activate", (event) => event.waitUntil(activate()));

/** Deletes all versions but this one and the one before, which a tab may still be loading. */
async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("message", ({ data }) => {
  if (data === "activate") {
    self.skipWaiting();
  }
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const isPage = request.mode === "navigate" && PATHS.includes(url.pathname);
  const isFile = url.pathname.startsWith("/assets/") && !["/assets/pages/", "/assets/outbox/"].includes(url.pathname.replace(/[^/]*$/, ""));
  if (request.method === "GET" && url.origin === self.location.origin && (isPage || isFile)) {
    event.respondWith(kept(request, url.pathname));
  }
});

async function kept(request, path) {
  const cache = await caches.open(CACHE);
  const own = await cache.match(path, { ignoreVary: true });
  return own ?? (await caches.match(path, { ignoreVary: true })) ?? fetch(request);
}
