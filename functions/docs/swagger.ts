import * as z from "zod";
import { anyone } from "../../lib/auth/guards.ts";
import { notFound } from "../../lib/errors.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { readPackaged } from "./packaged.ts";

/** Everything comes from this service; Swagger UI sets styles of its own, and needs no `eval`. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const startScript = `
const place = document.getElementById("swagger-ui");
SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
`;

const swaggerFile = (name: string) => readPackaged(`../../node_modules/swagger-ui-dist/${name}`);

const assets: Record<string, { type: string; read: () => Promise<string> }> = {
  "swagger-ui.css": { type: "text/css", read: () => swaggerFile("swagger-ui.css") },
  "swagger-ui-bundle.js": { type: "text/javascript", read: () => swaggerFile("swagger-ui-bundle.js") },
  "start.js": { type: "text/javascript", read: async () => startScript },
};

export const swaggerPage = endpoint(
  {
    method: "get",
    path: "/docs",
    summary: "Explore the API in a browser",
    ...anyone,
    answer: { status: 200, description: "A page", schema: undefined },
  },
  ({ deps, http }) => {
    // Links are relative, so that they also hold under the stage of an API Gateway address.
    const root = new URL(http.req.url).pathname.endsWith("/") ? "../" : "./";
    return http.html(page(deps.config.APP_NAME, root), 200, { "Content-Security-Policy": contentPolicy });
  },
);

export const swaggerAsset = endpoint(
  {
    method: "get",
    path: "/docs/{asset}",
    summary: "Read a part of the page",
    ...anyone,
    params: z.object({ asset: z.string() }),
    answer: { status: 200, description: "A script or a style sheet", schema: undefined },
    fails: [404],
  },
  async ({ params, http }) => {
    const asset = Object.hasOwn(assets, params.asset) ? assets[params.asset] : undefined;
    if (!asset) throw notFound("Asset");
    // Without the charset a browser refuses to parse the bundle.
    const headers = {
      "Content-Type": `${asset.type}; charset=utf-8`,
      "Cache-Control": "public, max-age=3600",
    };
    return http.body(await asset.read(), 200, headers);
  },
);

const page = (title: string, root: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${root}docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui" data-document="${root}openapi.json"></div>
    <script src="${root}docs/swagger-ui-bundle.js"></script>
    <script src="${root}docs/start.js"></script>
  </body>
</html>
`;

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
