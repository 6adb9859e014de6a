import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { getApiDocument } from "./api-document.ts";
import { getRedocAsset, getRedocPage } from "./redoc.ts";
import { getSwaggerAsset, getSwaggerPage } from "./swagger.ts";

export const docs = createEndpointGroup(
  "Documentation",
  "",
  [getApiDocument, getSwaggerPage, getSwaggerAsset, getRedocPage, getRedocAsset],
  true,
);
