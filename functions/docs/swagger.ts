import { readPackaged } from "../../lib/http/packaged.ts";
import { pageEndpoints } from "./page.ts";

const swaggerFile = (name: string) =>
  readPackaged(new URL(`../../node_modules/swagger-ui-dist/${name}`, import.meta.url));

export const [getSwaggerPage, getSwaggerAsset] = pageEndpoints({
  ids: ["getSwaggerPage", "getSwaggerAsset"],
  name: "docs",
  summary: "Explore the API in a browser",
  assets: {
    "swagger-ui.css": { type: "text/css", read: () => swaggerFile("swagger-ui.css") },
    "swagger-ui-bundle.js": { type: "text/javascript", read: () => swaggerFile("swagger-ui-bundle.js") },
  },
  start: `
SwaggerUIBundle({
  domNode: element,
  url: element.dataset.document,
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
`,
});
