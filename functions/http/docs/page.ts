import { hash } from "node:crypto";
import * as z from "zod";
import { notFound } from "../../../lib/errors.ts";
import { type Endpoint, endpoint } from "../../../lib/http/endpoint.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { escapeHtml } from "../../../lib/platform/text/escape-html.ts";

type Asset = { type: "text/css" | "text/javascript"; read: () => Promise<string> };

export type DocumentationPage = {
  /** The operation ids of the page and its assets. */
  ids: readonly [page: string, asset: string];
  name: string;
  summary: string;
  folder: string;
  assets: Record<string, Asset>;
  /** The HTML body. `root` is the relative path to the service's root. */
  body(root: string): string;
  /** CSP directives that the library needs beyond the default. */
  policy?: string;
};

/** Everything is served from this origin. The libraries need inline styles, but no `eval`. */
const policyOf = (html: string) => [
  "default-src 'none'",
  ["script-src 'self'", ...inlineScriptsOf(html).map(hashOf)].join(" "),
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** Inline scripts of the page, which are allowed by hash. */
const inlineScriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = ""]) => script);

const hashOf = (script: string): string => `'sha256-${hash("sha256", script, "base64")}'`;

export function documentationPageEndpoints({
  ids,
  name,
  summary,
  folder,
  assets,
  body,
  policy,
}: DocumentationPage): [Endpoint, Endpoint] {
  const readPage = endpoint(
    {
      id: ids[0],
      method: "get",
      path: `/${name}`,
      summary,
      ...anyone,
      answer: { status: 200, description: "A page", schema: undefined },
    },
    ({ deps, http }) => {
      // Relative links work below an API Gateway stage too.
      const root = new URL(http.req.url).pathname.endsWith("/") ? "../" : "./";
      const html = htmlOf(deps.config.APP_NAME, body(root));
      const policies = [...policyOf(html), ...(policy ? [policy] : [])];
      return http.html(html, 200, { "Content-Security-Policy": policies.join("; ") });
    },
  );

  const readAsset = endpoint(
    {
      id: ids[1],
      method: "get",
      path: `/${folder}/{asset}`,
      summary: "Read a part of the page",
      ...anyone,
      params: z.object({ asset: z.string() }),
      answer: { status: 200, description: "A script or a style sheet", schema: undefined },
      fails: [404],
    },
    async ({ params, http }) => {
      const asset = Object.hasOwn(assets, params.asset) ? assets[params.asset] : undefined;
      if (!asset) throw notFound("Asset");
      // Without a charset, browsers fail to parse the bundles.
      const headers = {
        "Content-Type": `${asset.type}; charset=utf-8`,
        "Cache-Control": "public, max-age=3600",
      };
      return http.body(await asset.read(), 200, headers);
    },
  );

  return [readPage, readAsset];
}

const htmlOf = (title: string, body: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    ${body}
  </body>
</html>
`;
