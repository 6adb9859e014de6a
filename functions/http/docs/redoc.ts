import { readBundledText } from "../../../lib/http/bundled-file.ts";
import { documentationPageEndpoints } from "./page.ts";

/** Vendored as the one file that is served. The package would add a hundred dependencies. */
const bundle = new URL("./vendor/redoc-2.5.4/redoc.standalone.js", import.meta.url);

/** The only external resource, replaced here. */
const logo = "https://cdn.redoc.ly/redoc/logo-mini.svg";

const start = `const element = document.getElementById("page");
Redoc.init(element.dataset.document, { hideDownloadButtons: true }, element);
`;

/** The browser lays out and draws an operation when the reader scrolls to it. */
const drawnOnDemand =
  '[data-section-id*="/operation/"] { content-visibility: auto; contain-intrinsic-size: auto 50rem; }';

export const [getRedocPage, getRedocAsset] = documentationPageEndpoints({
  ids: ["getRedocPage", "getRedocAsset"],
  name: "redoc",
  summary: "Read the API's reference in a browser",
  folder: "redoc",
  assets: {
    "redoc.js": {
      type: "text/javascript",
      read: async () => (await readBundledText(bundle)).replace(logo, "data:,"),
    },
    "start.js": { type: "text/javascript", read: async () => start },
  },
  body: (root) => `<style>${drawnOnDemand}</style>
    <div id="page" data-document="${root}openapi.json"></div>
    <script src="${root}redoc/redoc.js"></script>
    <script src="${root}redoc/start.js"></script>`,
  // Its search runs in a worker created from a blob.
  policy: "worker-src blob:",
});
