import { group } from "../../lib/http/endpoint.ts";
import { apiDocument } from "./api-document.ts";
import { redocAsset, redocPage } from "./redoc.ts";
import { swaggerAsset, swaggerPage } from "./swagger.ts";

export const docs = group(
  "Documentation",
  "",
  [apiDocument, swaggerPage, swaggerAsset, redocPage, redocAsset],
  true,
);
