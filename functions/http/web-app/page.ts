import { readdir } from "node:fs/promises";
import * as z from "zod";
import type { Deps } from "../../../lib/deps.ts";
import { notFound } from "../../../lib/errors.ts";
import { maxFileBytes } from "../../../lib/files/limits.ts";
import { readBundledBytes, readBundledText } from "../../../lib/http/bundled-file.ts";
import { endpoint, type HandlerInput, redirects } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { allowedFrameOrigins, findFramingPlatform } from "../../../lib/integrations/lti/known-platform.ts";
import { scormPackagesUrl } from "../../../lib/platform/file-store/packages-url.ts";
import { fileStoreCspSources, resolveFileStoreSetting } from "../../../lib/platform/file-store/setting.ts";
import { escapeHtml } from "../../../lib/platform/text/escape-html.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { filePurposes } from "../../../schema/enums.ts";

/**
 * The CSP: scripts and styles only from this service or the operator's asset host, and HTML only from the
 * sanitizer's Trusted Types policy of that name. Images and films may come from anywhere, files from the file
 * store.
 */
function contentPolicy(
  config: Deps["config"],
  requestUrl: string,
  frameOrigins: readonly string[] = [],
): string {
  const stored = [
    ...fileStoreCspSources(resolveFileStoreSetting(config)),
    ...(config.PUBLIC_URL ? [new URL(config.PUBLIC_URL).origin] : []),
  ];
  const own = ["'self'", ...stored].join(" ");
  const built = config.APP_ASSETS_URL ? new URL(config.APP_ASSETS_URL).origin : "'self'";
  return [
    "default-src 'none'",
    `script-src ${built}`,
    `style-src ${built}`,
    `img-src ${own} data: https:`,
    `media-src ${own} https: blob:`,
    `font-src ${built}`,
    "manifest-src 'self'",
    // External tools of any host, in sandboxed frames. In development they, and packages, may be local.
    `frame-src 'self' https:${config.ENVIRONMENT === "development" ? " http:" : ""} ${scormPackagesUrl(config, requestUrl) ?? ""}`.trim(),
    `connect-src ${own}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameOrigins.length > 0 ? frameOrigins.join(" ") : "'none'"}`,
    "trusted-types dompurify",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

/** Upload limits in bytes by purpose, shown before an upload. Empty without a file store. */
function uploadLimits(config: Deps["config"]): string {
  if (!resolveFileStoreSetting(config)) return "";
  const limits = filePurposes.map((purpose) => {
    const name = purpose.toUpperCase() as Uppercase<typeof purpose>;
    return [name, maxFileBytes(config, name)];
  });
  return JSON.stringify(Object.fromEntries(limits));
}

/** The output of `npm run app`, at the same relative path in packages. */
const folder = new URL("../../../app/built/", import.meta.url);

const types = new Map<string, string>(
  Object.entries({
    js: "text/javascript; charset=utf-8",
    css: "text/css; charset=utf-8",
    svg: "image/svg+xml; charset=utf-8",
    png: "image/png",
    txt: "text/plain; charset=utf-8",
    woff2: "font/woff2",
  }),
);

export const leadToApp = endpoint(
  {
    id: "leadToApp",
    method: "get",
    path: "/",
    summary: "Go to the web application",
    ...anyone,
    ...redirects("To the application"),
  },
  (call) => call.http.redirect(`${pathBefore(call)}/app`),
);

export const getAppPage = endpoint(
  {
    id: "getAppPage",
    method: "get",
    path: "/app",
    summary: "Open the web application in a browser",
    ...anyone,
    changesSeldom: true,
    answer: { status: 200, description: "A page", schema: undefined },
  },
  async ({ deps, http }) => {
    // Relative links work below an API Gateway stage too.
    const isFolder = new URL(http.req.url).pathname.endsWith("/");
    const html = await appPage(deps.config, isFolder ? "." : "app", isFolder ? ".." : ".");
    const headers = {
      "Content-Security-Policy": contentPolicy(deps.config, http.req.url),
      "Cache-Control": "no-cache",
    };
    return http.html(html, 200, headers);
  },
);

/**
 * The application's page, with paths to its assets and the service. Assets on another host are requested
 * without cookies; icon and manifest come from this service.
 */
const appPage = async (config: Deps["config"], assets: string, service: string): Promise<string> =>
  (await readBundledText(new URL("index.html", folder)))
    .replaceAll("{{name}}", escapeHtml(config.APP_NAME))
    .replaceAll("{{currency}}", config.LLM_PRICES_CURRENCY)
    .replaceAll("{{assets}}", assets)
    .replaceAll(/"\{\{built\}\}[^"]*"/g, config.APP_ASSETS_URL ? "$& crossorigin" : "$&")
    .replaceAll("{{built}}", escapeHtml(config.APP_ASSETS_URL ?? assets))
    .replaceAll("{{service}}", service)
    .replaceAll("{{prefix}}", config.API_V1_PREFIX)
    .replaceAll("{{uploads}}", escapeHtml(uploadLimits(config)));

export const getEmbeddedAppPage = endpoint(
  {
    id: "getEmbeddedAppPage",
    method: "get",
    path: "/app/embed/{lti_platform_id}",
    summary: "Open what an LMS launched, in its frame",
    ...anyone,
    params: pathIds("lti_platform_id"),
    answer: { status: 200, description: "A page that the LMS's own pages may frame", schema: undefined },
    fails: [404],
  },
  async ({ deps, http, params: { lti_platform_id } }) => {
    const origins = allowedFrameOrigins(await findFramingPlatform(deps.reads, lti_platform_id));
    return http.html(await appPage(deps.config, "..", "../.."), 200, {
      "Content-Security-Policy": contentPolicy(deps.config, http.req.url, origins),
      "Cache-Control": "no-cache",
    });
  },
);

export const getAppManifest = endpoint(
  {
    id: "getAppManifest",
    method: "get",
    path: "/app/manifest.webmanifest",
    summary: "Read how a browser installs the web application",
    ...anyone,
    changesSeldom: true,
    answer: { status: 200, description: "A web application manifest", schema: undefined },
  },
  async ({ deps, http }) => {
    // Its URLs are relative, so they work below an API Gateway stage too.
    const manifest = await readBundledText(new URL("manifest.webmanifest", folder));
    const named = manifest.replaceAll('"{{name}}"', () => JSON.stringify(deps.config.APP_NAME));
    return http.body(named, 200, {
      "Content-Type": "application/manifest+json; charset=utf-8",
      "Cache-Control": "no-cache",
    });
  },
);

export const getClientPackage = endpoint(
  {
    id: "getClientPackage",
    method: "get",
    path: "/client.tgz",
    summary: "Download the typed client as a package for npm",
    ...anyone,
    changesSeldom: true,
    answer: { status: 200, description: "A package for npm", schema: undefined },
  },
  async ({ http }) =>
    http.body(new Uint8Array(await readBundledBytes(new URL("client.tgz", folder))), 200, {
      "Content-Type": "application/gzip",
      "Cache-Control": "no-cache",
    }),
);

export const getAppAsset = endpoint(
  {
    id: "getAppAsset",
    method: "get",
    path: "/app/{asset}",
    summary: "Read a part of the web application",
    ...anyone,
    params: z.object({ asset: z.string() }),
    answer: { status: 200, description: "A script, a style sheet, a picture or a font", schema: undefined },
    fails: [404],
  },
  async ({ params: { asset }, http }) => {
    const type = types.get(asset.split(".").at(-1) ?? "");
    const name = asset === icon ? [...(await assets())].find((one) => /^icon-[^.]+\.svg$/.test(one)) : asset;
    if (!type || !name || !(await assets()).has(name)) throw notFound("Asset");
    return http.body(new Uint8Array(await readBundledBytes(new URL(name, folder))), 200, {
      "Content-Type": type,
      // Asset names contain a hash. The icon's does not, since LMSs store its URL for years.
      "Cache-Control": asset === icon ? "public, max-age=86400" : "public, max-age=31536000, immutable",
    });
  },
);

/** A stable name for the current icon. */
const icon = "icon.svg";

let listed: Promise<Set<string>> | undefined;

/** Names of the built files. No other file of the package is served. */
function assets(): Promise<Set<string>> {
  listed ??= readdir(folder).then((names) => new Set(names));
  return listed;
}

/** The public path prefix, from the stage or PUBLIC_URL. */
const pathBefore = ({ deps, http }: Pick<HandlerInput, "http"> & { deps: Pick<Deps, "config"> }): string =>
  new URL(publicUrl(http, deps.config)).pathname.replace(/\/$/, "");
