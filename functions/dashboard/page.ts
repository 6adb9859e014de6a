import * as z from "zod";
import { anyone } from "../../lib/auth/guards.ts";
import { notFound } from "../../lib/errors.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { readPackaged } from "../../lib/http/packaged.ts";

/** Everything comes from this service; the charts are drawn without `eval` and without styles of their own. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const own = (name: string) => new URL(`./page/${name}`, import.meta.url);

const assets: Record<string, { type: string; file: URL }> = {
  "dashboard.css": { type: "text/css", file: own("dashboard.css") },
  "dashboard.js": { type: "text/javascript", file: own("dashboard.js") },
  "api.js": { type: "text/javascript", file: own("api.js") },
  "charts.js": { type: "text/javascript", file: own("charts.js") },
  "chart.js": {
    type: "text/javascript",
    file: new URL("../../node_modules/chart.js/dist/chart.umd.min.js", import.meta.url),
  },
};

export const getDashboardPage = endpoint(
  {
    id: "getDashboardPage",
    method: "get",
    path: "/",
    summary: "See the reports as charts in a browser",
    ...anyone,
    answer: { status: 200, description: "A page", schema: undefined },
  },
  async ({ deps, http }) => {
    // Links are relative, so that they also hold under the stage of an API Gateway address.
    const isFolder = new URL(http.req.url).pathname.endsWith("/");
    const html = (await readPackaged(own("index.html")))
      .replaceAll("{{name}}", escapeHtml(deps.config.APP_NAME))
      .replaceAll("{{assets}}", isFolder ? "." : "dashboard")
      .replaceAll("{{api}}", `${isFolder ? "../.." : ".."}${deps.config.API_V1_PREFIX}`);
    return http.html(html, 200, { "Content-Security-Policy": contentPolicy, "Cache-Control": "no-cache" });
  },
);

export const getDashboardAsset = endpoint(
  {
    id: "getDashboardAsset",
    method: "get",
    path: "/{asset}",
    summary: "Read a part of the page",
    ...anyone,
    params: z.object({ asset: z.string() }),
    answer: { status: 200, description: "A script or a style sheet", schema: undefined },
    fails: [404],
  },
  async ({ params, http }) => {
    const found = Object.hasOwn(assets, params.asset) ? assets[params.asset] : undefined;
    if (!found) throw notFound("Asset");
    return http.body(await readPackaged(found.file), 200, {
      "Content-Type": `${found.type}; charset=utf-8`,
      "Cache-Control": "public, max-age=3600",
    });
  },
);

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
