import { readPackaged } from "../../lib/http/packaged.ts";
import { pageEndpoints } from "./page.ts";

/** Kept here as the one file that is served: as a dependency it would bring a hundred packages along. */
const bundle = new URL("./vendor/redoc-2.5.4/redoc.standalone.js", import.meta.url);

/** The one thing that it would load from elsewhere. */
const logo = "https://cdn.redoc.ly/redoc/logo-mini.svg";

export const [getRedocPage, getRedocAsset] = pageEndpoints({
  ids: ["getRedocPage", "getRedocAsset"],
  name: "redoc",
  summary: "Read the API's reference in a browser",
  assets: {
    "redoc.js": {
      type: "text/javascript",
      read: async () => (await readPackaged(bundle)).replace(logo, "data:,"),
    },
  },
  start: `
Redoc.init(element.dataset.document, { hideDownloadButtons: true }, element);
`,
  // Its search is built by a worker, which it makes from a text.
  policy: "worker-src blob:",
});
