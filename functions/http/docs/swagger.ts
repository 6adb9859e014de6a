import { SwaggerUI } from "@hono/swagger-ui";
import { readBundledText } from "../../../lib/http/bundled-file.ts";
import { documentationPageEndpoints } from "./page.ts";

const swaggerFile = (name: string) =>
  readBundledText(new URL(`../../../node_modules/swagger-ui-dist/${name}`, import.meta.url));

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
      tryItOutEnabled: true,
      defaultModelsExpandDepth: 0,
    }),
});
