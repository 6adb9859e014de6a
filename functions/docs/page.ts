import * as z from "zod";
import { anyone } from "../../lib/auth/guards.ts";
import { notFound } from "../../lib/errors.ts";
import { type Endpoint, endpoint } from "../../lib/http/endpoint.ts";
import { escapeHtml } from "../../lib/text/escape-html.ts";

type Asset = { type: "text/css" | "text/javascript"; read: () => Promise<string> };

/** A page that shows the API document with a library of the browser. */
export type DocumentationPage = {
  /** Of the two operations: the page, and a part of it. */
  ids: readonly [page: string, asset: string];
  /** Where it is, as one word. */
  name: string;
  summary: string;
  /** The files of the library, by the names that they are served under. */
  assets: Record<string, Asset>;
  /** Begins to show the document, whose address is in `element.dataset.document`. */
  start: string;
  /** What the library needs beyond the usual content security policy. */
  policy?: string;
};

/** Everything comes from this service; the libraries set styles of their own, and need no `eval`. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** The two operations of such a page: the page itself, and the parts that it loads. */
export function pageEndpoints({
  ids,
  name,
  summary,
  policy,
  ...page
}: DocumentationPage): [Endpoint, Endpoint] {
  const assets: Record<string, Asset> = {
    ...page.assets,
    "start.js": {
      type: "text/javascript",
      read: async () => `const element = document.getElementById("page");\n${page.start}`,
    },
  };
  const policies = [...contentPolicy, ...(policy ? [policy] : [])].join("; ");

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
      // Links are relative, so that they also hold under the stage of an API Gateway address.
      const root = new URL(http.req.url).pathname.endsWith("/") ? "../" : "./";
      const html = htmlOf(deps.config.APP_NAME, root, name, assets);
      return http.html(html, 200, { "Content-Security-Policy": policies });
    },
  );

  const readAsset = endpoint(
    {
      id: ids[1],
      method: "get",
      path: `/${name}/{asset}`,
      summary: "Read a part of the page",
      ...anyone,
      params: z.object({ asset: z.string() }),
      answer: { status: 200, description: "A script or a style sheet", schema: undefined },
      fails: [404],
    },
    async ({ params, http }) => {
      const asset = Object.hasOwn(assets, params.asset) ? assets[params.asset] : undefined;
      if (!asset) throw notFound("Asset");
      // Without the charset a browser refuses to parse the bundles.
      const headers = {
        "Content-Type": `${asset.type}; charset=utf-8`,
        "Cache-Control": "public, max-age=3600",
      };
      return http.body(await asset.read(), 200, headers);
    },
  );

  return [readPage, readAsset];
}

function htmlOf(title: string, root: string, name: string, assets: Record<string, Asset>): string {
  const files = Object.entries(assets).map(([file, { type }]) => ({ type, link: `${root}${name}/${file}` }));
  const styles = files.filter(({ type }) => type === "text/css");
  const scripts = files.filter(({ type }) => type === "text/javascript");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:,">
    ${styles.map(({ link }) => `<link rel="stylesheet" href="${link}">`).join("\n    ")}
  </head>
  <body>
    <div id="page" data-document="${root}openapi.json"></div>
    ${scripts.map(({ link }) => `<script src="${link}"></script>`).join("\n    ")}
  </body>
</html>
`;
}
