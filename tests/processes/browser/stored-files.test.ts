import { mkdtemp, rm } from "node:fs/promises";
import { request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newObjectKey, newUploadKey } from "../../../lib/platform/file-store/keys.ts";
import { systemBrowser } from "../../support/browser.ts";
import { serveFolder } from "../../support/file-stores.ts";
import { createPatientServer } from "../../support/patient-server.ts";

/** Reports to the origin, in every possible way, that it ran. */
const script = `
  document.cookie = "ran=cookie"; localStorage.setItem("ran", "storage");
  fetch("/ran", { method: "POST" }); new Image().src = "/ran";
  (window.opener || window.parent || window).postMessage("ran", "*");
  try { window.top.document.title = "ran"; } catch {}
  navigator.serviceWorker?.register(location.href);`;

const page = `<!doctype html><html><body onload="fetch('/ran')"><script>${script}</script><img src=x onerror="fetch('/ran')"></body></html>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('/ran')"><script>${script}</script></svg>`;
const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><script>${script}</script></body></html>`;
const style = `<?xml version="1.0"?><?xml-stylesheet type="text/xml" href="#s"?><xsl:stylesheet id="s" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><script>${script}</script></html></xsl:template></xsl:stylesheet>`;
/** Files that an attacker would store. */
const contents: Record<string, string> = {
  html: page,
  svg,
  xhtml,
  "xml with a stylesheet": style,
  "pdf and html": `%PDF-1.7\n${page}`,
  "gif and script": `GIF89a=1;${script}//`,
};

/** Their possible media types: the actual one, or one for display. The first are also opened as pages. */
const types = [
  ...["text/html", "text/plain", "application/pdf", "image/png"],
  ...["image/svg+xml", "application/xhtml+xml", "text/javascript", ""],
];

const openedAsPages = 4;

/** A page of the service's own with each file in frames and as picture, script, style and worker. */
const hostOf = (addresses: readonly string[]): string =>
  `<!doctype html><title>service</title><script>addEventListener("message", ({ data }) => { if (data === "ran") fetch("/ran"); });</script>
  ${addresses
    .map(
      (
        address,
      ) => `<iframe src="${address}"></iframe><embed src="${address}"><object data="${address}"></object><img src="${address}">
      <video src="${address}"></video><script src="${address}"></script><script type="module" src="${address}"></script><link rel="stylesheet" href="${address}">
      <script>try { new Worker("${address}").onerror = () => {}; } catch {} navigator.serviceWorker?.register("${address}").catch(() => {});</script>`,
    )
    .join("\n")}`;

describe.runIf(systemBrowser)("a stored file", () => {
  let folder: string;
  let served: Awaited<ReturnType<typeof serveFolder>>;
  let service: Server;
  let origin: string;
  let browser: Browser;
  let context: BrowserContext;
  /** Scripts that ran have requested this from the service's origin. */
  const ran: string[] = [];
  let addresses: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "learning-platform-attack-"));
    served = await serveFolder(folder);
    // One origin for both, as on a server: its own pages, and stored files.
    service = createPatientServer((incoming, outgoing) => {
      const { url = "", method, headers } = incoming;
      if (url.startsWith("/stored/")) {
        const passed = request(`${served.publicUrl}${url}`, { method, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        });
        return void incoming.pipe(passed);
      }
      if (url.startsWith("/ran"))
        ran.push(`${method} from ${headers.referer ?? headers.origin ?? "nowhere"}`);
      outgoing
        .writeHead(200, { "Content-Type": "text/html" })
        .end({ "/host": hostOf(addresses), "/unprotected": page }[url] ?? "");
    });
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath: systemBrowser ?? "", args: ["--no-sandbox"] });
    context = await browser.newContext();
  });
  afterAll(async () => {
    await browser?.close();
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
    await served.close();
    await rm(folder, { recursive: true, force: true });
  });

  const store = async (content: string, mediaType: string, inline: boolean) => {
    const bytes = Buffer.from(content, "latin1");
    const [from, to] = [newUploadKey(), newObjectKey()];
    const addressing = { expiresInSeconds: 600, publicUrl: served.publicUrl };
    const { url, headers } = await served.store.signUpload(
      from,
      { size: bytes.length, mediaType: "x/y" },
      addressing,
    );
    await fetch(url, { method: "PUT", headers, body: bytes });
    await served.store.take(from, to);
    const options = {
      name: "a.html",
      mediaType,
      inline,
      sha256: null,
      expiresInSeconds: 600,
      publicUrl: origin,
    };
    return served.store.signDownload(to, options);
  };

  /** Traces at the origin since the last check. */
  const traces = async (): Promise<string[]> => {
    const tab = await context.newPage();
    await tab.goto(`${origin}/`);
    const kept = await tab.evaluate<string>(`document.cookie + (localStorage.getItem("ran") ?? "")`);
    await tab.close();
    return [...ran.splice(0), ...(kept ? [kept] : [])];
  };

  it("would run if it could: the check detects it", async () => {
    const tab = await context.newPage();
    await tab.goto(`${origin}/unprotected`);
    await expect.poll(() => ran.length).toBeGreaterThan(2);
    await tab.evaluate("localStorage.clear()");
    expect(await traces()).toContain("ran=cookie");
    await context.clearCookies();
    await tab.close();
    expect(await traces()).toEqual([]);
  });

  it.each(Object.keys(contents))("runs nowhere on the service's origin: %s", async (name) => {
    const kinds = [true, false].flatMap((inline) => types.map((type) => ({ type, inline })));
    addresses = await Promise.all(kinds.map(({ type, inline }) => store(contents[name] ?? "", type, inline)));
    const tab = await context.newPage();
    await tab.goto(`${origin}/host`, { waitUntil: "load" });
    // Changes if a file reaches its parent page.
    expect(await tab.title()).toBe("service");
    for (const address of addresses.slice(0, openedAsPages))
      await tab.goto(address, { waitUntil: "load" }).catch(() => {}); // An attachment is not a page.
    await tab.close();
    expect(await traces()).toEqual([]);
  });
});
