import { createHash } from "node:crypto";
import { escapeHtml } from "./escape-html.ts";

export type HtmlPageWithPolicy = { html: string; policy: string };

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 2rem 1rem; color: #1b1f24; background: #fff }
main { max-width: 40rem; margin: auto }
h1 { font-size: 1.3rem }
.button { display: inline-block; padding: .6rem 1.2rem; border: 2px solid #0b57d0; border-radius: .4rem; color: #0b57d0; font-weight: 600 }
.request { color: #57606a; font-size: .85rem; overflow-wrap: anywhere }
`;

export type PageContent = {
  title: string;
  body: string;
  script?: string;
  data?: Record<string, string>;
  /** Origins that may frame the page; undefined: any, for pages without personal data. */
  frameOrigins?: readonly string[];
  /** Additional form targets; only scheme, host and path count. */
  formAction?: string | readonly string[];
};

const hashOf = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;

/** A CSP source: escapes characters that would end a directive, and drops the query. */
function sourceOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replaceAll(";", "%3B").replaceAll(",", "%2C").replaceAll("'", "%27");
}

/** Without targets the service itself. */
const formTargets = (targets: string | readonly string[] = []): string =>
  [...new Set([targets].flat().map(sourceOf))].join(" ") || "'self'";

/** The policy allows only the page's own style and script, which receives `data`. */
export function htmlPage({
  title,
  body,
  script,
  data = {},
  frameOrigins,
  formAction,
}: PageContent): HtmlPageWithPolicy {
  const attributes = Object.entries(data)
    .map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
    .join("");
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script ? [`script-src ${hashOf(script)}`] : []),
    "base-uri 'none'",
    `form-action ${body.includes("<form ") ? formTargets(formAction) : "'none'"}`,
    ...(frameOrigins ? [`frame-ancestors ${["'self'", ...frameOrigins].join(" ")}`] : []),
  ].join("; ");
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${escapeHtml(title)}</title>
    <style>${style}</style>
  </head>
  <body${attributes}>
    <main>
      ${body}
    </main>${script ? `\n    <script>${script}</script>` : ""}
  </body>
</html>
`;
  return { html, policy };
}
