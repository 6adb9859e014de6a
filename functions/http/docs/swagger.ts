import { SwaggerUI } from "@hono/swagger-ui";
import { readBundledText } from "../../../lib/http/bundled-file.ts";
import { documentationPageEndpoints } from "./page.ts";

const swaggerFile = (name: string) =>
  readBundledText(new URL(`../../../node_modules/swagger-ui-dist/${name}`, import.meta.url));

/** Filters operations by path, summary and id. The library's own filter only knows groups. */
const filterOfOperations = `() => ({ fn: { opsFilter: (groups, typed) => {
  const words = typed.toLowerCase().split(/\\s+/).filter(Boolean);
  const textOf = (one) =>
    [one.get("path"), ...["summary", "operationId"].map((name) => one.getIn(["operation", name]))].join(" ").toLowerCase();
  const isFound = (one) => words.every((word) => textOf(one).includes(word));
  return groups
    .map((group) => group.update("operations", (all) => all.filter(isFound)))
    .filter((group) => group.get("operations").size > 0);
} } })`;

export const [getSwaggerPage, getSwaggerAsset] = documentationPageEndpoints({
  ids: ["getSwaggerPage", "getSwaggerAsset"],
  name: "docs",
  summary: "Explore the API in a browser",
  // The package requests its files under this path.
  folder: "docs/swagger-ui-dist",
  assets: {
    "swagger-ui.css": { type: "text/css", read: () => swaggerFile("swagger-ui.css") },
    "swagger-ui-bundle.js": { type: "text/javascript", read: () => swaggerFile("swagger-ui-bundle.js") },
  },
  body: (root) =>
    SwaggerUI({
      baseUrl: `${root}docs`,
      url: `${root}openapi.json`,
      // By default it sends the document to a validation service.
      validatorUrl: "none",
      deepLinking: true,
      filter: true,
      plugins: [filterOfOperations],
      tryItOutEnabled: true,
      defaultModelsExpandDepth: 0,
    }),
});
