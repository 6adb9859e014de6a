import { readPackaged } from "./packaged.ts";
import { pageEndpoints } from "./page.ts";

const swaggerFile = (name: string) => readPackaged(`../../node_modules/swagger-ui-dist/${name}`);

export const [swaggerPage, swaggerAsset] = pageEndpoints({
  name: "docs",
  summary: "Explore the API in a browser",
  assets: {
    "swagger-ui.css": { type: "text/css", read: () => swaggerFile("swagger-ui.css") },
    "swagger-ui-bundle.js": { type: "text/javascript", read: () => swaggerFile("swagger-ui-bundle.js") },
  },
  start: `
SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
`,
});
