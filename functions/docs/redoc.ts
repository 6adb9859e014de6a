import { readPackaged } from "../../lib/http/packaged.ts";
import { pageEndpoints } from "./page.ts";

/** Kept here as the one file that is served: as a dependency it would bring a hundred packages along. */
const bundle = new URL("./vendor/redoc-2.5.4/redoc.standalone.js", import.meta.url);

/** The one thing that it would load from elsewhere. */
const logo = "https://cdn.redoc.ly/redoc/logo-mini.svg";

const start = `const element = document.getElementById("page");
Redoc.init(element.dataset.document, { hideDownloadButtons: true }, element);
`;

export const [getRedocPage, getRedocAsset] = pageEndpoints({
  ids: ["getRedocPage", "getRedocAsset"],
  name: "redoc",
  summary: "Read the API's reference in a browser",
  folder: "redoc",
  assets: {
    "redoc.js": {
      type: "text/javascript",
      read: async () => (await readPackaged(bundle)).replace(logo, "data:,"),
    },
    "start.js": { type: "text/javascript", read: async () => start },
  },
  body: (root) => `<div id="page" data-document="${root}openapi.json"></div>
    <script src="${root}redoc/redoc.js"></script>
    <script src="${root}redoc/start.js"></script>`,
  // Its search is built by a worker, which it makes from a text.
  policy: "worker-src blob:",
});
